"""A chat product: a configuration in YAML, a window, and a gauge; no model is asked.

Run it with ``python examples/chat_window.py``.
"""

import asyncio
import tempfile
from pathlib import Path
from typing import Any

from chatfold import ContextWindow, ExtractiveSummarizer
from chatfold.config import load_config

CONFIG = """
version: 1.3.10

summarization:
  maxSummaryTokens: 400
  trigger:
    type: token_ratio
    value: 0.8
  retainRecent:
    turns: 2
  contextPruning:
    enabled: true
    minPrunableToolChars: 2000
    softTrim:
      maxChars: 800
      headChars: 300
      tailChars: 300
"""


def step(number: int) -> list[dict[str, Any]]:
    """Make the messages of one question that a tool helps to answer."""
    function = {"name": "orders", "arguments": f'{{"month": {number}}}'}
    call = {"id": f"call_{number}", "type": "function", "function": function}
    rows = "\n".join(f"order {number}-{row}: {row * 7 % 90} parcels" for row in range(150))
    return [
        {"role": "user", "content": f"How many parcels went out in month {number}?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": call["id"], "content": rows},
    ]


async def main() -> None:
    """Live through a year of questions."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "product.yaml"
        path.write_text(CONFIG, encoding="utf-8")
        config = load_config(path)
    window = ContextWindow(
        config,
        max_context_tokens=8_000,
        tokenizer="o200k_base",
        summarizer=ExtractiveSummarizer(),
        instructions="You answer questions about orders.",
    )
    for month in range(1, 13):
        window.extend(step(month))
        prepared = await window.prepare()
        print(f"month {month:2}: {prepared.report}; {window.usage.share:.0%} full")
        window.append({"role": "assistant", "content": f"In month {month} it was quiet."})
    print(prepared.messages[0]["content"][:60])


asyncio.run(main())

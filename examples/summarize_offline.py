"""Summarize a long session of an agent, turn after turn, with no network.

A function that quotes what the user asked for plays the model. It fails now and then, as models do:
the history then stays as it was until the next turn. Run: ``python examples/summarize_offline.py``.
"""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

from chatfold import MessageIndex, SummarizationStrategy, triggers
from chatfold.summarization import CHECKPOINT_PROMPT

SESSION = Path(__file__).with_name("agent_session.json")
FAILS_EVERY = 4

asked = 0


async def play_the_model(messages: list[dict[str, Any]]) -> str:
    """Write a checkpoint from what the user said; ask a model of yours here."""
    global asked  # noqa: PLW0603 (an example)
    asked += 1
    if asked % FAILS_EVERY == 0:
        raise ConnectionError("the model is not available")
    shown = messages[-1]["content"]
    before = re.search(r"<chat-summary>\n(.*?)\n</chat-summary>", shown, re.DOTALL)
    goals = before[1].splitlines()[1:] if before else []
    goals += [f"- {text[:70]}" for text in re.findall(r'<chat-message role="user">\n(.*)', shown)]
    return "\n".join(["## Goal", *goals[-8:]])


async def main() -> None:
    """Take the session message by message, as an agent would."""
    messages = json.loads(SESSION.read_text(encoding="utf-8"))
    strategy = SummarizationStrategy(
        client=play_the_model,
        trigger=triggers.tokens_exceed(12_000),
        target=~triggers.tokens_exceed(6_000),
        prompt=CHECKPOINT_PROMPT,
        max_summary_tokens=500,
    )
    index = MessageIndex(tokenizer="o200k_base")
    for message in messages:
        if message["role"] == "user":
            report = await index.acompact(strategy)
            if report.summaries:
                print(f"after {len(index)} messages: {report}")
        index.append(message)
    print(index.included_messages()[1]["content"])


if __name__ == "__main__":
    asyncio.run(main())

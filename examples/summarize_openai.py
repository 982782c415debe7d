"""Summarize a long session with a model behind the OpenAI protocol.

Needs ``pip install 'chatfold[openai]'`` and the variable ``OPENAI_API_KEY``; with ``OPENAI_BASE_URL``
any compatible server does, a local one too. Run: ``python examples/summarize_openai.py MODEL``.
"""

import asyncio
import json
import sys
from pathlib import Path

from openai import AsyncOpenAI

from chatfold import (
    ExtractiveSummarizer,
    MessageIndex,
    OpenAISummarizer,
    RetainRecent,
    SummarizationStrategy,
    triggers,
)
from chatfold.summarization import CHECKPOINT_PROMPT

SESSION = Path(__file__).with_name("agent_session.json")


async def main(model: str) -> None:
    """Replace all but the newest turns by a checkpoint."""
    messages = json.loads(SESSION.read_text(encoding="utf-8"))
    async with AsyncOpenAI() as client:
        strategy = SummarizationStrategy(
            # Where the model does not answer, a stand-in is written without one.
            client=[OpenAISummarizer(client, model=model), ExtractiveSummarizer()],
            trigger=triggers.tokens_exceed(20_000),
            retain_recent=RetainRecent(turns=4, tokens=8_000),
            prompt=CHECKPOINT_PROMPT,
        )
        index = MessageIndex(messages, tokenizer="o200k_base")
        report = await index.acompact(strategy)
    print(report)
    print(report.summary_usage)
    print(
        next(
            group.messages[0]["content"]
            for group in index.included_groups
            if group.kind == "summary"
        )
    )


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "gpt-4o-mini"))

"""An agent whose conversation lives in a session: stored, compacted, saved and loaded run by run.

Run it with ``python examples/agent_with_sessions.py``. A recorded session plays the user, the model and
the tools, so that nothing leaves this machine. After each run the session goes through a file, as it
does where each request is served by another process.
"""

import asyncio
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from chatfold import (
    CompactionProvider,
    InMemoryHistoryProvider,
    MessageIndex,
    Session,
    SummarizationStrategy,
    ToolResultCompactionStrategy,
    triggers,
)
from chatfold.summarization import ExtractiveSummarizer

RECORDED = Path(__file__).parent / "agent_session.json"

history = InMemoryHistoryProvider()
compaction = CompactionProvider(
    # Before each call of the model: over 12,000 tokens, old tool results become a line each.
    before_strategy=ToolResultCompactionStrategy(
        trigger=triggers.tokens_exceed(12_000),
        target=triggers.tokens_below(8_000),
        keep_last_tool_call_groups=2,
        max_chars=160,
    ),
    # After each run: over 8,000 tokens, the oldest part of what is stored becomes a summary. Put a
    # model of yours in the place of the summarizer, which picks the sentences that say most.
    after_strategy=SummarizationStrategy(
        client=ExtractiveSummarizer(),
        trigger=triggers.tokens_exceed(8_000),
        target=triggers.tokens_below(3_000),
        max_summary_tokens=800,
    ),
    tokenizer="o200k_base",
)


def turns(messages: list[Any]) -> Iterator[tuple[list[Any], list[Any]]]:
    """Cut the recorded session into what the user said and what the agent did about it."""
    starts = [at for at, message in enumerate(messages) if message["role"] == "user"]
    for number, start in enumerate(starts):
        end = starts[number + 1] if number + 1 < len(starts) else len(messages)
        yield messages[: start + 1] if not number else [messages[start]], messages[start + 1 : end]


def tokens(messages: list[Any]) -> int:
    """Count the tokens of messages."""
    return MessageIndex(messages, tokenizer="o200k_base").total_token_count


async def answer(session: Session, asked: list[Any], recorded: list[Any]) -> tuple[int, int]:
    """Run the agent once; give the number of its model calls and the largest of them in tokens."""
    calls = largest = 0
    async with session.run([history, compaction], asked) as run:
        for message in recorded:
            if message["role"] == "assistant":
                calls += 1
                largest = max(largest, tokens(await run.messages()))  # here the model is called
            run.append(message)
    return calls, largest


async def main() -> None:
    """Go through the recorded session, turn by turn."""
    messages = json.loads(RECORDED.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "session.json"
        file.write_text(json.dumps(Session("demo").to_dict()), encoding="utf-8")
        for number, (asked, recorded) in enumerate(turns(messages), 1):
            session = Session.from_dict(json.loads(file.read_text(encoding="utf-8")))
            calls, largest = await answer(session, asked, recorded)
            file.write_text(json.dumps(session.to_dict()), encoding="utf-8")
            if number % 8 == 1:
                print(
                    f"turn {number:2}: {calls} calls of the model, at most {largest:,} tokens each"
                )
        stored = history.history(session).index
        print(f"stored: {len(stored)} messages, {stored.total_token_count:,} tokens with summaries")
        print(f"loaded next time: {stored.included_message_count} messages, ", end="")
        print(f"{stored.included_token_count:,} tokens")


if __name__ == "__main__":
    asyncio.run(main())

"""A trigger and an async strategy of your own, composed with built-in ones.

The strategy asks a "model" for one line about each old turn; here a function that waits a little and
takes the last words of the turn plays the model. Run: ``python examples/custom_strategy.py``.
"""

import asyncio
import json
from pathlib import Path

from chatfold import (
    MessageGroup,
    MessageIndex,
    PipelineCompactionStrategy,
    TruncationStrategy,
    apply_compaction,
    triggers,
)

SESSION = Path(__file__).with_name("agent_session.json")
KEPT_TURNS = 6


def mostly_tool_results(index: MessageIndex) -> bool:
    """Hold where tool calls and their results are more than half of the bytes."""
    calls = sum(group.byte_count for group in index.included_groups if group.kind == "tool_call")
    return calls * 2 > index.included_byte_count


async def ask_model(texts: list[str]) -> str:
    """Play a model that writes one line about a turn."""
    await asyncio.sleep(0.001)
    return f"[Summary] {texts[-1][:200]}"


async def summarize_old_turns(index: MessageIndex) -> bool:
    """Put a line in the place of what the agent did in each old turn; the questions stay."""
    turns: dict[int, list[MessageGroup]] = {}
    for group in index.included_groups:
        if group.turn and group.kind in ("assistant_text", "tool_call") and not group.pending:
            turns.setdefault(group.turn, []).append(group)
    changed = False
    for number in sorted(turns)[:-KEPT_TURNS]:
        said = [message["content"] for group in turns[number] for message in group.messages]
        line = await ask_model([text for text in said if isinstance(text, str)])
        # Nothing happens where the line would not be shorter than what it replaces.
        changed |= index.replace(turns[number], line, reason="summarized") is not None
    return changed


async def summarize_when_needed(index: MessageIndex) -> bool:
    """Ask the trigger first, as the built-in strategies do."""
    needed = triggers.tokens_exceed(30_000) & mostly_tool_results
    return await summarize_old_turns(index) if needed(index) else False


async def main() -> None:
    """Summarize old turns; where that is not enough, remove the oldest groups."""
    messages = json.loads(SESSION.read_text(encoding="utf-8"))
    strategy = PipelineCompactionStrategy(
        summarize_when_needed,
        TruncationStrategy(max_n=16_000, compact_to=12_000, tokenizer="o200k_base"),
    )
    kept = await apply_compaction(messages, strategy=strategy)
    print(f"{len(messages)} messages became {len(kept)}")
    print(
        f"a stand-in: {next(m['content'] for m in kept if '[Summary]' in str(m['content']))[:76]}"
    )

    index = MessageIndex(messages)
    report = await index.acompact(strategy)
    print(f"{report.before.tokens:,} tokens became {report.after.tokens:,}")


if __name__ == "__main__":
    asyncio.run(main())

"""chatfold within Microsoft's agent framework, beside its own strategies: ``python -m benches.framework``.

Both get the same lists of the framework's messages, and options that mean the same; what they exclude
is compared as well. Figures go to docs/benchmarks/agent_framework.json, and from there to
docs/benchmarks/agent_framework.md; ``--render`` writes the page again from figures that are there.
"""

import argparse
import json
import statistics
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import agent_framework as theirs
from agent_framework import Message, annotate_message_groups, apply_compaction, included_messages

import chatfold
from benches import machine
from benches.corpus import conversation
from benches.measure import Contender, effort, once, quiet
from benches.page import table, time
from benches.peers.microsoft import as_own, finish
from chatfold.integrations.agent_framework import as_compaction_strategy, as_tokenizer

SIZES = [500, 1_000, 2_000, 4_000]
SHORT = 0.3
"""Seconds: a run that takes longer is not repeated."""
TURNS = 20

Call: TypeAlias = Callable[[Any, list[Message]], object]


class Pair(NamedTuple):
    """One strategy of each side, with options that mean the same."""

    theirs: Callable[[], Any]
    ours: Callable[[], chatfold.Strategy]
    tokenizer: str | None = None


ENCODING = "o200k_base"
PAIRS = {
    "truncation to 100 messages": Pair(
        lambda: theirs.TruncationStrategy(max_n=200, compact_to=100),
        lambda: chatfold.TruncationStrategy(
            max_n=200, compact_to=100, preserve_last_user_group=False
        ),
    ),
    "truncation to 8,000 tokens": Pair(
        lambda: theirs.TruncationStrategy(
            max_n=16_000, compact_to=8_000, tokenizer=as_tokenizer(ENCODING)
        ),
        lambda: chatfold.TruncationStrategy(
            max_n=16_000, compact_to=8_000, tokenizer=ENCODING, preserve_last_user_group=False
        ),
        ENCODING,
    ),
    "window of 50 groups": Pair(
        lambda: theirs.SlidingWindowStrategy(keep_last_groups=50),
        lambda: chatfold.SlidingWindowStrategy(keep_last_groups=50, preserve_last_user_group=False),
    ),
    "removal of old tool calls": Pair(
        lambda: theirs.SelectiveToolCallCompactionStrategy(keep_last_tool_call_groups=2),
        lambda: chatfold.SelectiveToolCallCompactionStrategy(keep_last_tool_call_groups=2),
    ),
    "digests of old tool results": Pair(
        lambda: theirs.ToolResultCompactionStrategy(keep_last_tool_call_groups=2),
        lambda: chatfold.ToolResultCompactionStrategy(keep_last_tool_call_groups=2),
    ),
}


def _fresh(size: int) -> list[Message]:
    return [as_own(message) for message in conversation(size, "agent")]


def _first(strategy: Any, messages: list[Message]) -> object:  # noqa: ANN401 (of either side)
    return finish(apply_compaction(messages, strategy=strategy))


def _alone(strategy: Any, messages: list[Message]) -> object:  # noqa: ANN401 (of either side)
    return finish(strategy(messages))


def _seconds(call: Call, make: Callable[[], Any], prepare: Callable[[], list[Message]]) -> float:
    """Give the median of a few runs, each on a list of its own."""
    contender = Contender(lambda prepared: call(*prepared), lambda: (make(), prepare()))
    times = [once(contender)]
    while times[0] < SHORT and len(times) < effort.least + 2:
        times.append(once(contender))
    return statistics.median(times)


def sides(pair: Pair) -> dict[str, Callable[[], Any]]:
    """Give what makes the strategy of each side, as one of the framework's."""
    return {
        "agent-framework-core": pair.theirs,
        "chatfold": lambda: as_compaction_strategy(pair.ours()),
    }


def first(make: Callable[[], Any], size: int) -> float:
    """Give the seconds of compacting a list for the first time."""
    return _seconds(_first, make, lambda: _fresh(size))


def _strategy(make: Callable[[], Any], pair: Pair, size: int) -> float:
    """Give the seconds of the strategy alone, on a list that the framework has annotated."""
    counting = as_tokenizer(pair.tokenizer) if pair.tokenizer else None

    def annotated() -> list[Message]:
        messages = _fresh(size)
        annotate_message_groups(messages, tokenizer=counting)
        return messages

    return _seconds(_alone, make, annotated)


def turn(make: Callable[[], Any], size: int) -> float:
    """Give the mean time of one more turn on a list that is compacted already."""
    strategy, messages = make(), _fresh(size)
    _first(strategy, messages)
    more = iter([as_own(message) for message in conversation(8 * TURNS, "agent", seed=2)[1:]])

    def append() -> None:
        messages.extend(message for message, _ in zip(more, range(4), strict=False))

    contender = Contender(lambda _: _first(strategy, messages), append)
    once(contender)
    times: list[float] = []
    while len(times) < TURNS and sum(times) < 5 * SHORT:
        times.append(once(contender))
    return statistics.fmean(times)


def _agreement(pair: Pair, size: int) -> dict[str, int]:
    """Count the groups that each side excludes of one list, and those that both do."""
    excluded = []
    for make in sides(pair).values():
        messages = _fresh(size)
        listed = list(messages)
        annotate_message_groups(
            messages, tokenizer=as_tokenizer(pair.tokenizer) if pair.tokenizer else None
        )
        _first(make(), messages)
        kept = {id(message) for message in included_messages(messages)}
        excluded.append(
            {
                message.additional_properties["_group"]["id"]
                for message in listed
                if id(message) not in kept
            }
        )
    theirs_alone, own = excluded
    return {
        "agent-framework-core": len(theirs_alone),
        "chatfold": len(own),
        "both": len(theirs_alone & own),
    }


def measure(sizes: list[int], say: Callable[[str], None] = print) -> dict[str, Any]:
    """Measure everything."""
    versions = machine.versions()
    figures: dict[str, Any] = {"machine": machine.describe(), "pairs": {}, "sizes": sizes}
    figures["versions"] = {name: versions[name] for name in ("chatfold", "agent-framework-core")}
    with quiet():
        for name, pair in PAIRS.items():
            found: dict[str, Any] = {"first": {}, "alone": {}, "turn": {}, "same": {}}
            for size in sizes:
                for side, make in sides(pair).items():
                    found["first"].setdefault(side, []).append(first(make, size))
                    found["alone"].setdefault(side, []).append(_strategy(make, pair, size))
                    found["turn"].setdefault(side, []).append(turn(make, size))
                found["same"][str(size)] = _agreement(pair, size)
                say(f"{name}, {size:,} messages")
            figures["pairs"][name] = found
    return figures


_TOP = """# Beside the strategies of Microsoft's agent framework

All figures on this page come from one run of `python -m benches.framework` on one machine; look at ratios first.
Both sides get the same lists of the framework's messages, through the framework's own `apply_compaction`, and options that mean the same.
The conversation is that of an agent: mostly tool calls, some of them in parallel, and their results.
Tokens are `o200k_base` counted by chatfold on both sides.
"""

_WHAT = {
    "first": """## A list that is compacted for the first time

The framework groups and annotates the list before and after any strategy, which is part of both times.
""",
    "alone": """## The strategy alone

On a list that the framework has grouped already, and counted where tokens matter.
chatfold reads the messages and counts what it needs within this time.
Windows and removal ask for no more than the annotations hold, so that the framework is ahead there; each message is read once, and the next part shows what a turn costs afterwards.
""",
    "turn": """## One more turn

Four messages are added to a list that was compacted before, and it is compacted again.
What is left of chatfold's time is nearly all the framework's own, which looks at every annotation.
""",
}


_BUSY = "Others were working on the machine, so this is processor time, once for what takes long.\n"


def _page(figures: dict[str, Any]) -> Iterator[str]:
    sizes = figures["sizes"]
    yield _TOP
    if figures["machine"]["time"] == "of the processor":
        yield _BUSY
    for part, text in _WHAT.items():
        yield text
        rows = []
        for name, found in figures["pairs"].items():
            for side, seconds in found[part].items():
                rows.append([name, side, *map(time, seconds)])
            ratios = [
                f"{first / second:.1f} \N{MULTIPLICATION SIGN}"
                for first, second in zip(
                    found[part]["agent-framework-core"], found[part]["chatfold"], strict=True
                )
            ]
            rows.append(["", "times as long as chatfold", *ratios])
        yield from table(["strategy", "side", *(f"{size:,}" for size in sizes)], rows)
    yield "## What is excluded\n"
    yield "Groups that each side excludes, and those that both do.\n"
    yield from table(
        ["strategy", "messages", "agent-framework-core", "chatfold", "both"],
        [
            [name, f"{int(size):,}", same["agent-framework-core"], same["chatfold"], same["both"]]
            for name, found in figures["pairs"].items()
            for size, same in found["same"].items()
        ],
    )
    yield (
        "chatfold replaces a group by a digest only where the digest is shorter than the group; "
        "the framework does it in any case.\n"
        "`tests/framework_agents/test_theirs.py` compares both sides on random histories.\n"
    )
    yield "## Machine and versions\n"
    yield from table(["", ""], [[key, value] for key, value in figures["machine"].items()])
    yield from table(["package", "version"], [[*item] for item in figures["versions"].items()])


def write(figures: dict[str, Any], folder: Path) -> None:
    """Write the page."""
    (folder / "agent_framework.md").write_text("\n".join(_page(figures)), encoding="utf-8")


def measure_and_write(folder: Path, sizes: list[int], taken: str) -> None:
    """Measure everything, and keep the figures and the page in a folder."""
    figures = measure(sizes)
    figures["machine"]["time"] = taken
    kept = folder / "agent_framework.json"
    kept.write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    write(figures, folder)


def main() -> None:
    """Measure, unless told not to, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--render", action="store_true", help="only write the page again")
    parser.add_argument("--quick", action="store_true", help="small and inexact")
    parser.add_argument("--processor-time", action="store_true", help="others work here too")
    folder = Path(__file__).parent.parent / "docs" / "benchmarks"
    parser.add_argument("--folder", type=Path, default=folder, help="where to write")
    options = parser.parse_args()
    if options.processor_time:
        effort.use_processor_time()
    if options.render:
        kept = options.folder / "agent_framework.json"
        write(json.loads(kept.read_text(encoding="utf-8")), options.folder)
    else:
        taken = "of the processor" if options.processor_time else "of the clock"
        measure_and_write(options.folder, SIZES[:1] if options.quick else SIZES, taken)


if __name__ == "__main__":
    main()

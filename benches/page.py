"""Writes docs/benchmarks.md and its plots from figures."""

import math
import statistics
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from benches import plots
from benches.measure import exponent
from benches.peers.task import TASKS
from benches.races import KEPT_AT

_TOP = """# Benchmarks

All figures on this page come from one run of `python -m benches.compare` on one machine.
They are medians of runs that take turns within one process (of one more turn of a conversation, means), so look at ratios first: times are another machine's.
Nothing here is asserted in tests; those count work instead.
A floor is the time of a loop in Rust that reads the `role` and `content` of each message and does nothing else.
"""

_BUSY = """Others were working on the machine, so this is processor time, and caches were shared with them.
"""

_METHOD = """## Method

- Conversations come from one generator with a fixed seed (`benches/corpus.py`).
  All texts are different objects with different contents; a chat message has some 670 bytes of text, 30 % of them in languages other than English.
  An agent's history consists mostly of tool calls, some of them in parallel, and their results.
- The floor is a loop in the extension that reads the `role` and `content` of each dict and does nothing else.
- The cache of counts that chatfold keeps within a process is off, since a second run would find every count there.
  The collector of garbage is off as well.
- Each package gets messages of its own types, made outside the timed part, and the options that its documentation recommends.
  Exact counts are `o200k_base` by `tiktoken` for the other packages, with a vocabulary that is already loaded.
- What each package keeps is counted afterwards with one tokenizer, over texts alone.
  `agent-framework-core` counts the JSON of a message, `litellm` adds a few tokens a message and shortens the oldest one that it keeps, and `langchain-core (approximate)` estimates: these keep other amounts.
- A package drops out of a task where a run would take longer than ten seconds, and none but chatfold gets a history of 1,000,000 messages.
  What takes longer than half a second is run once, after a first run.
- Between two turns of a conversation the other packages take theirs, so that each finds the caches of the processor cold, as it would after the wait for a model; the first table has turns one right after the other.
- Within Microsoft's agent framework both sides are measured on [a page of their own](benchmarks/agent_framework.md).
- Counting is on one thread, of texts of 2,000 characters, one call a text.
  A dash means that a counter's sum is not that of `tiktoken`, or that it was not run.
- English, European, Russian and Arabic texts are words drawn from the vocabulary by rank, 15 % of them put together from two parts; Chinese and Japanese from short lists of words; the manual and the library are those of Python itself.

## Run it

```sh
pip install --group bench
python -m benches.smoke        # each benchmark once: does it work?
python -m benches.linearity    # how the time of each strategy grows
python -m benches.compare      # this page
python -m benches.framework    # beside the strategies of Microsoft's agent framework
asv run --quick --python=same  # the suite, one by one
```
"""


_NOTES = """## Where the time goes

- One more turn with truncation: most of it is the exact count of the two new messages, some 1,300 bytes that no cache has seen; the run itself and its report take some 6 µs, as in the rows of the window.
  A turn of short messages, of which there is little to count, is below 20 µs.
- Counting European, Russian and Arabic words that hardly repeat: a piece that is new costs a look at the table of tokens, which is larger than the nearest caches, and more where it is no token.
  Text as people write it repeats its words, as the rows of the manual and the library do.
  What was tried is told in `rust/core/src/tokens/mod.rs`.
- An index of 1,000,000 agent messages: its calls are dicts within dicts, some ten objects that no cache holds where the floor touches three.
  A fifth of the time was the table of calls until that was made on demand only; asking for the messages some places ahead gained nothing.
- Memory of texts beyond ASCII: their lengths are taken from code points, since Python would keep the UTF-8 that it is asked for.
"""

_NOTHING = "\N{EN DASH}"
_TIMES = "\N{MULTIPLICATION SIGN}"


def _row(cells: Iterable[object]) -> str:
    return "| " + " | ".join(map(str, cells)) + " |"


def table(head: list[str], rows: Iterable[list[object]]) -> Iterator[str]:
    yield _row(head)
    yield _row(["---"] + ["---:"] * (len(head) - 1))
    yield from map(_row, rows)
    yield ""


def time(seconds: float) -> str:
    """Write a time with three digits."""
    units = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6))
    unit, size = next((each for each in units if seconds >= each[1]), units[-1])
    return f"{_digits(seconds / size)} {unit}"


def _digits(figure: float) -> str:
    if figure <= 0:
        return f"{figure:.0f}"
    places = max(0, 2 - math.floor(math.log10(figure)))
    return f"{figure:,.{min(places, 3)}f}"


def _claims(figures: dict[str, Any]) -> Iterator[str]:
    yield "## What the design asks for\n"
    yield from table(
        ["what", "must be", "measured"],
        (
            [
                each["what"],
                f"{each['must']} {each['unit']}",
                f"{_digits(each['figure'])} {each['unit']}",
            ]
            for each in figures["claims"]
        ),
    )


def _counting(figures: dict[str, Any]) -> Iterator[str]:
    yield "## Exact counting, one thread\n"
    yield "Megabytes of UTF-8 a second; more is better.\n"
    yield "![Counting speed by kind of text](benchmarks/counting.svg)\n"
    for encoding, kinds in figures["counting"].items():
        names = list(next(iter(kinds.values())))
        others = names[1:]
        rows: list[list[object]] = []
        for kind, speeds in kinds.items():
            rows.append(
                [kind, *(_digits(speeds[name]) if speeds[name] else _NOTHING for name in names)]
            )
        yield f"`{encoding}`:\n"
        yield from table(["text", *names], rows)
        gains = {
            name: [each[names[0]] / each[name] for each in kinds.values() if each[name]]
            for name in others
        }
        for name, found in gains.items():
            if found:
                mean = statistics.geometric_mean(found)
                yield (
                    f"chatfold counts {_digits(mean)} {_TIMES} as fast as {name} "
                    f"(geometric mean; {_digits(min(found))} to {_digits(max(found))}).\n"
                )


def _tasks(figures: dict[str, Any]) -> Iterator[str]:
    yield "## The same work with other packages\n"
    yield "![Time against the length of the history](benchmarks/histories.svg)\n"
    yield f"A history of {KEPT_AT:,} messages, and how many times as long as chatfold it takes:\n"
    rows: list[list[object]] = []
    for task, result in figures["tasks"].items():
        at = str(KEPT_AT)
        ours = result["seconds"]["chatfold"][at]
        for name, seconds in result["seconds"].items():
            if at in seconds and name != "floor":
                kept = result["kept"].get(name)
                shown = f"{kept[0]:,} messages, {kept[1]:,} tokens" if kept else ""
                ratio = "" if name == "chatfold" else f"{_digits(seconds[at] / ours)} {_TIMES}"
                rows.append([TASKS[task], name, time(seconds[at]), ratio, shown])
    yield from table(["task", "package", "time", "against chatfold", "kept"], rows)
    yield "By the length of the history; a package that has dropped out is left blank:\n"
    sizes = [size for size in next(iter(figures["tasks"].values()))["sizes"] if str(size)[0] == "1"]
    yield from table(
        ["task", "package", *(f"{size:,}" for size in sizes)],
        (
            [
                TASKS[task],
                name,
                *(time(seconds[str(size)]) if str(size) in seconds else "" for size in sizes),
            ]
            for task, result in figures["tasks"].items()
            for name, seconds in result["seconds"].items()
        ),
    )


def _strategies(figures: dict[str, Any]) -> Iterator[str]:
    found = figures["strategies"]
    sizes = next(iter(found.values()))["sizes"]
    yield "## Each strategy\n"
    yield (
        "On an agent's history whose index is there, and with building it.\n"
        "The exponent is that of the length of the history which the time grows with; 1 is in proportion.\n"
    )
    yield "![Time of each strategy](benchmarks/strategies.svg)\n"
    head = ["strategy", *(f"{size:,}" for size in sizes), f"with index, {sizes[-1]:,}", "exponent"]
    yield from table(
        head,
        (
            [
                name,
                *map(time, each["alone"]),
                time(each["whole"][-1]),
                f"{exponent(sizes, each['whole']):.2f}",
            ]
            for name, each in found.items()
        ),
    )


def _setting(figures: dict[str, Any]) -> Iterator[str]:
    yield "## Machine and versions\n"
    yield from table(["", ""], [[key, value] for key, value in figures["machine"].items()])
    yield from table(["package", "version"], [[*item] for item in figures["versions"].items()])


def write(figures: dict[str, Any], docs: Path) -> None:
    """Write the page and the plots under a folder."""
    parts = [_TOP]
    if figures["machine"]["time"] == "of the processor":
        parts.append(_BUSY)
    for part in (_claims, _counting, _tasks, _strategies, _setting):
        parts += part(figures)
    parts += [_NOTES, _METHOD]
    docs.mkdir(parents=True, exist_ok=True)
    (docs / "benchmarks.md").write_text("\n".join(parts), encoding="utf-8")
    plots.draw(figures, docs / "benchmarks")

"""The speed that the design asks for, row by row, each as a benchmark of the suite."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from benches.bench_compact import Compact
from benches.bench_index import Index
from benches.bench_memory import Memory
from benches.bench_startup import Startup, Vocabulary, Wheel
from benches.bench_strategies import AgainstTheIndex
from benches.bench_turn import Turn
from benches.strategies import AGAINST_THE_INDEX, EXACT


class Claim(NamedTuple):
    """What is claimed, what it must be, and what was measured."""

    what: str
    must: str
    unit: str
    figure: float


def track(owner: type, method: str, *values: Any) -> float:  # noqa: ANN401
    """Run one benchmark of the suite."""
    bench = owner()
    if hasattr(bench, "setup"):
        bench.setup(*values)
    tracked: Callable[..., float] = getattr(bench, method)
    return tracked(*values)


def claims(sizes: list[int]) -> Iterator[Claim]:
    """Measure all rows; histories have the sizes from 10^5 on, or the largest one."""
    large = [size for size in sizes if size >= 100_000] or [max(sizes)]
    for size in large:
        for kind in ("chat", "agent"):
            figure = track(Index, "track_build_over_floor", size, kind)
            yield Claim(f"index of {size:,} messages ({kind})", "≤ 4", "floors", figure)
    for size in large:
        for name in EXACT:
            figure = track(Compact, "track_compact_over_floor", size, name)
            yield Claim(f"one-off {name}, {size:,} messages", "≤ 2", "floors", figure)
    yield from _turns(sizes)
    for name in AGAINST_THE_INDEX:
        figure = track(AgainstTheIndex, "track_run_over_build", large[0], name)
        yield Claim(f"{name}, {large[0]:,} messages", "≤ 2", "indexes", figure)
    for kind in ("ascii chat", "chat", "agent"):
        figure = track(Memory, "track_bytes_a_message", large[0], kind)
        yield Claim(f"memory of an index ({kind})", "≤ 150", "bytes a message", figure)
    yield Claim("import", "≤ 30", "ms", track(Startup, "track_import"))
    for encoding in Vocabulary.params:
        figure = track(Vocabulary, "track_first_use", encoding)
        yield Claim(f"first use of {encoding}", "≤ 100", "ms", figure)
    yield Claim("wheel", "≤ 8", "MB", track(Wheel, "track_size"))


def _turns(sizes: list[int]) -> Iterator[Claim]:
    small, large = min(sizes), max(sizes)
    for name in ("truncation", "window", "short"):
        figures = {size: track(Turn, "track_turn", size, name) for size in (small, large)}
        for size, figure in figures.items():
            yield Claim(f"one more turn ({name}) at {size:,} messages", "≤ 20", "µs", figure)
        grown = figures[large] / figures[small]
        yield Claim(f"the same, {large:,} against {small:,} messages", "≤ 2", "times", grown)

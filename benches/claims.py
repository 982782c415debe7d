"""The speed that the design asks for, row by row, each as a benchmark of the suite."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from benches import (  # modules: asv takes classes for benchmarks of this one
    bench_compact,
    bench_index,
    bench_memory,
    bench_startup,
    bench_strategies,
    bench_turn,
)
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
            figure = track(bench_index.Index, "track_build_over_floor", size, kind)
            yield Claim(f"index of {size:,} messages ({kind})", "≤ 4", "floors", figure)
    for size in large:
        for name in EXACT:
            figure = track(bench_compact.Compact, "track_compact_over_floor", size, name)
            yield Claim(f"one-off {name}, {size:,} messages", "≤ 2", "floors", figure)
    yield from _turns(sizes)
    for name in AGAINST_THE_INDEX:
        figure = track(bench_strategies.AgainstTheIndex, "track_run_over_build", large[0], name)
        yield Claim(f"{name}, {large[0]:,} messages", "≤ 2", "indexes", figure)
    for kind in ("ascii chat", "chat", "agent"):
        figure = track(bench_memory.Memory, "track_bytes_a_message", large[0], kind)
        yield Claim(f"memory of an index ({kind})", "≤ 150", "bytes a message", figure)
    yield Claim("import", "≤ 30", "ms", track(bench_startup.Startup, "track_import"))
    for encoding in bench_startup.Vocabulary.params:
        figure = track(bench_startup.Vocabulary, "track_first_use", encoding)
        yield Claim(f"first use of {encoding}", "≤ 100", "ms", figure)
    yield Claim("wheel", "≤ 8", "MB", track(bench_startup.Wheel, "track_size"))


def _turns(sizes: list[int]) -> Iterator[Claim]:
    small, large = min(sizes), max(sizes)
    for name in ("truncation", "window", "short"):
        figures = {
            size: track(bench_turn.Turn, "track_turn", size, name) for size in (small, large)
        }
        for size, figure in figures.items():
            yield Claim(f"one more turn ({name}) at {size:,} messages", "≤ 20", "µs", figure)
        grown = figures[large] / figures[small]
        yield Claim(f"the same, {large:,} against {small:,} messages", "≤ 2", "times", grown)

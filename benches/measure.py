"""How time is taken: side by side, in turns, with medians and their ratios.

What is compared runs in turns within one process, so that a machine that gets slower for a while does
so for all. The collector of garbage is off, as it is with :mod:`timeit`, and so is the cache of counts
unless the bench is about it: a second run would find each count there.
"""

import gc
import math
import statistics
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter, thread_time
from typing import Any, NamedTuple, TypeVar

from chatfold import count_cache

F = TypeVar("F", bound=Callable[..., float])

CACHE_CAPACITY = count_cache.info().capacity


@dataclass
class Effort:
    """How long to measure: the bounds of the rounds of one comparison."""

    seconds: float = 1.5
    least: int = 3
    most: int = 60
    clock: Callable[[], float] = perf_counter

    def use_processor_time(self) -> None:
        """Take the time of the processor alone, for a machine on which others work as well."""
        self.clock = thread_time


effort = Effort()
"""Of this process; a smoke run lowers it."""


class Contender(NamedTuple):
    """Something to time: what is made anew for each run, untimed, and what is done with it."""

    run: Callable[[Any], object]
    prepare: Callable[[], Any] = lambda: None


@contextmanager
def quiet(*, cache: bool = False) -> Iterator[None]:
    """Keep the collector of garbage and, unless asked for, the cache of counts out."""
    was_enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    count_cache.resize(CACHE_CAPACITY if cache else 0)
    try:
        yield
    finally:
        count_cache.resize(CACHE_CAPACITY)
        if was_enabled:
            gc.enable()


def once(contender: Contender) -> float:
    """Time one run, in seconds."""
    prepared = contender.prepare()
    clock = effort.clock
    start = clock()
    result = contender.run(prepared)
    taken = clock() - start
    del result
    return taken


def interleaved(
    contenders: Mapping[str, Contender], *, least: int = 0, cache: bool = False
) -> dict[str, list[float]]:
    """Time all of them in turns, so often at least: the seconds of each run."""
    least = max(least, effort.least)
    times: dict[str, list[float]] = {name: [] for name in contenders}
    with quiet(cache=cache):
        if effort.most > 1:
            for contender in contenders.values():
                once(contender)
        start, rounds = perf_counter(), 0
        while rounds < least or (rounds < effort.most and perf_counter() - start < effort.seconds):
            for name, contender in contenders.items():
                times[name].append(once(contender))
            rounds += 1
    return times


def median(contender: Contender, *, cache: bool = False) -> float:
    """Give the median of the seconds that runs take."""
    return statistics.median(interleaved({"it": contender}, cache=cache)["it"])


def ratio(first: Contender, second: Contender, *, cache: bool = False) -> float:
    """Say how many times as long the first takes as the second, by medians of interleaved runs."""
    times = interleaved({"first": first, "second": second}, cache=cache)
    return statistics.median(times["first"]) / statistics.median(times["second"])


def unit(name: str) -> Callable[[F], F]:
    """Tell asv the unit of what a benchmark tracks."""

    def named(function: F) -> F:
        vars(function)["unit"] = name
        return function

    return named


def exponent(sizes: list[int], seconds: list[float]) -> float:
    """Fit the power of the size that the time grows with, by least squares over logarithms."""
    logs = [(math.log(size), math.log(time)) for size, time in zip(sizes, seconds, strict=True)]
    return statistics.linear_regression(*zip(*logs, strict=True)).slope

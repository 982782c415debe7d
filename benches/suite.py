"""Finds and runs the benchmarks of the asv suite without asv: each class of each ``bench_*`` module."""

import importlib
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benches.measure import Contender, median


class Benchmark(NamedTuple):
    """One method of one class of benchmarks."""

    module: str
    owner: type
    method: str

    def parameters(self) -> list[list[Any]]:
        """Give what each parameter may be."""
        given = list(getattr(self.owner, "params", ()))
        # One parameter may stand as a plain list of its values.
        lists = given if all(isinstance(each, (list, tuple)) for each in given) else [given]
        return [list(values) for values in lists]

    def smallest(self) -> Iterator[tuple[Any, ...]]:
        """Give all parameters with the least number wherever numbers are given."""
        return itertools.product(
            *(
                [min(values)] if isinstance(values[0], int) else values
                for values in self.parameters()
            )
        )

    def run(self, *values: Any) -> float:  # noqa: ANN401
        """Give what it tracks, in its unit, or the seconds that it takes."""
        owner = self.owner()
        if hasattr(owner, "setup"):
            owner.setup(*values)
        method = getattr(owner, self.method)
        if self.method.startswith("time_"):
            return median(Contender(lambda _: method(*values)))
        return float(method(*values))

    @property
    def unit(self) -> str:
        """The unit of what it gives."""
        return getattr(getattr(self.owner, self.method), "unit", "s")


def benchmarks() -> Iterator[Benchmark]:
    """Find all of them."""
    for path in sorted(Path(__file__).parent.glob("bench_*.py")):
        module = importlib.import_module(f"benches.{path.stem}")
        for owner in vars(module).values():
            if isinstance(owner, type) and owner.__module__ == module.__name__:
                for method in dir(owner):
                    if method.startswith(("time_", "track_")):
                        yield Benchmark(path.stem, owner, method)

"""Runs each benchmark once, at its smallest size: ``python -m benches.smoke``.

It tells that the suite works, not how fast anything is. Needs chatfold alone; what compares with a
package that is missing is left out.
"""

import math
import sys
from time import perf_counter

from benches.measure import effort
from benches.suite import benchmarks


def main() -> int:
    """Run all; say how many failed."""
    effort.seconds, effort.least, effort.most = 0.0, 1, 1
    failed = skipped = done = 0
    start = perf_counter()
    for benchmark in benchmarks():
        name = f"{benchmark.module}.{benchmark.owner.__name__}.{benchmark.method}"
        for values in benchmark.smallest():
            try:
                figure = benchmark.run(*values)
            except NotImplementedError:
                skipped += 1
                continue
            except Exception as error:  # noqa: BLE001 (all of them are reported)
                failed += 1
                print(f"FAILED {name}{values}: {type(error).__name__}: {error}")
                continue
            skipped += math.isnan(figure)
            done += 1
            print(f"{figure:14.6g} {benchmark.unit:16} {name} {', '.join(map(str, values))}")
    seconds = perf_counter() - start
    print(f"{done} benchmarks in {seconds:.0f} s; {skipped} left out, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())

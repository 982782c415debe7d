"""Many histories at once."""

import os
from collections.abc import Iterable
from typing import TypeVar

from chatfold._options import integer
from chatfold.compaction import compact
from chatfold.errors import HistoriesError
from chatfold.overhead import Overhead
from chatfold.strategies import StrategyLike, as_strategy
from chatfold.tokenizers import TokenizerLike, resolve

__all__ = ["compact_many"]

M = TypeVar("M")


def compact_many(
    histories: Iterable[Iterable[M]],
    strategy: StrategyLike,
    *,
    tokenizer: TokenizerLike = None,
    overhead: Overhead | None = None,
    max_workers: int | None = None,
) -> list[list[M]]:
    """Compact many lists of messages in parallel.

    Reading messages takes the interpreter; long counts run without it, side by side.

    Args:
        histories: Lists of messages; none is changed.
        strategy: A strategy that needs no model; for all of them.
        tokenizer: What to count with; by default the strategy's own, else the estimator.
        overhead: What counts beside text.
        max_workers: The most threads; by default one for each processor.

    Returns:
        A new list for each history, in order; see :func:`chatfold.compact`.

    Raises:
        HistoriesError: Some histories failed; names their positions and holds the other results.
    """
    chosen = as_strategy("strategy", strategy)
    counter = None if tokenizer is None else resolve(tokenizer)
    workers = os.cpu_count() or 1
    if max_workers is not None:
        workers = integer("max_workers", max_workers, at_least=1)

    def one(history: Iterable[M]) -> list[M] | Exception:
        try:
            return compact(history, chosen, tokenizer=counter, overhead=overhead)
        except Exception as error:  # noqa: BLE001 (reported by position below)
            return error

    # Here, since it takes longer to import than all of chatfold.
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415

    with ThreadPoolExecutor(workers, thread_name_prefix="chatfold") as pool:
        outcomes = list(pool.map(one, histories))
    results = [None if isinstance(outcome, Exception) else outcome for outcome in outcomes]
    errors = {at: each for at, each in enumerate(outcomes) if isinstance(each, Exception)}
    if errors:
        raise HistoriesError(results, errors)
    return [result for result in results if result is not None]

"""Many histories at once."""

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

from chatfold import _core
from chatfold._options import integer
from chatfold._traced import wants_reports
from chatfold.compaction import build_index, compact
from chatfold.errors import HistoriesError
from chatfold.index import MessageIndex
from chatfold.overhead import Overhead
from chatfold.strategies import Strategy, StrategyLike, as_strategy
from chatfold.tokenizers import Tokenizer, TokenizerLike, counts_natively, resolve

__all__ = ["compact_many"]

M = TypeVar("M")

BATCH = 256
"""How many histories are held at a time."""


def compact_many(
    histories: Iterable[Iterable[M]],
    strategy: StrategyLike,
    *,
    tokenizer: TokenizerLike = None,
    overhead: Overhead | None = None,
    max_workers: int | None = None,
) -> list[list[M]]:
    """Compact many lists of messages in parallel.

    Messages are read one history after the other; then strategies run side by side, without the
    interpreter. Where the tokenizer or a part of the strategy is the caller's own code, they run one
    after the other.

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
        TokenizerMismatchError: ``tokenizer`` and the strategy's own are different.
    """
    chosen = as_strategy("strategy", strategy)
    counter = chosen.tokenizer if tokenizer is None else resolve(tokenizer)
    if chosen.tokenizer is not None:
        MessageIndex(tokenizer=counter).use_tokenizer(chosen.tokenizer)
    threads = os.cpu_count() or 1
    if max_workers is not None:
        threads = integer("max_workers", max_workers, at_least=1)
    alone = chosen._callables or not counts_natively(counter) or wants_reports()
    results: list[list[M] | None] = []
    errors: dict[int, Exception] = {}
    for start, batch in _batches(histories):
        if alone:
            outcomes = [_one(history, chosen, counter, overhead) for history in batch]
        else:
            outcomes = _together(batch, chosen, counter, overhead, threads)
        errors |= {
            start + at: outcome
            for at, outcome in enumerate(outcomes)
            if isinstance(outcome, Exception)
        }
        results += [None if isinstance(each, Exception) else each for each in outcomes]
    if errors:
        raise HistoriesError(results, errors)
    return [result for result in results if result is not None]


def _batches(histories: Iterable[Iterable[M]]) -> Iterator[tuple[int, list[Iterable[M]]]]:
    """Read a stream of histories a few at a time, each batch with the position of its first."""
    stream, start = iter(histories), 0
    while batch := list(islice(stream, BATCH)):
        yield start, batch
        start += len(batch)


def _one(
    history: Iterable[M],
    strategy: Strategy,
    tokenizer: Tokenizer | None,
    overhead: Overhead | None,
) -> list[M] | Exception:
    try:
        return compact(history, strategy, tokenizer=tokenizer, overhead=overhead)
    except Exception as error:  # noqa: BLE001 (reported by position)
        return error


def _together(
    batch: list[Iterable[M]],
    strategy: Strategy,
    tokenizer: Tokenizer | None,
    overhead: Overhead | None,
    threads: int,
) -> list[list[M] | Exception]:
    """Read all histories, then run them side by side without the interpreter."""
    indexes: list[MessageIndex | Exception] = []
    for history in batch:
        try:
            indexes.append(build_index(history, strategy, tokenizer, overhead))
        except Exception as error:  # noqa: BLE001 (reported by position)
            indexes.append(error)
    readable = [index for index in indexes if isinstance(index, MessageIndex)]
    failures = iter(_core.compact_all(readable, strategy._native, threads))
    return [
        index if isinstance(index, Exception) else next(failures) or index.included_messages()
        for index in indexes
    ]

"""One-off compaction: a list of messages in, a shorter valid one out."""

from collections.abc import Iterable
from typing import Any, TypeVar

from chatfold import _core
from chatfold._run import beside_the_loop
from chatfold._traced import wants_reports
from chatfold.errors import AsyncStrategyError
from chatfold.index import MessageIndex, check_iterable
from chatfold.overhead import Overhead
from chatfold.strategies import Strategy, StrategyLike, as_strategy
from chatfold.tokenizers import TokenizerLike

__all__ = ["apply_compaction", "compact"]

M = TypeVar("M")

LONG_LIST = 50_000
"""Reading fewer messages is over before a switch to another thread would have paid."""


def compact(
    messages: Iterable[M],
    strategy: StrategyLike,
    *,
    tokenizer: TokenizerLike = None,
    overhead: Overhead | None = None,
) -> list[M]:
    """Compact a list of messages with a strategy that needs no model.

    Args:
        messages: OpenAI chat messages; neither the list nor a message is changed.
        strategy: What to exclude or replace, and when.
        tokenizer: What to count with; by default the strategy's own, else the estimator.
        overhead: What counts beside text.

    Returns:
        A new list of the messages that are kept, the caller's own objects, in input order. A digest
        is a new message, in the place of the first message that it replaces.

    Raises:
        MessageError: A message that can't be read; names its position. Of a message that is
            excluded without having been needed, only the role is read.
        AsyncStrategyError: The strategy must be awaited: use :func:`apply_compaction`.
        TokenizerMismatchError: ``tokenizer`` and the strategy's own are different.
    """
    chosen = as_strategy("strategy", strategy)
    if chosen.is_async:
        raise AsyncStrategyError(
            f"strategy {chosen.name} must be awaited; use "
            "`await apply_compaction(messages, strategy=...)`"
        )
    index = build_index(messages, chosen, tokenizer, overhead)
    index.compact(chosen)
    return index.included_messages()


async def apply_compaction(
    messages: Iterable[M],
    *,
    strategy: StrategyLike | None = None,
    tokenizer: TokenizerLike = None,
    overhead: Overhead | None = None,
) -> list[M]:
    """Compact a list of messages with any strategy; without one, give the list back.

    Args and results are those of :func:`compact`. After an error or a cancellation nothing has
    changed, and the exception reaches the caller.
    """
    messages = messages if isinstance(messages, list) else check_iterable(messages)
    if strategy is None:
        return messages
    chosen = as_strategy("strategy", strategy)
    if len(messages) < LONG_LIST:
        index = build_index(messages, chosen, tokenizer, overhead)
    else:
        index = await beside_the_loop(build_index, messages, chosen, tokenizer, overhead)
    await index.acompact(chosen)
    return index.included_messages()


def build_index(
    messages: Iterable[Any],
    strategy: Strategy,
    tokenizer: TokenizerLike,
    overhead: Overhead | None,
) -> MessageIndex:
    """Build an index of as much of a list as decides what a strategy keeps of it."""
    chosen = strategy.tokenizer if tokenizer is None else tokenizer
    index = MessageIndex(tokenizer=chosen, overhead=overhead)
    listed = messages if isinstance(messages, list) else check_iterable(messages)
    # A report tells of all messages; without one, those that surely go are not read.
    if not wants_reports() and _core.read_newest(index, listed, strategy._native):
        return index
    index.extend(listed)
    return index

"""How old tool results fade in a window: their age is a share of what is still in its list."""

from logging import DEBUG
from math import ceil
from typing import Any

from chatfold.index import MessageIndex
from chatfold.strategies import ContextPruningStrategy, PipelineCompactionStrategy, Strategy
from chatfold.window.debug import logger
from chatfold.window.prunings import log_prunings, sent

_RATIOS = {"soft_trim_ratio": 0.3, "hard_clear_ratio": 0.5}
"""The shares of an age, and what they are where they are not given."""


class Fading:
    """The pruning of a window.

    A strategy takes ages as shares of all messages of an index, and the index of a window has
    what was dropped and summarized too: on a long day nothing that is still sent would ever be old.
    """

    def __init__(self, strategy: Strategy | None) -> None:
        """Take the strategy; None prunes nothing."""
        self._strategy = strategy
        self._ages = strategy is not None and _has_ages(strategy)

    def prune(self, index: MessageIndex) -> int:
        """Shorten what is old in the list of what is included.

        Returns:
            How many groups had results shortened.
        """
        if self._strategy is None:
            return 0
        before = sent(index) if logger.isEnabledFor(DEBUG) else None
        length, messages = max(1, index.included_message_count), len(index)
        strategy = self._strategy
        if self._ages and length < messages:
            strategy = _within(strategy, length, messages)
        steps = index.compact(strategy).steps
        pruned = sum(step.groups for step in steps)
        if before is not None and pruned:
            log_prunings(self._strategy, before, sent(index))
        return pruned


def _has_ages(strategy: Strategy) -> bool:
    """Tell whether a strategy, or a part of it, takes ages as shares of all messages."""
    if type(strategy) is PipelineCompactionStrategy:
        return any(map(_has_ages, strategy.strategies))
    return (
        type(strategy) is ContextPruningStrategy and strategy._made[1].get("basis", "age") == "age"
    )


def _within(strategy: Strategy, length: int, messages: int) -> Strategy:
    """Make a strategy that takes ages as shares of a list of so many, the end of all messages."""
    if not _has_ages(strategy):
        return strategy
    if isinstance(strategy, PipelineCompactionStrategy):
        parts = (_within(part, length, messages) for part in strategy.strategies)
        return PipelineCompactionStrategy(*parts)
    options: dict[str, Any] = strategy._made[1]
    ratios = {
        name: _distance(options.get(name, default), length) / messages
        for name, default in _RATIOS.items()
    }
    return ContextPruningStrategy(**{**options, **ratios})


def _distance(ratio: float, length: int) -> int:
    """Give the least distance from the end that is such a share of the list."""
    # The product may be rounded to either side of the quotient that a strategy asks for.
    distance = max(1, ceil(ratio * length) - 1)
    while distance / length < ratio:
        distance += 1
    return distance

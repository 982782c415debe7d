"""Tool results that the assistant has answered, down to a share of a budget."""

from chatfold import _core
from chatfold._options import integer
from chatfold.strategies.base import Strategy, gate
from chatfold.triggers import TriggerLike

_CHARS_PER_TOKEN = 4
_SHORTEST = 64
"""A limit that a marker fits into."""


class ObservationMaskingStrategy(Strategy):
    """Shortens *consumed* tool results: those after which the assistant has written text.

    All consumed results of the list share a budget; the share grows evenly with recency, from one
    part for the oldest to five for the newest. A result over its share keeps its start and its end,
    with a marker between them; where it has several text parts, these share what the whole may have
    as those of ``OversizeClampingStrategy`` do. Results with images or other binary parts are left alone, and so are
    those that the assistant has not answered yet. What is masked stays so until ``index.restore``.

    Args:
        token_budget: What all consumed results may take, at four characters a token; by default
            each of them may have ``min_chars``.
        min_chars: The characters that every result may have, whatever its share; at least 64.
        trigger: Starts where this is true; by default always.
        target: Stops where this is true; by default where ``trigger`` no longer is.

    Raises:
        OptionError: A wrong value; names the option.
        OptionTypeError: A wrong type; names the option.
    """

    def __init__(
        self,
        *,
        token_budget: int | None = None,
        min_chars: int = 300,
        trigger: TriggerLike | None = None,
        target: TriggerLike | None = None,
    ) -> None:
        """Check the options."""
        budget = None
        if token_budget is not None:
            tokens = integer("token_budget", token_budget, at_least=1)
            budget = min(tokens, 2**56) * _CHARS_PER_TOKEN
        least = integer("min_chars", min_chars, at_least=_SHORTEST)
        when, callables = gate(trigger, target)
        native = _core.Strategy.observation_masking(when, budget, least)
        self._set(native, callables)

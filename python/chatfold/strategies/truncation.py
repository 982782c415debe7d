"""Truncation: excludes the oldest groups."""

from chatfold import _core
from chatfold._options import flag, integer, only_one, small
from chatfold._types import Callables
from chatfold.errors import OptionError
from chatfold.strategies.base import Strategy, gate
from chatfold.tokenizers import TokenizerLike, resolve
from chatfold.triggers import TriggerLike

_TOO_MANY = "a truncation has either a threshold (max_n, compact_to) or a trigger (trigger, target)"


class TruncationStrategy(Strategy):
    """Excludes the oldest groups.

    Args:
        max_n: Starts where more than this is included: tokens where a ``tokenizer`` is given, else
            messages.
        compact_to: Stops at this much of the same; ``max_n`` by default.
        trigger: Starts where this is true, in place of ``max_n``.
        target: Stops where this is true; by default where ``trigger`` no longer is.
        tokenizer: Counts tokens; see :mod:`chatfold.tokenizers`.
        minimum_preserved: The newest non-system groups that always stay; 1 with ``max_n``, 32 with
            ``trigger``.
        preserve_system: Keep system and developer messages.
        preserve_first_user_group: Keep the first user message.
        preserve_last_user_group: Keep the newest user message, so that an agent keeps its task.

    Raises:
        OptionError: A wrong value; names the option.
        OptionTypeError: A wrong type; names the option.

    Example:
        >>> from chatfold import TruncationStrategy, compact
        >>> history = [{"role": "user", "content": str(n)} for n in range(100)]
        >>> [message["content"] for message in compact(history, TruncationStrategy(max_n=3))]
        ['97', '98', '99']
    """

    def __init__(
        self,
        *,
        max_n: int | None = None,
        compact_to: int | None = None,
        trigger: TriggerLike | None = None,
        target: TriggerLike | None = None,
        tokenizer: TokenizerLike = None,
        minimum_preserved: int | None = None,
        preserve_system: bool = True,
        preserve_first_user_group: bool = False,
        preserve_last_user_group: bool = True,
    ) -> None:
        """Check the options."""
        chosen = None if tokenizer is None else resolve(tokenizer)
        metric = "messages" if chosen is None else "tokens"
        if max_n is not None:
            when, callables = _threshold(metric, max_n, compact_to, trigger, target)
        elif trigger is None:
            raise OptionError("max_n and trigger were both left out; say when to truncate")
        elif compact_to is not None:
            raise only_one("compact_to", "trigger", _TOO_MANY)
        else:
            when, callables = gate(trigger, target)
        default = 32 if max_n is None else 1
        newest = default if minimum_preserved is None else minimum_preserved
        keep = (
            flag("preserve_system", preserve_system),
            flag("preserve_first_user_group", preserve_first_user_group),
            flag("preserve_last_user_group", preserve_last_user_group),
            small("minimum_preserved", newest, at_least=1),
        )
        self._core_options = (when, keep)
        self._set(_core.Strategy.truncation(when, keep), callables, chosen)

    def _sparing(self, group: _core.MessageGroup | None) -> "TruncationStrategy":
        """Give this strategy for one run, in which it keeps one group more."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._native = _core.Strategy.truncation(*self._core_options, group)
        return other


def _threshold(
    metric: str,
    max_n: int,
    compact_to: int | None,
    trigger: TriggerLike | None,
    target: TriggerLike | None,
) -> tuple[tuple[_core.Trigger, _core.Trigger | None], Callables]:
    if trigger is not None:
        raise only_one("max_n", "trigger", _TOO_MANY)
    if target is not None:
        raise only_one("max_n", "target", _TOO_MANY)
    limit = integer("max_n", max_n, at_least=1)
    goal = limit if compact_to is None else integer("compact_to", compact_to, at_least=1)
    if goal > limit:
        raise OptionError(f"compact_to is {goal} and max_n {limit}; compact_to is at most max_n")
    exceeds = _core.Trigger.exceeds
    return (exceeds(metric, limit), _core.Trigger.negated(exceeds(metric, goal))), {}

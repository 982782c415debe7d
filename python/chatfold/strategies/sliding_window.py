"""Sliding window: keeps the newest groups or turns."""

from chatfold import _core
from chatfold._options import flag, only_one, small
from chatfold.errors import OptionError
from chatfold.strategies.base import Strategy, gate, given
from chatfold.triggers import TriggerLike


class SlidingWindowStrategy(Strategy):
    """Keeps the newest groups or turns and excludes what is older.

    A turn is a user message and all that follows up to the next one. A turn window keeps whole
    turns, and what precedes the first user message.

    Args:
        keep_last_groups: How many of the newest non-system groups stay.
        keep_last_turns: How many of the newest turns stay.
        trigger: Starts where this is true; by default always. With a trigger alone it is a turn
            window of ``minimum_preserved`` turns.
        target: Stops where this is true; by default where ``trigger`` no longer is.
        minimum_preserved: The size of the window where neither of the first two is given; 1 turn.
        preserve_system: Keep system and developer messages.
        preserve_last_user_group: Keep the newest user message, so that an agent keeps its task.

    Raises:
        OptionError: A wrong value; names the option.
        OptionTypeError: A wrong type; names the option.
    """

    def __init__(
        self,
        *,
        keep_last_groups: int | None = None,
        keep_last_turns: int | None = None,
        trigger: TriggerLike | None = None,
        target: TriggerLike | None = None,
        minimum_preserved: int | None = None,
        preserve_system: bool = True,
        preserve_last_user_group: bool = True,
    ) -> None:
        """Check the options."""
        sizes = given(
            keep_last_groups=keep_last_groups,
            keep_last_turns=keep_last_turns,
            minimum_preserved=minimum_preserved,
        )
        if len(sizes) > 1:
            first, second, *_ = sizes
            raise only_one(first, second, "a window has one size")
        if not sizes and trigger is None:
            raise OptionError(
                "keep_last_groups and keep_last_turns were both left out; say how much to keep"
            )
        name, size = next(iter(sizes.items()), ("minimum_preserved", 1))
        window = small(name, size, at_least=1)
        when, callables = gate(trigger, target)
        keep = (
            flag("preserve_system", preserve_system),
            False,
            flag("preserve_last_user_group", preserve_last_user_group),
            1,
        )
        turns = name != "keep_last_groups"
        native = _core.Strategy.sliding_window(when, keep, turns, window)
        self._set(native, callables)

"""Triggers: questions about what is included in an index. A target is a trigger too.

Combine them with :func:`all_of` and :func:`any_of`, or with ``&``, ``|`` and ``~``. Any callable
``(MessageIndex) -> bool`` is a trigger as well. Token counts are exact, and counted only until the
question is decided.

Example:
    >>> from chatfold import triggers
    >>> triggers.tokens_exceed(32_000) & ~triggers.has_tool_calls()
    tokens_exceed(32000) & ~has_tool_calls()
"""

import itertools
from collections.abc import Callable
from operator import invert
from typing import TYPE_CHECKING, Any, Union

from chatfold import _core
from chatfold._options import integer
from chatfold._types import Callables
from chatfold.errors import OptionTypeError

if TYPE_CHECKING:
    from chatfold.index import MessageIndex

__all__ = [
    "Trigger",
    "TriggerLike",
    "all_of",
    "always",
    "any_of",
    "bytes_exceed",
    "groups_exceed",
    "has_tool_calls",
    "messages_exceed",
    "never",
    "tokens_below",
    "tokens_exceed",
    "turns_exceed",
]

TriggerLike = Union["Trigger", Callable[["MessageIndex"], bool]]
"""A trigger, or any callable that takes the index and says yes or no."""

_numbers = itertools.count()


def register(function: Callable[..., Any]) -> tuple[int, Callables]:
    """Give a function of the caller's own a number, by which the core calls it."""
    number = next(_numbers)
    return number, {number: function}


class Trigger:
    """A condition on the included groups of an index; call it with an index to ask."""

    __slots__ = ("_callables", "_made", "_native", "_text")

    def __init__(
        self,
        native: _core.Trigger,
        text: str,
        made: tuple[Callable[..., "Trigger"], tuple[Any, ...]],
        callables: Callables | None = None,
    ) -> None:
        """Wrap a trigger of the core; use the functions of this module instead."""
        self._made = made
        self._native = native
        self._text = text
        self._callables = dict(callables or {})

    def __call__(self, index: "MessageIndex") -> bool:
        """Ask whether the condition holds for an index now."""
        return _core.ask(self._native, index, self._callables)

    def __and__(self, other: TriggerLike) -> "Trigger":
        """Both hold."""
        return all_of(self, other)

    def __rand__(self, other: TriggerLike) -> "Trigger":
        """Both hold."""
        return all_of(other, self)

    def __or__(self, other: TriggerLike) -> "Trigger":
        """One of them holds."""
        return any_of(self, other)

    def __ror__(self, other: TriggerLike) -> "Trigger":
        """One of them holds."""
        return any_of(other, self)

    def __invert__(self) -> "Trigger":
        """It does not hold."""
        text = f"({self._text})" if " " in self._text else self._text
        return Trigger(
            _core.Trigger.negated(self._native), f"~{text}", (invert, (self,)), self._callables
        )

    def __repr__(self) -> str:
        """Show how it was written."""
        return self._text

    def __copy__(self) -> "Trigger":
        """It never changes, so that it is its own copy."""
        return self

    def __deepcopy__(self, _memo: object) -> "Trigger":
        """It never changes, so that it is its own copy."""
        return self

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Pickle how it was made."""
        return self._made


def as_trigger(name: str, value: TriggerLike) -> Trigger:
    """Take a trigger, or wrap a callable as one."""
    if isinstance(value, Trigger):
        return value
    if isinstance(value, type) or not callable(value):
        raise OptionTypeError(
            f"{name} is {value!r}; pass one of chatfold.triggers or a callable that takes the index"
        )
    number, callables = register(value)
    text = getattr(value, "__name__", type(value).__name__)
    made = (as_trigger, (name, value))
    return Trigger(_core.Trigger.custom(number), text, made, callables)


def _constant(name: str) -> Trigger:
    """Give one of the two triggers that never ask."""
    known = globals().get(name)
    if isinstance(known, Trigger):
        return known
    return Trigger(_core.Trigger.constant(value=name == "always"), name, (_constant, (name,)))


always = _constant("always")
"""Holds for every index."""

never = _constant("never")
"""Holds for no index."""


def _exceeds(metric: str, n: int) -> Trigger:
    name = f"{metric}_exceed"
    limit = integer(f"n of {name}", n, at_least=0)
    made = (_exceeds, (metric, limit))
    return Trigger(_core.Trigger.exceeds(metric, limit), f"{name}({limit})", made)


def tokens_exceed(n: int) -> Trigger:
    """More than ``n`` tokens are included."""
    return _exceeds("tokens", n)


def tokens_below(n: int) -> Trigger:
    """Fewer than ``n`` tokens are included."""
    limit = integer("n of tokens_below", n, at_least=0)
    made = (tokens_below, (limit,))
    return Trigger(_core.Trigger.below("tokens", limit), f"tokens_below({limit})", made)


def messages_exceed(n: int) -> Trigger:
    """More than ``n`` messages are included."""
    return _exceeds("messages", n)


def turns_exceed(n: int) -> Trigger:
    """More than ``n`` turns have included messages; what precedes the first does not count."""
    return _exceeds("turns", n)


def groups_exceed(n: int) -> Trigger:
    """More than ``n`` groups are included, system groups among them."""
    return _exceeds("groups", n)


def bytes_exceed(n: int) -> Trigger:
    """More than ``n`` UTF-8 bytes of text are included; not those of images, audio, files and JSON."""
    return _exceeds("bytes", n)


def has_tool_calls() -> Trigger:
    """Some included group is a tool-call group."""
    return Trigger(_core.Trigger.has_tool_calls(), "has_tool_calls()", (has_tool_calls, ()))


def _joined(name: str, sign: str, given: tuple[TriggerLike, ...]) -> Trigger:
    if not given:
        raise OptionTypeError(f"{name}() got no trigger; pass at least one")
    triggers = [as_trigger(f"argument {at} of {name}", each) for at, each in enumerate(given)]
    join = _core.Trigger.all_of if name == "all_of" else _core.Trigger.any_of
    texts = [f"({each!r})" if " " in repr(each) else repr(each) for each in triggers]
    callables = {number: call for each in triggers for number, call in each._callables.items()}
    made = (_joined, (name, sign, given))
    return Trigger(join([each._native for each in triggers]), sign.join(texts), made, callables)


def all_of(*triggers: TriggerLike) -> Trigger:
    """All of these hold; asked in order, up to the first that does not."""
    return _joined("all_of", " & ", triggers)


def any_of(*triggers: TriggerLike) -> Trigger:
    """One of these holds; asked in order, up to the first that does."""
    return _joined("any_of", " | ", triggers)

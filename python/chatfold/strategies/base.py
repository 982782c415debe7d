"""What all strategies have in common."""

from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, Any, Self, TypeAlias, Union

from chatfold import _core
from chatfold._types import Callables
from chatfold.errors import OptionTypeError, TokenizerMismatchError
from chatfold.tokenizers import Tokenizer
from chatfold.triggers import Trigger, TriggerLike, always, as_trigger, register

if TYPE_CHECKING:
    from chatfold.index import MessageIndex

StrategyLike: TypeAlias = Union[
    "Strategy",
    Callable[["MessageIndex"], bool],
    Callable[["MessageIndex"], Awaitable[bool]],
]
"""A strategy, or a plain or async callable that takes the index and says whether it changed it."""


class Strategy:
    """A strategy of the core, or a callable made one.

    Attributes:
        tokenizer: What it counts with; None leaves that to the index.
    """

    tokenizer: Tokenizer | None = None
    _made: tuple[tuple[Any, ...], dict[str, Any]]
    _native: _core.Strategy
    _callables: Callables
    _has_budget = False

    def __new__(cls, *args: Any, **options: Any) -> Self:  # noqa: ANN401 (of any constructor)
        """Remember how it is made, so that it can be pickled and shown."""
        self = super().__new__(cls)
        self._made = (args, options)
        return self

    def __copy__(self) -> Self:
        """It never changes, so that it is its own copy."""
        return self

    def __deepcopy__(self, _memo: object) -> Self:
        """It never changes, so that it is its own copy."""
        return self

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Pickle how it was made; functions of the caller's own must be ones that pickle."""
        return _make, (type(self), *self._made)

    def _set(
        self,
        native: _core.Strategy,
        callables: Callables,
        tokenizer: Tokenizer | None = None,
    ) -> None:
        self._native = native
        self._callables = callables
        self.tokenizer = tokenizer

    @property
    def name(self) -> str:
        """Its name in reports."""
        return type(self).__name__

    @property
    def is_async(self) -> bool:
        """Whether a part of it must be awaited for certain."""
        return any(_is_async(function) for function in self._callables.values())

    def __call__(self, index: "MessageIndex") -> bool:
        """Run it on an index, as a part of a strategy of your own; say whether it changed it."""
        return index.compact(self).changed

    def __repr__(self) -> str:
        """Show how it was made, with every option that was given."""
        args, options = self._made
        given = [*map(_shown, args), *(f"{name}={_shown(each)}" for name, each in options.items())]
        return f"{type(self).__name__}({', '.join(given)})"


def _shown(value: object) -> str:
    """Show a function by its name, which says more than its address."""
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        return f"[{', '.join(map(_shown, value))}]"
    return getattr(value, "__name__", None) or repr(value)


def _make(cls: type[Strategy], args: tuple[Any, ...], options: dict[str, Any]) -> Strategy:
    return cls(*args, **options)


def _is_async(function: object) -> bool:
    call = type(function).__call__ if callable(function) else None
    # Here, since it takes longer to import than all of chatfold, and few strategies are callables.
    import inspect  # noqa: PLC0415

    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(call)


class CustomStrategy(Strategy):
    """A callable of the caller's own as a strategy."""

    def __init__(self, function: Callable[..., Any]) -> None:
        """Wrap it."""
        number, callables = register(function)
        self._set(_core.Strategy.custom(number), callables)
        self.function = function
        tokenizer = getattr(function, "tokenizer", None)
        if callable(getattr(tokenizer, "count_tokens", None)):
            self.tokenizer = tokenizer

    @property
    def name(self) -> str:
        """The name of the callable."""
        name: str = getattr(self.function, "__name__", type(self.function).__name__)
        return name

    def __repr__(self) -> str:
        """Show the name of the callable."""
        return self.name


def as_strategy(name: str, value: StrategyLike) -> Strategy:
    """Take a strategy, or wrap a callable as one."""
    if isinstance(value, Strategy):
        return value
    if isinstance(value, (type, Trigger)) or not callable(value):
        raise OptionTypeError(
            f"{name} is {value!r}; pass a strategy or a callable that takes the index"
        )
    return CustomStrategy(value)


def gate(
    trigger: TriggerLike | None, target: TriggerLike | None
) -> tuple[tuple[_core.Trigger, _core.Trigger | None], Callables]:
    """Give trigger and target as the core takes them."""
    when = always if trigger is None else as_trigger("trigger", trigger)
    until = None if target is None else as_trigger("target", target)
    callables = dict(when._callables)
    if until is not None:
        callables |= until._callables
    return (when._native, None if until is None else until._native), callables


def given(**options: object) -> dict[str, object]:
    """Keep the options that were given."""
    return {name: value for name, value in options.items() if value is not None}


def common_tokenizer(
    own: Tokenizer | None, name: str, strategies: Iterable[Strategy]
) -> Tokenizer | None:
    """Find the one tokenizer of a composition.

    Raises:
        TokenizerMismatchError: There are two different ones.
    """
    owner = name
    for strategy in strategies:
        if strategy.tokenizer is None:
            continue
        if own is None:
            own, owner = strategy.tokenizer, strategy.name
        elif own != strategy.tokenizer:
            raise TokenizerMismatchError(
                f"{owner} counts with {own!r} and {strategy.name} with {strategy.tokenizer!r}; "
                "give all strategies of a composition the same tokenizer, or only one of them any"
            )
    return own

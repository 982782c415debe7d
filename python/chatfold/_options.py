"""Checks of constructor options: each error names the option, the value and what to do."""

from collections.abc import Iterable, Sequence

from chatfold.errors import OptionError, OptionTypeError

LARGEST = 2**63 - 1
_LONGEST = 80
_FEW = 1_000


def shown(value: object) -> str:
    """Show any value, and not at any length."""
    try:
        text = repr(value) if _is_small(value) else f"<{type(value).__name__} of {len(value)}>"  # type: ignore[arg-type]  # of a container
    except (ValueError, RecursionError):
        # Python refuses to write numbers of thousands of digits.
        return f"<{type(value).__name__} that is too large to show>"
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _is_small(value: object) -> bool:
    """Tell whether there are few values in a value; an alias of aliases may stand for billions."""
    left, around = _FEW, [value]
    while around and left:
        each = around.pop()
        left -= 1
        if isinstance(each, (list, tuple, set, frozenset)):
            around += list(each)[:left]
        elif isinstance(each, dict):
            around += list(each.values())[:left]
    return left > 0


def integer(name: str, value: object, *, at_least: int, hint: str = "") -> int:
    """Take a whole number, no bool, of at least some size."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise OptionTypeError(f"{name} is {value!r}; pass a whole number of at least {at_least}")
    number = int(value.__index__())
    if number > LARGEST:
        raise OptionError(f"{name} is {shown(number)}; pass a whole number of at most {LARGEST}")
    if number < at_least:
        raise OptionError(f"{name} is {number}; pass a whole number of at least {at_least}{hint}")
    return number


def small(name: str, value: object, *, at_least: int) -> int:
    """Take a whole number of groups, turns or tokens; more than exist is as good as all."""
    return min(integer(name, value, at_least=at_least), 2**32 - 2)


def ratio(name: str, value: object) -> float:
    """Take a share: more than 0, at most 1."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise OptionTypeError(f"{name} is {value!r}; pass a number over 0 and up to 1")
    if not 0 < value <= 1:
        raise OptionError(f"{name} is {value!r}; pass a number over 0 and up to 1")
    return float(value)


def flag(name: str, value: object) -> bool:
    """Take True or False, nothing that merely looks like it."""
    if not isinstance(value, bool):
        raise OptionTypeError(f"{name} is {value!r}; pass True or False")
    return value


def sequence(name: str, value: object, of: str) -> None:
    """Refuse what is no sequence of things, text above all."""
    if isinstance(value, (str, bytes)) or not isinstance(value, Sequence):
        raise OptionTypeError(f"{name} is {value!r}; pass a list of {of}")


def text(name: str, value: object) -> str:
    """Take a text."""
    if not isinstance(value, str):
        raise OptionTypeError(f"{name} is {value!r}; pass a text")
    return value


def utf8_text(name: str, value: object) -> str:
    """Take a text that has UTF-8: one without lone surrogates."""
    checked = text(name, value)
    try:
        checked.encode()
    except UnicodeEncodeError as error:
        raise OptionError(
            f"{name} is {checked!r}, with a lone surrogate at {error.start}; leave that out"
        ) from None
    return checked


def choice(name: str, value: object, allowed: Iterable[str]) -> str:
    """Take one of some words."""
    words = tuple(allowed)
    if value not in words:
        listed = " or ".join(repr(word) for word in words)
        raise OptionError(f"{name} is {value!r}; pass {listed}")
    return str(value)


def function(name: str, value: object) -> None:
    """Refuse what can't be called."""
    if not callable(value):
        raise OptionTypeError(f"{name} is {value!r}; pass a function")


def only_one(first: str, second: str, why: str) -> OptionError:
    """Build the error for two options that exclude each other."""
    return OptionError(f"{first} and {second} were both given; {why}")

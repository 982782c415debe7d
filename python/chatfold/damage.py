"""Says in words what is wrong with a saved state."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from chatfold._options import shown

Shape: TypeAlias = Callable[[str, object], Iterator[str]]
"""Tells what is wrong with a value at a path."""

_MOST = 2**32 - 1
_DIGITS = re.compile("[0-9a-f]{32}")


def whole(path: str, value: object) -> Iterator[str]:
    """Want a whole number as the core counts."""
    if not isinstance(value, int) or not 0 <= value <= _MOST:
        yield f"{path} is {shown(value)} and should be a whole number from 0 to {_MOST}"


def count(path: str, value: object) -> Iterator[str]:
    """Want a whole number of any size."""
    if type(value) is not int or value < 0:
        yield f"{path} is {shown(value)} and should be a whole number of at least 0"


def number(at_least: float, at_most: float) -> Shape:
    """Want a number between two others."""

    def check(path: str, value: object) -> Iterator[str]:
        if type(value) not in (int, float) or not at_least <= value <= at_most:  # type: ignore[operator]  # one is compared
            yield f"{path} is {shown(value)} and should be a number from {at_least} to {at_most}"

    return check


def flag(path: str, value: object) -> Iterator[str]:
    """Want true or false."""
    if not isinstance(value, bool):
        yield f"{path} is {shown(value)} and should be true or false"


def words(path: str, value: object) -> Iterator[str]:
    """Want a text that can be encoded."""
    if not isinstance(value, str):
        yield f"{path} is {shown(value)} and should be a text"
    elif value.encode("utf-8", "ignore") != value.encode("utf-8", "surrogatepass"):
        yield f"{path} is {shown(value)} and has a lone surrogate"


def digits(path: str, value: object) -> Iterator[str]:
    """Want the hexadecimal digits of 128 bits."""
    if not isinstance(value, str) or not _DIGITS.fullmatch(value):
        yield f"{path} is {shown(value)} and should be 32 hexadecimal digits"


def runs(path: str, value: object) -> Iterator[str]:
    """Want the starts and ends of runs of messages."""
    yield from each(whole)(path, value)
    if isinstance(value, (list, tuple)) and len(value) % 2:
        yield f"{path} has {len(value)} values and should have a start and an end of each run"


def one_of(*allowed: str) -> Shape:
    """Want one of some words."""

    def check(path: str, value: object) -> Iterator[str]:
        if value not in allowed:
            yield f"{path} is {shown(value)} and should be {' or '.join(allowed)}"

    return check


def or_null(inner: Shape) -> Shape:
    """Want that, or nothing."""

    def check(path: str, value: object) -> Iterator[str]:
        if value is not None:
            yield from inner(path, value)

    return check


def each(inner: Shape) -> Shape:
    """Want a list of those."""

    def check(path: str, value: object) -> Iterator[str]:
        if not isinstance(value, (list, tuple)):
            yield f"{path} is {shown(value)} and should be a list"
            return
        for at, item in enumerate(value):
            yield from inner(f"{path}[{at}]", item)

    return check


def row(*inner: Shape) -> Shape:
    """Want a list of just these, in order."""

    def check(path: str, value: object) -> Iterator[str]:
        if not isinstance(value, (list, tuple)) or len(value) != len(inner):
            yield f"{path} is {shown(value)} and should be a list of {len(inner)} values"
            return
        for at, (shape, item) in enumerate(zip(inner, value, strict=True)):
            yield from shape(f"{path}[{at}]", item)

    return check


def record(**inner: Shape) -> Shape:
    """Want these keys and values; more do no harm."""

    def check(path: str, value: object) -> Iterator[str]:
        if not isinstance(value, Mapping):
            yield f"{path or 'it'} is {shown(value)} and should be a mapping"
            return
        for name, shape in inner.items():
            at = f"{path}.{name}" if path else name
            if name in value:
                yield from shape(at, value[name])
            else:
                yield f"{at} is missing"

    return check


_STAND_IN = record(
    role=one_of("assistant", "user"),
    content=words,
    tokens=or_null(whole),
    replaces=each(row(flag, whole)),
    included=flag,
    reason=words,
    replaced=flag,
)
_SHORTENED = record(
    position=whole,
    texts=each(row(one_of("content", "part", "arguments"), whole, words)),
    size=row(whole, whole),
    tokens=or_null(whole),
    reason=words,
)
_VERSION_1 = record(
    tokens=each(or_null(whole)),
    stand_ins=each(_STAND_IN),
    protected=each(whole),
)
_VERSION_2 = record(shortened=each(_SHORTENED))
_VERSION_3 = record(settled=each(record(options=digits, stages=row(runs, runs))))
_VERSION_4 = record(
    stand_ins=each(record(decided_at=whole, written=flag, excluded_at=whole)),
    shortened=each(record(decided_at=whole)),
)
_GROUP = (whole, whole, words, flag)
_OLD_GROUPS = record(groups=each(row(*_GROUP)))
_GROUPS = record(groups=each(row(*_GROUP, whole)))


def damage(state: Mapping[str, object]) -> str:
    """Say what is wrong with the state of an index, whose version is known."""
    shapes = {
        1: [_VERSION_1, _OLD_GROUPS],
        2: [_VERSION_1, _OLD_GROUPS, _VERSION_2],
        3: [_VERSION_1, _OLD_GROUPS, _VERSION_2, _VERSION_3],
    }.get(state["version"], [_VERSION_1, _GROUPS, _VERSION_2, _VERSION_3, _VERSION_4])  # type: ignore[call-overload]  # it is known
    shapes += [record(finished=each(digits))] if "finished" in state else []
    found = (problem for shape in shapes for problem in shape("", state))
    return next(found, "it names groups or texts that the messages don't have")

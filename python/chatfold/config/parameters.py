"""Parameters of a model: what JSON can hold, since that is how they are sent."""

from collections.abc import Iterator, Mapping
from sys import float_info
from typing import Any

from chatfold.config.problems import ConfigProblem
from chatfold.config.values import UNTORN, is_torn

_DEEPEST = 64
_MOST = 100_000
"""Of values, shared ones as often as they would be sent."""

_JSON = "a text in quotes, a number, true, false, a list or a mapping"
_KEYS = "keys that are texts"
_FLAT = f"no more than {_DEEPEST} lists and mappings inside each other"
_OPEN = "nothing that holds itself"
_FEW = f"no more than {_MOST} values in all"


def parameter_problems(path: str, parameters: Mapping[Any, Any]) -> list[ConfigProblem]:
    """Find everything in parameters that can't be sent."""
    problems = []
    for number, problem in enumerate(_walk(path, parameters, ())):
        if problem is not None:
            problems.append(problem)
        if number >= _MOST:
            # An alias of aliases is short in a file and endless in a request.
            return [*problems, ConfigProblem(path, parameters, _FEW)]
    return problems


def _walk(path: str, value: object, around: tuple[int, ...]) -> Iterator[ConfigProblem | None]:
    """Visit each value: give what is wrong with it, or None."""
    inside = (*around, id(value))
    if isinstance(value, (Mapping, list, tuple)) and (
        len(around) >= _DEEPEST or id(value) in around
    ):
        yield ConfigProblem(path, value, _OPEN if id(value) in around else _FLAT)
        return
    if isinstance(value, Mapping):
        yield None
        for key, each in value.items():
            if isinstance(key, str):
                yield from _walk(f"{path}.{key}", each, inside)
            else:
                yield ConfigProblem(f"{path}.{key}", key, _KEYS)
    elif isinstance(value, (list, tuple)):
        yield None
        for at, each in enumerate(value):
            yield from _walk(f"{path}[{at}]", each, inside)
    elif isinstance(value, (int, float)) and not abs(value) <= float_info.max:
        yield ConfigProblem(path, value, "a number that JSON has")
    elif isinstance(value, str) and is_torn(value):
        yield ConfigProblem(path, value, UNTORN)
    elif value is None or isinstance(value, (bool, int, float, str)):
        yield None
    else:
        yield ConfigProblem(path, value, _JSON)

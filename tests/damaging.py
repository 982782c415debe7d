"""Saved states that something has damaged, and what may be said about them."""

import copy
import re
from typing import Any, TypeAlias

from hypothesis import strategies as st

Path: TypeAlias = tuple[Any, ...]
Damage: TypeAlias = list[tuple[Path, str, Any]]

NUMBERS = st.one_of(
    st.integers(-2, 60), st.sampled_from([2**16, 2**31, 2**32 - 1, 2**32, 2**63, 2**64, -(2**63)])
)
VALUES: st.SearchStrategy[Any] = st.one_of(
    NUMBERS,
    NUMBERS,
    st.none(),
    st.booleans(),
    st.floats(),
    st.sampled_from(["", "assistant", "user", "system", "truncation", "\ud800", "x" * 100]),
    st.builds(list),
    st.builds(dict),
    st.lists(NUMBERS, max_size=4),
    st.lists(st.tuples(st.booleans(), NUMBERS).map(list), max_size=3),
)


HOW = st.sampled_from(["set", "set", "remove", "repeat", "swap"])

OF_PYTHON = re.compile(
    r"\w+Error|NoneType|object (is|has|can)|not iterable|unpack|subscript|argument|convert|instance of|codec"
)
"""Words of Python's own errors, which say nothing about a state."""


def places(state: Any, path: Path = ()) -> list[Path]:  # noqa: ANN401
    """Give the path to every value in nested JSON."""
    found = [path]
    if isinstance(state, dict):
        found += [each for key in state for each in places(state[key], (*path, key))]
    if isinstance(state, list):
        found += [each for at, inner in enumerate(state) for each in places(inner, (*path, at))]
    return found


def damages(paths: list[Path]) -> st.SearchStrategy[Damage]:
    return st.lists(st.tuples(st.sampled_from(paths), HOW, VALUES), min_size=1, max_size=3)


def damaged(state: Any, damage: Damage) -> Any:  # noqa: ANN401 (JSON)
    """Give a damaged copy of a state."""
    state = copy.deepcopy(state)
    for path, how, value in damage:
        try:
            _damage(state, path, how, value)
        except (KeyError, IndexError, TypeError):
            continue  # an earlier damage took that place away
    return state


def _damage(state: Any, path: Path, how: str, value: Any) -> None:  # noqa: ANN401 (JSON)
    *outer, last = path
    for key in outer:
        state = state[key]
    match how:
        case "set":
            state[last] = value
        case "remove":
            del state[last]
        case "repeat" if isinstance(state, list):
            state.insert(0, copy.deepcopy(state[last]))
        case "swap" if isinstance(state, list):
            state[0], state[last] = state[last], state[0]
        case _:
            pass


def assert_in_words(error: Exception) -> None:
    """See that an error speaks of the state, not of the code that read it."""
    found = OF_PYTHON.search(str(error))
    assert found is None, f"{found}: {error}"

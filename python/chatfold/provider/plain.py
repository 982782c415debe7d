"""Messages as plain JSON types, for a saved state."""

from collections.abc import Iterable, Mapping
from typing import Any

from chatfold.errors import StateError


def plain_messages(messages: Iterable[Any]) -> list[Any]:
    """Copy messages as plain JSON types: mappings as dicts, pydantic models as what they dump.

    Raises:
        StateError: Something is no JSON; names the position of its message.
    """
    copies = []
    for position, message in enumerate(messages):
        try:
            copies.append(plain(message))
        except (TypeError, ValueError) as error:
            raise StateError(f"message {position} can't be saved as JSON: {error}") from error
    return copies


def plain(value: Any) -> Any:  # noqa: ANN401 (any JSON)
    """Copy a value as plain JSON types.

    Raises:
        TypeError: It is no JSON; names what isn't.
        ValueError: It holds itself, or is nested too deeply to be written.
    """
    try:
        return _plain(value)
    except RecursionError:
        raise ValueError("it holds itself, or is nested too deeply; make it flatter") from None


def _plain(value: Any) -> Any:  # noqa: ANN401 (any JSON)
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    if isinstance(value, Mapping):
        return {_key(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    dump = getattr(value, "model_dump", None)
    if callable(dump) and not isinstance(value, type):
        # Unset fields would come back as nulls, which no API wants to see in a message.
        return _plain(dump(mode="json", exclude_unset=True))
    raise TypeError(
        f"{value!r} is a {type(value).__name__}; use text, numbers, lists, dicts or models"
    )


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise TypeError(f"the key {key!r} is a {type(key).__name__}; use text")
    return key

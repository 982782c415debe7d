"""Small histories that broke systems of this kind, expanded from their short form."""

import copy
import json
from pathlib import Path
from typing import Any

Message = dict[str, Any]

_CASES: dict[str, dict[str, Any]] = json.loads(
    Path(__file__).with_name("cases.json").read_text(encoding="utf-8")
)


def case(name: str) -> list[Message]:
    """Give a fresh copy of the messages of a case."""
    messages: list[Message] = []
    for entry in _CASES[name]["messages"]:
        if "$each" in entry:
            for number in range(entry["from"], entry["to"]):
                messages += [expand(filled(each, number)) for each in entry["$each"]]
        else:
            messages.append(expand(copy.deepcopy(entry)))
    return messages


def expand(value: Any) -> Any:  # noqa: ANN401 (JSON)
    """Write out repeated and joined texts and lone surrogates."""
    if isinstance(value, list):
        return [expand(each) for each in value]
    if not isinstance(value, dict):
        return value
    if "$rep" in value:
        return expand(value["$rep"]) * value["n"]
    if "$cat" in value:
        return "".join(expand(each) for each in value["$cat"])
    if "$lone" in value:
        return chr(int(value["$lone"], 16))
    return {key: expand(each) for key, each in value.items()}


def filled(value: Any, number: int) -> Any:  # noqa: ANN401 (JSON)
    """Put a number in the place of {i}."""
    if isinstance(value, list):
        return [filled(each, number) for each in value]
    if isinstance(value, dict):
        return {key: filled(each, number) for key, each in value.items()}
    return value.replace("{i}", str(number)) if isinstance(value, str) else value


def pairs_are_closed(messages: list[Message]) -> bool:
    """Every result has its call before it, and every call that is not at the end its result."""
    waiting: list[str] = []
    for message in messages:
        waiting += [call["id"] for call in message.get("tool_calls") or []]
        if message["role"] == "tool":
            if message["tool_call_id"] not in waiting:
                return False
            waiting.remove(message["tool_call_id"])
        elif message["role"] == "user" and waiting:
            return False
    return True


def kinds(messages: list[Message]) -> list[str]:
    """Give the role of each message."""
    return [message["role"] for message in messages]

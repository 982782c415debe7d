"""What one chat message says: its texts, its calls, and the call that it answers."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from reference.parts import (
    flat_parts,
    is_reasoning,
    parts,
    said,
    thought,
    tool_results,
)

Message = Mapping[str, Any]
Key = tuple[str, str]

STAND_IN_OPENINGS = ("[Tool results: ", "[Tool calls: ", "[Summary]")


class Call(NamedTuple):
    """A tool call; `key` is what a result must name to answer it."""

    key: Key | None
    name: str
    arguments: str


def is_result(message: Message) -> bool:
    """Say whether a message answers calls and makes none."""
    if message["role"] == "assistant":
        return bool(inner_keys(message)) and not calls(message)
    return message["role"] in {"tool", "function"}


def key_of(kind: str, name: object) -> Key | None:
    return (kind, name) if isinstance(name, str) else None


def inner_keys(message: Message) -> list[Key]:
    """Return the keys of the calls that parts of the message answer."""
    if message["role"] not in {"assistant", "tool"}:
        return []
    found = [key_of("tool", part.get("tool_call_id")) for part in tool_results(message)]
    return [key for key in found if key is not None]


def own_key(message: Message) -> Key | None:
    """Return the key of the call that the message as a whole answers."""
    if message["role"] == "function":
        return key_of("function", message.get("name"))
    return key_of("tool", message.get("tool_call_id")) if message["role"] == "tool" else None


def result_keys(message: Message) -> list[Key]:
    own = own_key(message)
    return inner_keys(message) + ([] if own is None else [own])


def calls(message: Message) -> list[Call]:
    if message["role"] != "assistant":
        return []
    found = []
    for tool_call in message.get("tool_calls") or []:
        key = key_of("tool", tool_call.get("id"))
        inner = tool_call.get("function") or tool_call.get("custom") or {}
        arguments = inner.get("arguments", inner.get("input"))
        found.append(Call(key, inner.get("name") or "", as_text(arguments)))
    legacy = message.get("function_call")
    if legacy is not None:
        key = key_of("function", legacy.get("name"))
        found.append(Call(key, legacy.get("name") or "", as_text(legacy.get("arguments"))))
    return found


def as_text(arguments: object) -> str:
    """Return arguments as text; some frameworks hold them as objects."""
    if arguments is None:
        return ""
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def said_texts(message: Message) -> list[str]:
    """Return what the message says in its content, reasoning apart."""
    content = message.get("content")
    if isinstance(content, str):
        return [content]
    return [text for part in parts(message) if (text := said(part)) is not None]


def reasoning_field(message: Message) -> str:
    if message["role"] != "assistant":
        return ""
    return message.get("reasoning_content") or message.get("reasoning") or ""


def texts(message: Message) -> list[str]:
    """Return every text of the message, to be counted one by one."""
    found = [message["content"]] if isinstance(message.get("content"), str) else []
    for part in flat_parts(message):
        found += [said(part) or "", thought(part) or ""]
    if message["role"] == "assistant":
        found += [reasoning_field(message), message.get("refusal") or ""]
    for call in calls(message):
        found += [call.name, call.arguments]
    return [text for text in found if text != ""]


def is_reasoning_only(message: Message) -> bool:
    if message["role"] != "assistant" or calls(message):
        return False
    found = parts(message)
    speaks = any(said_texts(message)) or bool(message.get("refusal"))
    shows = any(said(part) is None and not is_reasoning(part) for part in found)
    reasons = bool(reasoning_field(message)) or any(is_reasoning(part) for part in found)
    return reasons and not speaks and not shows


def kind(message: Message) -> str:
    """Return the kind of group that the message makes when it stands alone."""
    role = message["role"]
    if role in {"system", "developer"}:
        return "system"
    if is_result(message) or calls(message):
        return "tool_call"
    if said_texts(message) and said_texts(message)[0].startswith(STAND_IN_OPENINGS):
        return "summary"
    return "user" if role == "user" else "assistant_text"

"""What one chat message says: its texts, its calls, and the call that it answers."""

from collections.abc import Mapping
from typing import Any, NamedTuple

Message = Mapping[str, Any]
Key = tuple[str, str]

TEXT_PARTS = {"text", "input_text", "output_text"}
REASONING_PARTS = {"reasoning", "thinking", "redacted_thinking"}
STAND_IN_OPENINGS = ("[Tool results: ", "[Tool calls: ", "[Summary]")


class Call(NamedTuple):
    """A tool call; `key` is what a result must name to answer it."""

    key: Key | None
    name: str
    arguments: str


def parts(message: Message) -> list[Message]:
    content = message.get("content")
    return list(content) if isinstance(content, list) else []


def is_result(message: Message) -> bool:
    return message["role"] in {"tool", "function"}


def result_key(message: Message) -> Key | None:
    if message["role"] == "function":
        name = message.get("name")
        return None if name is None else ("function", name)
    call_id = message.get("tool_call_id")
    return None if call_id is None else ("tool", call_id)


def calls(message: Message) -> list[Call]:
    if message["role"] != "assistant":
        return []
    found = []
    for tool_call in message.get("tool_calls") or []:
        call_id = tool_call.get("id")
        key = None if call_id is None else ("tool", call_id)
        function = tool_call.get("function") or {}
        custom = tool_call.get("custom") or {}
        name = function.get("name") or custom.get("name") or ""
        arguments = function.get("arguments") or custom.get("input") or ""
        found.append(Call(key, name, arguments))
    legacy = message.get("function_call")
    if legacy is not None:
        name = legacy.get("name") or ""
        found.append(Call(("function", name), name, legacy.get("arguments") or ""))
    return found


def plain_texts(message: Message) -> list[str]:
    """Return what the message says in its content, reasoning apart."""
    content = message.get("content")
    if isinstance(content, str):
        return [content]
    texts = []
    for part in parts(message):
        if part.get("type") in TEXT_PARTS:
            texts.append(part.get("text") or "")
        if part.get("type") == "refusal":
            texts.append(part.get("refusal") or "")
    return texts


def reasoning_texts(message: Message) -> list[str]:
    texts = []
    if message["role"] == "assistant":
        texts.append(message.get("reasoning_content") or message.get("reasoning") or "")
    texts += [
        part.get("text") or part.get("thinking") or ""
        for part in parts(message)
        if part.get("type") in {"reasoning", "thinking"}
    ]
    return texts


def texts(message: Message) -> list[str]:
    """Return every text of the message, to be counted one by one."""
    found = plain_texts(message) + reasoning_texts(message)
    if message["role"] == "assistant":
        found.append(message.get("refusal") or "")
    for call in calls(message):
        found += [call.name, call.arguments]
    return [text for text in found if text != ""]


def opaque_parts(message: Message) -> list[Message]:
    """Return the parts that hold no text: images, audio, files and whatever is unknown."""
    known = TEXT_PARTS | {"refusal", "reasoning", "thinking"}
    return [part for part in parts(message) if part.get("type") not in known]


def is_reasoning_only(message: Message) -> bool:
    if message["role"] != "assistant" or calls(message):
        return False
    if any(plain_texts(message)):
        return False
    if any(message.get(key) for key in ("reasoning_content", "reasoning")):
        return True
    found = parts(message)
    return found != [] and all(part.get("type") in REASONING_PARTS for part in found)


def opening(message: Message) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    for part in parts(message):
        if part.get("type") in TEXT_PARTS:
            return str(part.get("text") or "")
    return ""


def kind(message: Message) -> str:
    """Return the kind of group that the message makes when it stands alone."""
    role = message["role"]
    if role in {"system", "developer"}:
        return "system"
    if is_result(message) or calls(message):
        return "tool_call"
    if opening(message).startswith(STAND_IN_OPENINGS):
        return "summary"
    return "user" if role == "user" else "assistant_text"

"""Contents of all kinds as parts, calls and results of a chat message."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from agent_framework import Content

Part: TypeAlias = dict[str, Any]


def call_of(content: Content) -> Part | None:
    """Give a tool call as the chat format has it; None for what is no call."""
    if content.type == "function_approval_request":
        return None if content.function_call is None else call_of(content.function_call)
    read = _CALLS.get(content.type)
    if read is None:
        return None
    name, arguments = read(content)
    if not isinstance(arguments, str):
        arguments = "" if arguments is None else _json(arguments)
    function = {"name": name or "", "arguments": arguments}
    return {"id": id_of(content), "type": "function", "function": function}


def result_of(content: Content) -> Part | None:
    """Give a tool result as a part of its own; None for what is no result."""
    if content.type == "function_approval_response":
        # It says nothing, but belongs to the call that it is about.
        call = content.function_call
        return None if call is None else _result(id_of(call), [])
    read = _RESULTS.get(content.type)
    return None if read is None else _result(id_of(content), read(content))


def parts_of(content: Content) -> Iterator[Part]:
    """Give what a content that is neither call nor result says or holds."""
    kind = content.type
    if kind in _SILENT:
        return
    if kind in ("data", "uri"):
        yield _media(content)
    elif kind == "text_reasoning":
        yield {"type": "reasoning", "text": content.text}
    elif kind in _TEXTS:
        yield {"type": "text", "text": _TEXTS[kind](content)}
    elif kind == "hosted_file":
        yield {"type": "file", "file": {"file_id": content.file_id, "filename": content.name}}
    else:
        yield {"type": kind, "text": content.text}


def id_of(content: Content) -> str | None:
    """Give what links a call and its result."""
    return content.call_id or content.image_id


def _result(call_id: str | None, content: list[Part]) -> Part:
    return {"type": "tool_result", "tool_call_id": call_id, "content": content}


def _media(content: Content) -> Part:
    """Name the kind of a payload, which is never counted as text."""
    kind = (content.media_type or "").partition("/")[0]
    if kind == "image":
        return {"type": "image_url", "image_url": {"url": content.uri}}
    if kind == "audio":
        return {"type": "input_audio", "input_audio": {"data": content.uri}}
    return {"type": "file", "file": {"file_data": content.uri, "filename": content.name}}


def _error(content: Content) -> str:
    said = [content.message, content.error_code, content.error_details]
    return ": ".join(each for each in said if each)


def _shell_output(content: Content) -> str:
    said = [content.stdout, content.stderr]
    if content.exit_code:
        said.append(f"exit code {content.exit_code}")
    return "\n".join(each for each in said if each)


def _held(value: object) -> list[Part]:
    """Give the parts of whatever a hosted tool returned."""
    if value is None:
        return []
    if isinstance(value, Content):
        return list(parts_of(value))
    if isinstance(value, str):
        return [{"type": "text", "text": value}]
    if isinstance(value, Mapping):
        text = value.get("text") if value.get("type") == "text" else None
        return _held(text if isinstance(text, str) else _json(value))
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        return [part for each in value for part in _held(each)]
    return _held(str(value))


def _function_result(content: Content) -> list[Part]:
    """Give the text, and of what came beside it all that is not in the text."""
    parts = _held(content.result if content.result is None else _text(content.result))
    for item in content.items or ():
        if item.type != "text" or not parts:
            parts += parts_of(item)
    return parts


def _images(content: Content) -> list[Part]:
    """Give images, which may come as bare payloads."""
    outputs = content.outputs
    listed = (
        outputs if isinstance(outputs, Sequence) and not isinstance(outputs, str) else [outputs]
    )
    return [
        part
        for each in listed
        if each is not None
        for part in (parts_of(each) if isinstance(each, Content) else [{"type": "image"}])
    ]


def _text(value: object) -> str:
    return value if isinstance(value, str) else str(value)


def _json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError):
        return str(value)


def _inputs(content: Content) -> str:
    return "\n".join(each.text or "" for each in content.inputs or ())


_SILENT = frozenset({"usage", "function_approval_request", "function_approval_response"})

_TEXTS: dict[str, Callable[[Content], str]] = {
    "text": lambda content: content.text or "",
    "error": _error,
    "shell_command_output": _shell_output,
}

_CALLS: dict[str, Callable[[Content], tuple[str | None, object]]] = {
    "function_call": lambda call: (call.name, call.arguments),
    "mcp_server_tool_call": lambda call: (call.tool_name, call.arguments),
    "search_tool_call": lambda call: (call.tool_name, call.arguments),
    "code_interpreter_tool_call": lambda call: ("code_interpreter", _inputs(call)),
    "image_generation_tool_call": lambda _: ("image_generation", None),
    "shell_tool_call": lambda call: ("shell", "\n".join(call.commands or ())),
    "computer_tool_call": lambda call: ("computer", call.actions),
}

_RESULTS: dict[str, Callable[[Content], list[Part]]] = {
    "function_result": _function_result,
    "mcp_server_tool_result": lambda result: _held(result.output),
    "search_tool_result": lambda result: _held(result.items or result.result),
    "code_interpreter_tool_result": lambda result: _held(result.outputs),
    "image_generation_tool_result": _images,
    "shell_tool_result": lambda result: _held(result.outputs),
    "computer_tool_result": lambda result: _held(result.screenshot),
}

"""Histories of other APIs, written in the chat format: who moves to it has to do the same."""

import json
from typing import Any

from reported_faults import Message


def from_responses(items: list[Message]) -> list[Message]:
    """Write items of the Responses API as chat messages: each item is one message."""
    return [_from_item(item) for item in items]


def _from_item(item: Message) -> Message:
    match item["type"]:
        case "function_call":
            function = {"name": item["name"], "arguments": item["arguments"]}
            call = {"id": item["call_id"], "type": "function", "function": function}
            return {"role": "assistant", "content": None, "tool_calls": [call]}
        case "function_call_output":
            return {"role": "tool", "tool_call_id": item["call_id"], "content": item["output"]}
        case "reasoning":
            return {"role": "assistant", "content": [item]}
        case _:
            return {"role": item["role"], "content": item["content"]}


def from_anthropic(messages: list[Message]) -> list[Message]:
    """Write messages of the Anthropic API as chat messages; thinking stays a part as it is."""
    made: list[Message] = []
    for message in messages:
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        results = [block for block in blocks if block["type"] == "tool_result"]
        calls = [block for block in blocks if block["type"] == "tool_use"]
        rest = [block for block in blocks if block not in results and block not in calls]
        made += [
            {"role": "tool", "tool_call_id": each["tool_use_id"], "content": each["content"]}
            for each in results
        ]
        if calls:
            written = {"role": message["role"], "content": rest or None}
            made.append({**written, "tool_calls": [_call(each) for each in calls]})
        elif rest:
            made.append({"role": message["role"], "content": rest})
    return made


def _call(block: Message) -> dict[str, Any]:
    function = {"name": block["name"], "arguments": json.dumps(block["input"])}
    return {"id": block["id"], "type": "function", "function": function}

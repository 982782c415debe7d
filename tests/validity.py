"""Whether a list of chat messages is one that a model API accepts; knows nothing of groups."""

from collections.abc import Sequence
from typing import Any

Message = dict[str, Any]


def ids_of_calls(message: Message) -> list[str]:
    if message["role"] != "assistant":
        return []
    ids = [call["id"] for call in message.get("tool_calls") or []]
    legacy = message.get("function_call")
    return ids if legacy is None else [*ids, legacy["name"]]


def is_bare_reasoning(message: Message) -> bool:
    if message["role"] != "assistant" or ids_of_calls(message):
        return False
    content = message.get("content")
    reasons = "reasoning_content" in message or "reasoning" in message
    if isinstance(content, list):
        spoken = [part for part in content if part not in ("", {"type": "text", "text": ""})]
        kinds = {part["type"] for part in spoken if isinstance(part, dict)}
        only = kinds <= {"reasoning", "thinking", "redacted_thinking"}
        return only and (reasons or bool(kinds))
    return not content and reasons


def faults(messages: Sequence[Message]) -> list[str]:
    """Say what an API would refuse: each call is followed by its results, and nothing else is."""
    found = []
    waiting: list[str] = []
    for position, message in enumerate(messages):
        if message["role"] in {"tool", "function"}:
            answered = message.get("tool_call_id", message.get("name"))
            if answered in waiting:
                waiting.remove(answered)
            else:
                found.append(f"message {position} answers no call before it")
        elif not (waiting and is_bare_reasoning(message)):
            found += [
                f"before message {position} call {call_id} has no result" for call_id in waiting
            ]
            waiting = ids_of_calls(message)
    return found + [f"call {call_id} has no result at the end" for call_id in waiting]

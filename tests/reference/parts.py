"""The parts of a list content: which hold text, and what the others are."""

from collections.abc import Mapping
from typing import Any

Part = Mapping[str, Any] | str
Limits = tuple[int, int, int] | list[int]
"""The most, the head and the tail of a trimmed text."""

REASONING = {"reasoning", "thinking", "redacted_thinking"}
CLASSES = {
    "image_url": "image",
    "input_image": "image",
    "image": "image",
    "input_audio": "audio",
    "audio": "audio",
    "file": "file",
    "input_file": "file",
    "document": "file",
}


def parts(message: Mapping[str, Any]) -> list[Part]:
    content = message.get("content")
    return list(content) if isinstance(content, list) else []


def is_tool_result(part: Part) -> bool:
    return not isinstance(part, str) and part.get("type") == "tool_result"


def tool_results(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the results among the parts: one message may hold those of several calls."""
    return [part for part in parts(message) if not isinstance(part, str) and is_tool_result(part)]


def flat_parts(message: Mapping[str, Any]) -> list[Part]:
    """Return the parts, and those of a result in its place."""
    found: list[Part] = []
    for part in parts(message):
        found += (
            parts_of_result(part) if not isinstance(part, str) and is_tool_result(part) else [part]
        )
    return found


def parts_of_result(result: Mapping[str, Any]) -> list[Part]:
    content = result.get("content")
    if isinstance(content, str):
        return [content]
    # A result in a result is no result.
    return [{} if is_tool_result(part) else part for part in content or []]


def is_reasoning(part: Part) -> bool:
    return not isinstance(part, str) and part.get("type") in REASONING


def said(part: Part) -> str | None:
    """Return what a part says aloud, None where it says nothing: reasoning, images and the like."""
    if isinstance(part, str):
        return part
    kind = part.get("type")
    if kind in CLASSES or kind in REASONING or kind == "tool_result":
        return None
    text = part.get("refusal" if kind == "refusal" else "text")
    return text if isinstance(text, str) else None


def thought(part: Part) -> str | None:
    """Return the readable text of a reasoning part."""
    if isinstance(part, str) or part.get("type") not in REASONING:
        return None
    text = part.get("text", part.get("thinking"))
    return text if isinstance(text, str) else None


def part_class(part: Part) -> str | None:
    """Return the allowance that a part counts, None where its text counts."""
    if isinstance(part, str) or said(part) is not None or thought(part) is not None:
        return None
    return CLASSES.get(str(part.get("type")), "other")

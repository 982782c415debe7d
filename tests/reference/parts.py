"""The parts of a list content: which hold text, and what the others are."""

from collections.abc import Mapping
from typing import Any

Part = Mapping[str, Any] | str

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


def is_reasoning(part: Part) -> bool:
    return not isinstance(part, str) and part.get("type") in REASONING


def said(part: Part) -> str | None:
    """Return what a part says aloud, None where it says nothing: reasoning, images and the like."""
    if isinstance(part, str):
        return part
    kind = part.get("type")
    if kind in CLASSES or kind in REASONING:
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

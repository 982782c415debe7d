"""Content as text, whatever the format: what is no text is named by kind and size."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

_KINDS = {
    "image_url": "image",
    "input_image": "image",
    "image": "image",
    "input_audio": "audio",
    "audio": "audio",
    "file": "file",
    "input_file": "file",
    "document": "file",
}
_REASONING = ("reasoning", "thinking", "redacted_thinking")
_RESULT = "tool_result"
_LONGEST_LINK = 200
_LOOKED_AT = 2_000
_DEPTH = 4
_NO_PAYLOAD = ("type", "filename", "title", "detail", "format", "media_type", "mime_type")


def field(value: object, name: str) -> Any:  # noqa: ANN401 (whatever a message holds)
    """Take a field of a dict, of another mapping, or of a model object."""
    if isinstance(value, Mapping):
        return value.get(name)
    return getattr(value, name, None)


def text_field(value: object, name: str) -> str:
    """Take a field that is text; anything else is none."""
    found = field(value, name)
    return found if isinstance(found, str) else ""


def sound(text: str) -> str:
    """Join the halves of split surrogate pairs, and replace lone ones: what UTF-8 can't say."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def as_text(value: object) -> str:
    """Give arguments as text; objects as their JSON."""
    if value is None or isinstance(value, str):
        return value or ""
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except ValueError:
        return str(value)


def content_parts(content: object) -> Iterator[tuple[str, bool]]:
    """Give the text of each part, and whether it is reasoning."""
    if isinstance(content, str):
        yield content, False
    elif isinstance(content, (list, tuple)):
        for part in content:
            if text_field(part, "type") != _RESULT:
                yield _part(part)


def result_parts(content: object) -> Iterator[object]:
    """Give the parts that are tool results: some formats have several in one message."""
    if isinstance(content, (list, tuple)):
        yield from (part for part in content if text_field(part, "type") == _RESULT)


def _part(part: object) -> tuple[str, bool]:
    if isinstance(part, str):
        return part, False
    kind = text_field(part, "type")
    if kind in _REASONING:
        said = text_field(part, "text") or text_field(part, "thinking")
        return said or "\n".join(_prose(text for _, text in _texts(part, _DEPTH))), True
    if kind == "refusal":
        return text_field(part, "refusal"), False
    if kind in _KINDS:
        return _named(_KINDS[kind], part), False
    said = text_field(part, "text")
    named = f"[part of type {kind or 'unknown'}]"
    return said or "\n".join([named, *_prose(_values(_texts(part, _DEPTH)))]), False


def _named(kind: str, part: object) -> str:
    """Name a part, and give the text in it; the longest other string is its payload."""
    texts = list(_texts(part, _DEPTH))
    named = dict(texts)
    name = named.get("filename", "") or named.get("title", "")
    name = f" {name[:_LONGEST_LINK]}" if name else ""
    values = _values(texts)
    prose = list(_prose(values))
    payload = max((value for value in values if value not in prose), key=len, default="")
    return "\n".join([f"[{kind}{name}{_told(payload)}]", *prose])


def _told(payload: str) -> str:
    """Tell of a payload where it is, or how large."""
    if payload.startswith(("http://", "https://")):
        return f" {payload[:_LONGEST_LINK]}"
    header, comma, encoded = payload.partition(",")
    if comma and header.startswith("data:"):
        payload = encoded
    return f", {_size(len(payload) * 3 // 4)}" if payload else ""


def _prose(texts: Iterable[str]) -> Iterator[str]:
    """Give what is to be read: encoded bytes have no spaces, and links have none either."""
    for text in texts:
        start = text[:_LOOKED_AT]
        if (" " in start or not start.isascii()) and not start.startswith("data:"):
            yield text


def _values(texts: Iterable[tuple[str, str]]) -> list[str]:
    """Give the strings that are no names, ids or formats."""
    return [text for key, text in texts if key not in _NO_PAYLOAD and not key.endswith("id")]


def _texts(value: object, depth: int) -> Iterator[tuple[str, str]]:
    """Give the strings of a part, each with its key."""
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        value = dump()
    pairs: Iterable[tuple[object, object]] = ()
    if isinstance(value, Mapping):
        pairs = value.items()
    elif isinstance(value, (list, tuple)):
        pairs = enumerate(value)
    for key, inner in pairs:
        if isinstance(inner, str):
            yield str(key), inner
        elif depth:
            yield from _texts(inner, depth - 1)


def _size(count: int) -> str:
    kilobyte = 1000
    if count < kilobyte:
        return f"{count} bytes"
    return (
        f"{count / kilobyte:,.0f} KB" if count < kilobyte**2 else f"{count / kilobyte**2:,.1f} MB"
    )

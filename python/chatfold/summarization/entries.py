"""Groups as entries: who said what, without ids and metadata."""

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple, TypeAlias

from chatfold.index import MessageGroup
from chatfold.summarization.failures import is_failure
from chatfold.summarization.floor import speaks_as_user
from chatfold.summarization.parts import (
    as_text,
    content_parts,
    field,
    result_parts,
    sound,
    text_field,
)

Kind: TypeAlias = Literal["user", "assistant", "reasoning", "call", "result", "digest"]

SUMMARY_OPENING = "[Summary]"
"""Opens every summary; in a bare list of messages one is recognised by it."""


class Entry(NamedTuple):
    """One thing that was said, called or returned.

    Attributes:
        kind: Who said it or what it is; a digest is what an earlier compaction made of results.
        text: Its text.
        tool: The tool of a call or a result.
        failed: Whether a result reports a failure.
        kept: Whether it stays in the history and is shown for context.
    """

    kind: Kind
    text: str
    tool: str = ""
    failed: bool = False
    kept: bool = False


def summary_text(group: MessageGroup) -> str | None:
    """Give the text of a summary without its opening; None for other groups, digests too."""
    if group.kind != "summary":
        return None
    text = _joined(part for part, _ in content_parts(field(group.messages[0], "content")))
    return sound(text[len(SUMMARY_OPENING) :].strip()) if text.startswith(SUMMARY_OPENING) else None


def entries_of(group: MessageGroup, max_chars: int, *, kept: bool = False) -> Iterator[Entry]:
    """Read a group; results, reasoning and what is only context are shortened to ``max_chars``."""
    if group.kind == "summary" and not speaks_as_user(group):
        own = summary_text(group)
        text = _joined(part for part, _ in content_parts(field(group.messages[0], "content")))
        yield Entry("assistant", own) if own is not None else Entry("digest", sound(text))
        return
    names: dict[str, str] = {}
    for message in group.messages:
        role = text_field(message, "role")
        if role == "user":
            text = sound(_content(message))
            yield Entry("user", shortened(text, max_chars) if kept else text, kept=kept)
        elif role == "assistant":
            yield from _assistant(message, names, max_chars)
        yield from _results(message, role, names, max_chars)


def _assistant(message: object, names: dict[str, str], max_chars: int) -> Iterator[Entry]:
    parts = list(content_parts(field(message, "content")))
    own = text_field(message, "reasoning_content") or text_field(message, "reasoning")
    reasoning = _joined([*(text for text, thought in parts if thought), own])
    if reasoning:
        yield Entry("reasoning", shortened(sound(reasoning), max_chars))
    refusal = text_field(message, "refusal")
    spoken = text_field(field(message, "audio"), "transcript")
    text = _joined([*(text for text, thought in parts if not thought), refusal, spoken])
    if text:
        yield Entry("assistant", sound(text))
    for call in field(message, "tool_calls") or ():
        function, custom = field(call, "function"), field(call, "custom")
        inner = custom if function is None else function
        name = _name(inner)
        names[text_field(call, "id")] = name
        arguments = field(inner, "input" if function is None else "arguments")
        yield Entry("call", sound(as_text(arguments)), name)
    legacy = field(message, "function_call")
    if legacy is not None:
        yield Entry("call", sound(as_text(field(legacy, "arguments"))), _name(legacy))


def _results(message: object, role: str, names: dict[str, str], max_chars: int) -> Iterator[Entry]:
    """Read the results of a message: parts of it, and what else it says where it is a result."""
    results: list[object] = list(result_parts(field(message, "content")))
    if role in {"tool", "function"} and (not results or _content(message)):
        results.insert(0, message)
    for result in results:
        name = names.get(text_field(result, "tool_call_id")) or _name(result)
        text = sound(_content(result))
        yield Entry("result", shortened(text, max_chars), name, failed=is_failure(result, text))


def _name(named: object) -> str:
    """Give the name of a tool in one line."""
    return " ".join(sound(text_field(named, "name")).split())


def _content(message: object) -> str:
    return _joined(text for text, _ in content_parts(field(message, "content")))


def _joined(texts: Iterable[str]) -> str:
    return "\n".join(text for text in texts if text)


def shortened(text: str, max_chars: int) -> str:
    """Leave out the middle of a long text: what it starts and ends with says most."""
    if len(text) <= max_chars:
        return text
    head, tail = max_chars - max_chars // 4, max_chars // 4
    left_out = len(text) - head - tail
    return f"{text[:head]}\n[{left_out:,} characters left out]\n{text[len(text) - tail :]}"

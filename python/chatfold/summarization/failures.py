"""Failed tool results: found by what they say, and quoted, since models tend to drop them."""

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from chatfold.summarization.parts import field

if TYPE_CHECKING:
    from chatfold.summarization.entries import Entry

HEADING = "[Failed tool results]"
MAX_QUOTES = 6
MAX_QUOTE_CHARS = 200

_LOOKED_AT = 2_000
# Each of these is looked for where some letters are that a plain search finds: a pattern of all of
# them would be tried at every character. They are for text in lower case.
_OPENING = re.compile(
    r"[^\w\"']{0,8}(?:error|exception|fatal|failed|failure|panic(?:ked)?|abort(?:ed)?)\b"
)
_TRACEBACK = "\ntraceback (most recent"
_NAMES = ("error:", "exception:")
_NAMED = re.compile(r"[^\w\n]{0,8}[\w.]{0,80}(?:error|exception):")
_EXIT = re.compile(r"exit(?<!\wexit)(?:ed)?(?: with)?(?: (?:code|status))?[ :=]{1,3}-?[1-9]\d*\b")
_FIELD = re.compile(
    r"""
    "(?:is_?error"\s*:\s*true
    | (?:error|exception)"\s*:\s*(?!null|false|""|\[\s*\]|\{\s*\})[\["{\w]
    | (?:status|state|outcome)"\s*:\s*"(?:error|failed|failure)"
    | (?:ok|success)"\s*:\s*false)
    """,
    re.VERBOSE,
)
_ERROR_LINE = re.compile(
    r"^[^\w\n]{0,8}(?:E\s{1,8})?[\w.]{0,80}(?:Error|Exception)\b.*", re.MULTILINE
)


def is_failure(message: object, text: str) -> bool:
    """Tell whether a tool result reports a failure, by its flags or by what it says."""
    flagged = field(message, "is_error") is True or field(message, "status") == "error"
    return flagged or _said(text) is not None


def _said(text: str) -> str | None:
    """Give the text from where it says that something failed.

    It looks at both ends: programs say so at the start or at the end.
    """
    start = text[:_LOOKED_AT]
    at = _sign(start, opens=True)
    if at is None and len(text) > _LOOKED_AT:
        start = text[-_LOOKED_AT:]
        at = _sign(start, opens=False)
    return None if at is None else start[at:]


def _sign(text: str, *, opens: bool) -> int | None:
    """Find the first sign of a failure in a text, which may be the opening of a longer one."""
    low = _lower(text)
    found = [match.start() for pattern in (_EXIT, _FIELD) if (match := pattern.search(low))]
    found += [at for at in [f"\n{low}".find(_TRACEBACK)] if at >= 0]
    found += _named(low)
    if opens and _OPENING.match(low):
        found.append(0)
    return min(found, default=None)


def _named(low: str) -> Iterator[int]:
    """Find lines that open with the name of an error, in text in lower case."""
    for name in _NAMES:
        at = low.find(name)
        while at >= 0:
            line = low.rfind("\n", 0, at) + 1
            if _NAMED.match(low, line):
                yield line
                break
            at = low.find(name, at + 1)


def _lower(text: str) -> str:
    """Lower the ASCII letters of a text; no character changes its place."""
    if text.isascii():
        return text.lower()
    return text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")


def quote(entry: "Entry") -> str:
    """Quote a failed result in one line: from where it says that it failed."""
    said = (_said(entry.text) or entry.text).strip()
    if said.startswith("Traceback"):
        said = (_ERROR_LINE.findall(entry.text) or said.splitlines())[-1]
    line = " ".join(said[: 4 * MAX_QUOTE_CHARS].split())
    if len(line) > MAX_QUOTE_CHARS:
        line = f"{line[: MAX_QUOTE_CHARS - 1]}…"
    return f"- {entry.tool or 'tool'}: {line}"


def split_quotes(summary: str) -> tuple[str, list[str]]:
    """Take the quoted failures off the end of a summary."""
    text, heading, quotes = summary.rpartition(f"\n\n{HEADING}\n")
    return (text, quotes.splitlines()) if heading else (summary, [])


def newest_quotes(quotes: Iterable[str], said: str) -> list[str]:
    """Keep the newest quotes, each once; not those that a summary has word for word."""
    unique = list(dict.fromkeys(reversed(list(quotes))))
    missing = [each for each in unique if each.removeprefix("- ") not in said]
    return missing[:MAX_QUOTES][::-1]

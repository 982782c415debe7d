"""Failed tool results: found by what they say, and quoted, since models tend to drop them."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from chatfold.summarization.parts import field

if TYPE_CHECKING:
    from chatfold.summarization.entries import Entry

HEADING = "[Failed tool results]"
MAX_QUOTES = 6
MAX_QUOTE_CHARS = 200

_LOOKED_AT = 2_000
_SIGNS = re.compile(
    r"""
    \A[^\w"']{0,8}(?:error|exception|fatal|failed|failure|panic(?:ked)?|abort(?:ed)?)\b
    | ^Traceback\ \(most\ recent
    | ^\W{0,8}[\w.]{0,80}(?:Error|Exception)\b:
    | \bexit(?:ed)?(?:\ with)?(?:\ (?:code|status))?[\ :=]{1,3}-?[1-9]\d*\b
    | "is_?error"\s*:\s*true
    | "(?:error|exception)"\s*:\s*(?!null|false|""|\[\s*\]|\{\s*\})[\["{\w]
    | "(?:status|state|outcome)"\s*:\s*"(?:error|failed|failure)"
    | "(?:ok|success)"\s*:\s*false
    """,
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
_ERROR_LINE = re.compile(
    r"^[^\w\n]{0,8}(?:E\s{1,8})?[\w.]{0,80}(?:Error|Exception)\b.*", re.MULTILINE
)


def is_failure(message: object, text: str) -> bool:
    """Tell whether a tool result reports a failure, by its flags or by what it says."""
    flagged = field(message, "is_error") is True or field(message, "status") == "error"
    return flagged or _sign(text) is not None


def _sign(text: str) -> re.Match[str] | None:
    """Look at both ends of a text: programs say at the start or at the end that they failed."""
    start = _SIGNS.search(text[:_LOOKED_AT])
    if start is not None or len(text) <= _LOOKED_AT:
        return start
    return _SIGNS.search("\n" + text[-_LOOKED_AT:])


def quote(entry: "Entry") -> str:
    """Quote a failed result in one line: from where it says that it failed."""
    found = _sign(entry.text)
    said = entry.text.strip() if found is None else found.string[found.start() :].strip()
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

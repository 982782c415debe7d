"""The history as a summarizer sees it: inside a fence that nothing inside it can close.

Each entry stands in tags that say who speaks, so that a tool's output is never taken for the user's
words. Text that looks like one of the tags is escaped.
"""

import re
from collections.abc import Iterable

from chatfold.summarization.entries import Entry, Kind
from chatfold.summarization.failures import HEADING
from chatfold.summarization.unseen import FILLERS, UNSEEN, spelled

_LONGEST_NAME = 100
# Whatever stands between the bracket and the name of a tag is no letter: spaces, a slash, or
# characters that can't be seen, which may stand in the name, too.
_TAG = re.compile(rf"<(?=(?:[^\w<>]|[{FILLERS}])*{spelled('chat-')})", re.IGNORECASE)
# The bars of some models are wide ones.
_SPECIAL = re.compile(r"([<\[])(?=[|\uff5c]|/?(?:s|bos|eos)>|(?:start|end)_of_turn>|/?INST\])")
# Whatever a reader takes for the end of a line. What is quoted already stays as it is.
_END = r"\r\v\f\x1c-\x1e\x85\u2028\u2029"
_ROLE = "|".join(map(spelled, ("system", "developer", "sys")))
_SYSTEM = re.compile(
    rf"(?:^|(?<=[{_END}]))((?:[^\w\n{_END}]|[{FILLERS}])*)(?!(?<=\")[\w{UNSEEN}]+\")({_ROLE})"
    rf"(?=[{UNSEEN}]*(?:[^\w\n{UNSEEN}][{UNSEEN}]*){{0,4}}(?:[:\]>{_END}]|$)|\ (?:message|prompt))",
    re.IGNORECASE | re.MULTILINE,
)

_SPEAKERS: dict[Kind, str] = {
    "user": 'chat-message role="user"',
    "assistant": 'chat-message role="assistant"',
    "reasoning": 'chat-message role="assistant" part="reasoning"',
    "digest": 'chat-message role="tool" part="digest"',
}


def escaped(text: str) -> str:
    """Escape what looks like one of our tags."""
    return _TAG.sub("&lt;", text)


def neutralised(summary: str) -> str:
    """Make a summary harmless: no tags of ours, no special tokens, no role of a system message."""
    text = _SPECIAL.sub(r"\1 ", escaped(summary)).replace(HEADING, f"({HEADING[1:-1]})")
    return _SYSTEM.sub(r'\1"\2"', text)


def rendered(entry: Entry) -> str:
    """Write an entry in its tags."""
    if entry.kind in _SPEAKERS:
        opening = _SPEAKERS[entry.kind]
    else:
        name = " ".join(escaped(entry.tool).replace('"', "'").split())[:_LONGEST_NAME]
        opening = f'chat-{entry.kind} tool="{name}"'
    opening += ' failed="yes"' if entry.failed else ""
    opening += ' kept="yes"' if entry.kept else ""
    return f"<{opening}>\n{escaped(entry.text)}\n</{opening.split()[0]}>"


def fenced(entries: Iterable[Entry]) -> str:
    """Write entries inside the fence."""
    inside = "\n".join(map(rendered, entries))
    return f"<chat-history>\n{inside}\n</chat-history>"


def fenced_summary(summary: str) -> str:
    """Write the summary so far in its tags; nothing where there is none."""
    return f"<chat-summary>\n{escaped(summary)}\n</chat-summary>\n" if summary else ""


_ENTRY = re.compile(
    r'<chat-(message|call|result)(?: role="(\w+)")?(?: part="(\w+)")?(?: tool="([^"\n]*)")?'
    r'( failed="yes")?( kept="yes")?>\n(.*?)\n</chat-\1>',
    re.DOTALL,
)
_SUMMARY = re.compile(r"<chat-summary>\n(.*?)\n</chat-summary>", re.DOTALL)


def parsed(text: str) -> tuple[str, list[Entry]]:
    """Read back what was written: the summary so far and the entries."""
    summary = _SUMMARY.search(text)
    entries = []
    for kind, role, part, tool, failed, kept, said in _ENTRY.findall(text):
        own: Kind = kind if kind in ("call", "result") else part or role
        entries.append(Entry(own, said, tool, failed=bool(failed), kept=bool(kept)))
    return summary[1] if summary else "", entries

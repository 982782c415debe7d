"""A stand-in that no model writes: what can be counted, listed and quoted.

It reads the transcript, so that it is a client like any other; what it wrote before it reads back and
adds to.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from chatfold.summarization.clients import SummaryResponse
from chatfold.summarization.entries import Entry
from chatfold.summarization.failures import newest_quotes, quote
from chatfold.summarization.transcript import parsed

__all__ = ["ExtractiveSummarizer"]

_HEADER = "Counted without a model: "
_COUNTED = {"user": "user messages", "assistant": "assistant messages", "result": "tool results"}
_LISTS = ("Files", "Links", "Identifiers")
_MOST_ITEMS = 40
_OUTCOME_CHARS = 60
_CHARS_PER_TOKEN = 4

_WORD = re.compile(r"[^\s\"'`<>()\[\]{},;|]{3,200}")
_LINK = re.compile(r"https?://.+")
_NAME = r"[\w@+-][\w.@+-]"
_FILE = re.compile(
    rf"(?:~|\.{{1,2}}|[A-Za-z]:)?[\\/]?(?:[\w.@+-]+[\\/])+{_NAME}*\.[A-Za-z]\w{{0,4}}"
    rf"|{_NAME}+\.[A-Za-z]\w{{0,4}}|/(?:[\w.@+-]+/)+[\w.@+-]+"
)
_IDENTIFIER = re.compile(
    r"[A-Z][A-Z0-9]*-\d+|#\d+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    r"|(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64}|[A-Za-z]{1,12}[_-](?=\w*\d)\w{4,64}"
)


class ExtractiveSummarizer:
    """Writes a summary without a model: the same input gives the same text.

    It counts messages by role, names the tools with their last outcome, quotes failures, and lists
    the files, links and identifiers that occur. It can be the only client of a strategy, or the last
    of several.
    """

    async def summarize(
        self, messages: list[dict[str, str]], *, max_tokens: int
    ) -> SummaryResponse:
        """Write the summary of what the messages show."""
        previous, entries = parsed("\n".join(message["content"] for message in messages))
        return SummaryResponse(digest(previous, entries, max_tokens))

    def __repr__(self) -> str:
        """Show that there is nothing to set."""
        return "ExtractiveSummarizer()"


def digest(previous: str, entries: Iterable[Entry], max_tokens: int) -> str:
    """Write a digest of entries and of what a summary says already."""
    prose, found, so_far = f"\n\n{previous}".rpartition(f"\n\n{_HEADER}")
    if not found:
        prose, so_far = previous, ""
    facts = _Facts()
    facts.read_back(so_far)
    for entry in entries:
        if not entry.kept:
            facts.add(entry)
    text = f"{_HEADER}{facts.written()}"
    room = max(0, max_tokens * _CHARS_PER_TOKEN - len(text))
    prose = prose.strip()
    if len(prose) > room:
        prose = prose[: max(prose.rfind("\n", 0, room), 0)].rstrip()
    return f"{prose}\n\n{text}" if prose else text


class _Facts:
    """What can be said about entries without understanding them."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.tools: dict[str, tuple[int, str]] = {}
        self.failures: list[str] = []
        self.lists: dict[str, dict[str, None]] = {name: {} for name in _LISTS}

    def add(self, entry: Entry) -> None:
        self.counts[entry.kind] += 1
        if entry.kind == "call":
            self._used(entry.tool, 1)
        if entry.kind == "result":
            outcome = " ".join(entry.text[: 4 * _OUTCOME_CHARS].split())[:_OUTCOME_CHARS]
            self._used(entry.tool, 0, f"{'failed: ' if entry.failed else ''}{outcome}")
        if entry.failed:
            self.failures.append(quote(entry))
        for word in _WORD.findall(entry.text):
            self._list(word.rstrip(".:!?"))

    def _used(self, tool: str, times: int, outcome: str = "") -> None:
        count, last = self.tools.pop(tool, (0, ""))
        self.tools[tool] = (count + times, outcome or last)

    def _list(self, word: str) -> None:
        patterns = (("Links", _LINK), ("Files", _FILE), ("Identifiers", _IDENTIFIER))
        for name, pattern in patterns:
            if pattern.fullmatch(word):
                items = self.lists[name]
                items.pop(word, None)
                items[word] = None
                return

    def written(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield ", ".join(f"{self.counts[kind]} {name}" for kind, name in _COUNTED.items())
        for tool, (count, last) in list(self.tools.items())[-_MOST_ITEMS:]:
            yield f"Tool {tool or 'unknown'} ({count} calls): {last}"
        for failure in newest_quotes(self.failures, ""):
            yield f"Failed {failure}"
        for name in _LISTS:
            items = list(self.lists[name])[-_MOST_ITEMS:]
            if items:
                yield f"{name}: {' '.join(items)}"

    def read_back(self, text: str) -> None:
        """Take what an earlier digest says."""
        counts, *lines = text.splitlines() or [""]
        numbers = [int(number) for number in re.findall(r"\d{1,15}", counts)]
        self.counts.update(dict(zip(_COUNTED, numbers, strict=False)))
        for line in lines:
            kind, _, rest = line.partition(" ")
            tool = re.fullmatch(r"(.*?) \((\d{1,15}) calls\): (.*)", rest)
            if kind == "Tool" and tool:
                self.tools[tool[1]] = (int(tool[2]), tool[3])
            elif kind == "Failed":
                self.failures.append(rest)
            elif kind.removesuffix(":") in self.lists:
                self.lists[kind.removesuffix(":")].update(dict.fromkeys(rest.split()))

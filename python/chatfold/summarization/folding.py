"""A history in as many calls as it takes: each updates the summary that the one before wrote."""

from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from typing import NamedTuple

from chatfold.summarization.entries import Entry
from chatfold.summarization.prompts import FOCUS, FRAME
from chatfold.summarization.transcript import fenced, fenced_summary, rendered

Count = Callable[[str], int]

SMALLEST_ROOM = 256
"""Tokens of history that each call has room for at least."""

_SHORTEST_PART = 64
_WORDS_PER_TOKEN = 0.75


class Limits(NamedTuple):
    """Sizes in tokens.

    Attributes:
        input: What a call may be given.
        summary: What a summary may have.
        told: What is asked for; less than that where little is summarized.
    """

    input: int
    summary: int
    told: int


class Instructions(NamedTuple):
    """What a summarizer is told to do."""

    first: str
    update: str
    focus: str

    def messages(
        self, previous: str, entries: list[Entry], max_tokens: int
    ) -> list[dict[str, str]]:
        """Write one call."""
        frame = FRAME.format(
            max_tokens=max_tokens,
            max_words=int(max_tokens * _WORDS_PER_TOKEN),
            focus=FOCUS.format(focus=self.focus) if self.focus else "",
        )
        return [
            {"role": "system", "content": self.update if previous else self.first},
            {"role": "user", "content": f"{fenced_summary(previous)}{fenced(entries)}\n\n{frame}"},
        ]


async def fold(
    ask: Callable[[list[dict[str, str]]], Awaitable[str]],
    instructions: Instructions,
    previous: str,
    entries: list[Entry],
    *,
    limits: Limits,
    count: Count,
) -> str:
    """Summarize entries, each of them in some call; no call exceeds the limit.

    Args:
        ask: Makes a call and gives a summary within its limit.
        instructions: What each call is told.
        previous: The summary so far; one so long that little else would fit is history itself.
        entries: What came after it.
        limits: The limits.
        count: Counts tokens.
    """

    def size(summary: str, some: list[Entry]) -> int:
        messages = instructions.messages(summary, some, limits.told)
        return sum(count(message["content"]) for message in messages)

    waiting = deque(entries)
    if previous and size(previous, []) + max(SMALLEST_ROOM, limits.summary) > limits.input:
        waiting.appendleft(Entry("assistant", previous))
        previous = ""
    summary = previous
    while waiting:
        room = max(SMALLEST_ROOM, limits.input - size(summary, []))
        chunk = _take(waiting, room, count)
        while len(chunk) > 1 and size(summary, chunk) > limits.input:
            waiting.appendleft(chunk.pop())
        summary = await ask(instructions.messages(summary, chunk, limits.told))
    return summary


def _take(waiting: deque[Entry], room: int, count: Count) -> list[Entry]:
    """Take entries from the start, while there is room; the last one in part."""
    chunk: list[Entry] = []
    while waiting:
        tokens = count(rendered(waiting[0])) + 1
        if tokens > room:
            break
        room -= tokens
        chunk.append(waiting.popleft())
    if not chunk:
        # Longer than a whole call: its parts go into several.
        first, *others = _parts(waiting.popleft(), room, count)
        chunk.append(first)
        waiting.extendleft(reversed(others))
    return chunk


def _parts(entry: Entry, room: int, count: Count) -> Iterator[Entry]:
    """Halve an entry until each part fits."""
    if len(entry.text) <= _SHORTEST_PART or count(rendered(entry)) + 1 <= room:
        yield entry
        return
    at = _edge(entry.text)
    yield from _parts(entry._replace(text=entry.text[:at]), room, count)
    yield from _parts(entry._replace(text=entry.text[at:]), room, count)


def _edge(text: str) -> int:
    """Find where to halve a text: at the end of a line or of a word near the middle."""
    middle, least = len(text) // 2, len(text) // 4
    for separator in ("\n", " "):
        at = text.rfind(separator, least, middle)
        if at > 0:
            return at + 1
    return middle

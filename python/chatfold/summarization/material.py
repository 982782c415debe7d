"""What a summary is written from: read at one moment, and recognised later."""

from typing import Any, NamedTuple

from chatfold.index import MessageGroup, MessageIndex
from chatfold.summarization.entries import SUMMARY_OPENING, Entry, entries_of, summary_text
from chatfold.summarization.failures import quote, split_quotes
from chatfold.summarization.floor import floor
from chatfold.summarization.selection import Selection
from chatfold.summarization.transcript import neutralised


class Material(NamedTuple):
    """What a summary is written from.

    Attributes:
        covered: The groups that it takes the place of, each with its messages.
        fresh: How many of them are no summaries.
        bytes: UTF-8 bytes of their texts.
        previous: The summary so far.
        entries: What came after it, and what is shown for context.
        quotes: The failed tool results of all of it.
    """

    covered: list[tuple[MessageGroup, list[Any]]]
    fresh: int
    bytes: int
    previous: str
    entries: list[Entry]
    quotes: list[str]

    @property
    def groups(self) -> list[MessageGroup]:
        """The groups that the summary takes the place of."""
        return [group for group, _ in self.covered]

    @property
    def can_shrink(self) -> bool:
        """Whether any summary could be shorter."""
        return self.bytes > len(SUMMARY_OPENING) + len(" .")

    def same(self, other: "Material | None") -> bool:
        """Tell whether another one covers the very same messages."""
        return other is not None and self.covered == other.covered

    def unchanged(self, index: MessageIndex) -> bool:
        """Tell whether all that is covered may go still, with the same messages."""
        groups = [group for group in index.included_groups if group.kind != "system"]
        may_go = set(groups) - floor(index)
        return all(
            group in may_go and _messages(group) == messages for group, messages in self.covered
        )


def gather(selection: Selection, max_chars: int) -> Material:
    """Read what was selected; tool results are shortened to ``max_chars``."""
    summaries, quotes = [], []
    for group in selection.previous:
        text, quoted = split_quotes(summary_text(group) or "")
        summaries.append(text)
        quotes += quoted
    fresh = set(selection.fresh)
    entries = [
        entry
        for group in selection.shown
        for entry in entries_of(group, max_chars, kept=group not in fresh)
    ]
    if not fresh:
        # There is nothing to update the summary with: it is what is summarized.
        entries, summaries = [Entry("assistant", text) for text in summaries], []
    quotes += [quote(entry) for entry in entries if entry.failed]
    covered = [*selection.previous, *selection.fresh]
    return Material(
        covered=[(group, _messages(group)) for group in covered],
        fresh=len(fresh),
        bytes=sum(group.byte_count for group in covered),
        previous="\n\n".join(summaries),
        entries=entries,
        # They are the words of tools, and stand where the assistant speaks.
        quotes=[neutralised(each) for each in quotes],
    )


class _Same:
    """A message of the caller's, equal to nothing but itself."""

    __slots__ = ("message",)

    def __init__(self, message: object) -> None:
        self.message = message

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.message is other.message

    __hash__ = None  # type: ignore[assignment]  # compared only


def _messages(group: MessageGroup) -> list[Any]:
    """Give the messages of a group; a stand-in is a new dict each time, and known by its text."""
    messages = group.messages
    return [_Same(message) for message in messages] if group.positions else messages

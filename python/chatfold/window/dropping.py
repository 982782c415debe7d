"""Drops the oldest groups that do not fit, and remembers them until a summary has them."""

from typing import TypeAlias

from chatfold import _core
from chatfold.index import MessageGroup, MessageIndex
from chatfold.strategies import TruncationStrategy
from chatfold.summarization.entries import summary_text
from chatfold.summarization.floor import floor, speaks_as_user
from chatfold.triggers import tokens_exceed

_REASON = "truncation"

Mark: TypeAlias = tuple[list[MessageGroup], int, int]


def summary_of(index: MessageIndex) -> MessageGroup | None:
    """Find the summary that a model wrote, among what is included."""
    summaries = [group for group in index._included_summaries() if summary_text(group) is not None]
    people = {group for group in summaries if speaks_as_user(group)}
    people &= floor(index) if people else people
    return next((group for group in summaries if group not in people), None)


class Dropped:
    """The groups of an index that were dropped and that no summary has.

    Attributes:
        messages: How many messages they have.
    """

    def __init__(self, index: MessageIndex, *, remember: bool = True) -> None:
        """Find what was dropped before, which looks at every group.

        Args:
            index: The index.
            remember: Whether a summary may come, for which they are brought back.
        """
        self._index = index
        self._remember = remember
        self._groups = index._excluded_for(_REASON)
        self.messages = sum(group.message_count for group in self._groups)

    def drop_until(self, room: int) -> int:
        """Exclude the oldest groups until the rest fits; the summary stays.

        Returns:
            How many messages went. Nothing is counted that does not decide.
        """
        index = self._index
        too_many = tokens_exceed(room)
        if not too_many(index):
            return 0
        before, version = index.included_message_count, index.version
        oldest = TruncationStrategy(trigger=too_many, minimum_preserved=1)
        index.compact(oldest._sparing(summary_of(index)))
        if self._remember:
            self._groups += index._excluded_for(_REASON, version)
        messages = before - index.included_message_count
        self.messages += messages
        return messages

    def bring_back(self) -> None:
        """Include all of them again, as they were when they were dropped."""
        _core.include(self._index, self._groups)
        # A new list: a mark may have the old one.
        self._groups, self.messages = [], 0

    def mark(self) -> Mark:
        """Give what :meth:`reset` takes."""
        return self._groups, len(self._groups), self.messages

    def reset(self, mark: Mark) -> None:
        """Go back to an earlier moment, as the index has."""
        self._groups, length, self.messages = mark
        del self._groups[length:]

"""Drops the oldest groups that do not fit, and remembers them until a summary has them."""

from typing import TypeAlias

from chatfold.index import MessageGroup, MessageIndex
from chatfold.strategies import TruncationStrategy
from chatfold.summarization.entries import summary_text
from chatfold.summarization.floor import floor, speaks_as_user
from chatfold.triggers import tokens_exceed

_REASON = "truncation"

Mark: TypeAlias = tuple[list[MessageGroup], int, int]


def summary_of(index: MessageIndex) -> MessageGroup | None:
    """Find the summary that a model wrote, among what is included."""
    groups = [group for group in index.included_groups if group.kind != "system"]
    summaries = [group for group in groups if summary_text(group) is not None]
    people = {group for group in summaries if speaks_as_user(group)}
    people &= floor(groups) if people else people
    return next((group for group in summaries if group not in people), None)


class Dropped:
    """The groups of an index that were dropped and that no summary has.

    Attributes:
        messages: How many messages they have.
    """

    def __init__(self, index: MessageIndex, *, remember: bool = True) -> None:
        """Find what was dropped before, which reads every group.

        Args:
            index: The index.
            remember: Whether a summary may come, for which they are brought back.
        """
        self._index = index
        self._remember = remember
        self._groups = [
            group
            for group in index.groups
            if group.excluded and group.exclude_reason == _REASON and group.summary is None
        ]
        self.messages = sum(group.message_count for group in self._groups)

    def drop_until(self, room: int) -> int:
        """Exclude the oldest groups until the rest fits; the summary stays.

        Returns:
            How many messages went. Nothing is counted that does not decide.
        """
        index = self._index
        if not tokens_exceed(room)(index):
            return 0
        summary = summary_of(index)
        baseline = 0 if summary is None else summary.token_count
        before = index.included_groups
        spoken = [group for group in before if group.kind != "system"]
        if not set(spoken) - floor(spoken) - {summary}:
            return 0
        # As the oldest group the summary goes first, and comes back into the room that it leaves.
        too_many = tokens_exceed(max(0, room - baseline))
        index.compact(TruncationStrategy(trigger=too_many, minimum_preserved=1))
        if summary is not None and summary.excluded:
            index.restore(summary)
        gone = [group for group in before if group.excluded]
        messages = sum(group.message_count for group in gone)
        self._groups += gone if self._remember else []
        self.messages += messages
        return messages

    def messages_since(self) -> int:
        """Tell how many messages came after the newest of them."""
        newest = max((group.positions[-1] for group in self._groups), default=-1)
        return len(self._index) - 1 - newest

    def bring_back(self) -> None:
        """Include all of them again."""
        for group in self._groups:
            self._index.restore(group)
        # A new list: a mark may have the old one.
        self._groups, self.messages = [], 0

    def mark(self) -> Mark:
        """Give what :meth:`reset` takes."""
        return self._groups, len(self._groups), self.messages

    def reset(self, mark: Mark) -> None:
        """Go back to an earlier moment, as the index has."""
        self._groups, length, self.messages = mark
        del self._groups[length:]

"""When a history is summarized, and how much of it."""

from collections.abc import Callable
from typing import NamedTuple

from chatfold.index import MessageGroup, MessageIndex
from chatfold.summarization.selection import Selection, Tail, select, until
from chatfold.triggers import Trigger


class Rule(NamedTuple):
    """When a history is summarized, and how much of it.

    Attributes:
        trigger: When.
        target: How much: until this is true; None for all but the tail.
        tail: Which of the newest groups stay.
        user_tokens: How many tokens of user messages stay beside the summary.
        people: Whether what opens like a summary in the role of the user is a person's.
        room: How many tokens more than the target asks for are summarized.
        start: When a summary is prepared.
    """

    trigger: Trigger
    target: Trigger | None
    tail: Tail
    user_tokens: int = 0
    people: bool = True
    room: int = 0
    start: Trigger | None = None

    def met(self, index: MessageIndex) -> bool:
        """Tell whether enough is summarized."""
        return not self.trigger(index) if self.target is None else self.target(index)

    def select(self, index: MessageIndex, *, target: Trigger | None) -> Selection:
        """Choose what is summarized."""
        enough = _all if target is None else until(index, target, room=self.room)
        return select(index, self.tail, self.user_tokens, enough, people=self.people)

    def early(self) -> Trigger | None:
        """Give the target of a summary that is prepared: that of the trigger is true still."""
        if self.target is None or self.room == 0 or self.start is None:
            return self.target
        return ~self.start


def _all(groups: list[MessageGroup]) -> list[MessageGroup]:
    return groups


def messages_over(limit: int) -> Callable[[MessageIndex], bool]:
    """Make what tells whether more messages are included, without system messages."""

    def over(index: MessageIndex) -> bool:
        if index.included_message_count <= limit:
            return False
        groups = index.included_groups
        return sum(group.message_count for group in groups if group.kind != "system") > limit

    return over

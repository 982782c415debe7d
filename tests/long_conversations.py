"""Conversations so long that a one-off compaction reads the oldest part for its roles only.

They are small ones again and again. What makes them hard crosses the border between what is read
and what is not, wherever that is: results far from their calls, ids that come again, stand-ins and
system messages in the middle, messages before the first turn.
"""

from typing import NamedTuple

from hypothesis import strategies as st

from chat_messages import STAND_INS, SYSTEMS, USERS, Message
from conversations import CONVERSATIONS, VALID_CONVERSATIONS, Conversation

LAZY_FROM = 512  # from so many messages on a one-off compaction may read less than all


def with_fresh_ids(messages: Conversation, suffix: str) -> Conversation:
    """Copy messages, every call and its result under another id."""
    return [renamed(message, suffix) for message in messages]


def renamed(message: Message, suffix: str) -> Message:
    copy = dict(message)
    if isinstance(copy.get("tool_call_id"), str):
        copy["tool_call_id"] += suffix
    if copy.get("tool_calls"):
        copy["tool_calls"] = [
            {**call, "id": call["id"] + suffix} if isinstance(call.get("id"), str) else dict(call)
            for call in copy["tool_calls"]
        ]
    return copy


class Recipe(NamedTuple):
    """A long conversation in few words, for reports that can be read."""

    before: Conversation
    unit: Conversation
    length: int
    period: int
    """After how many copies of the unit the ids come again."""
    moves: list[tuple[int, int]]
    """Which of the messages that calls link goes where, both as shares of a thousand."""
    insertions: list[tuple[int, Message]]
    after: Conversation

    def messages(self) -> Conversation:
        """Write it out; every message is a new object."""
        messages: Conversation = []
        for number in range(self.length // len(self.unit) + 1):
            messages += with_fresh_ids(self.unit, f"-{number % self.period}")
        linked = [message for message in messages if is_linked(message)]
        for which, to in self.moves if linked else []:
            message = linked[which * len(linked) // 1000]
            at = next(at for at, each in enumerate(messages) if each is message)
            messages.insert(to * len(messages) // 1000, messages.pop(at))
        for to, message in self.insertions:
            messages.insert(to * len(messages) // 1000, dict(message))
        return with_fresh_ids(self.before, "") + messages + with_fresh_ids(self.after, "")


def is_linked(message: Message) -> bool:
    return message["role"] in {"tool", "function"} or "tool_calls" in message


SHARES = st.integers(0, 999)
UNITS = st.one_of(VALID_CONVERSATIONS, CONVERSATIONS)
RECIPES = st.builds(
    Recipe,
    before=CONVERSATIONS,
    unit=UNITS.map(lambda unit: unit or [{"role": "user", "content": "go on"}]),
    length=st.integers(LAZY_FROM, 3 * LAZY_FROM),
    period=st.sampled_from([1, 7, 1000]),
    moves=st.lists(st.tuples(SHARES, SHARES), max_size=3),
    insertions=st.lists(st.tuples(SHARES, st.one_of(SYSTEMS, STAND_INS, USERS)), max_size=4),
    after=CONVERSATIONS,
)

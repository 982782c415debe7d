"""Which messages belong together, decided over the whole list at once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from reference.messages import (
    Key,
    Message,
    calls,
    is_reasoning_only,
    is_result,
    kind,
    result_keys,
)


@dataclass
class Group:
    """Messages that are kept or removed whole."""

    kind: str
    messages: list[Message]
    positions: list[int]
    place: int
    turn: int | None
    pending: bool = False
    bytes: int = 0
    tokens: int = 0
    excluded: bool = False
    reason: str | None = None
    stands_for: list["Group"] = field(default_factory=list)
    excluded_at: int = 0
    made_at: int = 0
    written: bool = False


@dataclass
class OpenCall:
    """A call met so far, and whether a result has come for it."""

    key: Key | None
    position: int
    answered: bool = False


class Grouping:
    """The scan: `owner[i]` names the group of message i by the position of one of its messages."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self.messages = messages
        self.owner = list(range(len(messages)))
        self.calls: list[OpenCall] = []
        for position, message in enumerate(messages):
            if calls(message):
                self.take_calls(position)
            elif is_result(message):
                self.take_result(position)
            elif is_reasoning_only(message) and self.holder_of_calls_before(position) is not None:
                self.join(position, position - 1)

    def join(self, one: int, other: int) -> None:
        old, new = self.owner[one], self.owner[other]
        self.owner = [new if owner == old else owner for owner in self.owner]

    def run_before(self, position: int) -> Iterator[int]:
        """Walk back over the reasoning-only messages directly before a position."""
        before = position - 1
        while before >= 0 and is_reasoning_only(self.messages[before]):
            yield before
            before -= 1

    def holder_of_calls_before(self, position: int) -> int | None:
        """Return the assistant whose calls are directly before, but for reasoning."""
        before = position - 1 - len(list(self.run_before(position)))
        return before if before >= 0 and calls(self.messages[before]) else None

    def take_calls(self, position: int) -> None:
        if self.holder_of_calls_before(position) is None:
            for before in self.run_before(position):
                self.join(before, position)
        self.calls += [OpenCall(call.key, position) for call in calls(self.messages[position])]
        for key in result_keys(self.messages[position]):
            self.answer(position, key, position)

    def take_result(self, position: int) -> None:
        start = self.start_of_results(position)
        in_run = self.holder_of_calls_before(start) is not None
        if in_run:
            self.join(position, start - 1)
        keys: list[Key | None] = [*result_keys(self.messages[position])] or [None]
        holder = self.holder_of_calls_before(start)
        known = [self.answer(position, key, holder) for key in keys]
        if not any(known):
            for stray in filter(self.is_stray, range(start, position)):
                self.join(position, stray)

    def answer(self, position: int, key: Key | None, holder: int | None) -> bool:
        """Answer a call by the message there; say whether it belongs to a known call."""
        same_key = [call for call in self.calls if key is not None and call.key == key]
        unanswered = [call for call in same_key if not call.answered]
        if unanswered:
            self.join(position, unanswered[-1].position)
            unanswered[-1].answered = True
        elif holder is not None:
            self.answer_a_call_without_id(holder)
        elif same_key:
            self.join(position, same_key[-1].position)
        else:
            return False
        return True

    def answer_a_call_without_id(self, holder: int) -> None:
        """A result that answers no call by its id answers one of its run that has none."""
        for call in self.calls:
            if call.position == holder and call.key is None and not call.answered:
                call.answered = True
                return

    def start_of_results(self, position: int) -> int:
        start = position
        while start > 0 and is_result(self.messages[start - 1]):
            start -= 1
        return start

    def is_stray(self, position: int) -> bool:
        """Say whether a result belongs to no call that is known so far."""
        owner = self.owner[position]
        return all(self.owner[call.position] != owner for call in self.calls)

    def groups(self) -> list[Group]:
        found = []
        user_positions = [i for i, message in enumerate(self.messages) if kind(message) == "user"]
        last_user = max(user_positions, default=-1)
        for owner in dict.fromkeys(self.owner):
            positions = [i for i, other in enumerate(self.owner) if other == owner]
            first = positions[0]
            held = [self.messages[i] for i in positions]
            name = "tool_call" if len(held) > 1 else kind(held[0])
            turn = None if name == "system" else sum(i <= first for i in user_positions)
            pending = any(
                not call.answered and call.position in positions and call.position > last_user
                for call in self.calls
            )
            found.append(Group(name, held, positions, first, turn, pending))
        return found


def group_messages(messages: Sequence[Message]) -> list[Group]:
    return Grouping(messages).groups()

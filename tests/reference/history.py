"""A grouped history with its figures, all of them computed anew whenever they are asked for."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from reference.grouping import Group, group_messages
from reference.messages import Message, calls, said_texts, texts
from reference.parts import Part, flat_parts, part_class, said
from reference.trim import trim_together

NO_ALLOWANCE = {"image": 0, "audio": 0, "file": 0, "other": 0}


class Totals(NamedTuple):
    """The figures of a history, over all of its groups or over the included ones."""

    messages: int
    bytes: int
    tokens: int
    turns: int
    groups: int


def readable(text: str) -> str:
    """Return the text with U+FFFD for every lone surrogate; two that fit are one character."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def byte_length(text: str) -> int:
    return len(readable(text).encode())


class History:
    """The groups of a conversation and the stand-ins that took their places."""

    def __init__(
        self,
        messages: Sequence[Message],
        count: Callable[[str], int] = len,
        part_tokens: Mapping[str, int] = NO_ALLOWANCE,
    ) -> None:
        self.messages = messages
        self.count = count
        self.part_tokens = part_tokens
        self.groups = group_messages(messages)
        self.shortened: list[tuple[int, int, Message]] = []
        self.masked: set[tuple[int, int]] = set()
        self.finished: list[tuple[Mapping[str, Any], list[Message]]] = []
        for group in self.groups:
            self.count_group(group)

    def included(self) -> list[Group]:
        return [group for group in self.groups if not group.excluded]

    def count_group(self, group: Group) -> None:
        for message in group.messages:
            group.bytes += sum(byte_length(text) for text in texts(message))
            group.tokens += sum(self.count(readable(text)) for text in texts(message))
            classes = [part_class(part) for part in flat_parts(message)]
            group.tokens += sum(self.part_tokens[name] for name in classes if name is not None)

    def totals(self) -> Totals:
        return self.sum_up(self.groups)

    def included_totals(self) -> Totals:
        return self.sum_up(self.included())

    def sum_up(self, groups: list[Group]) -> Totals:
        return Totals(
            messages=sum(len(group.messages) for group in groups),
            bytes=sum(group.bytes for group in groups),
            tokens=sum(group.tokens for group in groups),
            turns=len(turns_of(groups)),
            groups=len(groups),
        )

    def exclude(self, group: Group, reason: str, *, by_caller: bool = False) -> None:
        group.excluded = True
        group.reason = reason
        group.excluded_at = 0 if by_caller else answered(self)

    def replace(self, group: Group, text: str, reason: str) -> None:
        """Exclude a group and put a message with this text in its place."""
        self.replace_all([group], text, reason, made_at=answered(self), written=False)

    def replace_all(
        self, groups: list[Group], text: str, reason: str, *, made_at: int, written: bool
    ) -> None:
        """Exclude groups and put a message with this text in the place of the first one."""
        first = groups[0]
        stand_in = Group(
            "summary",
            [{"role": "assistant", "content": text}],
            [],
            first.place,
            first.turn,
            stands_for=groups,
            made_at=made_at,
            written=written,
        )
        self.count_group(stand_in)
        self.groups.insert(number_of(self.groups, first) + 1, stand_in)
        for group in groups:
            self.exclude(group, reason)

    def shorten(self, position: int, shorten: Callable[[str], str]) -> bool:
        """Put shorter texts in the place of those of the content of a message; say whether any."""
        group = next(group for group in self.groups if position in group.positions)
        at = group.positions.index(position)
        message = group.messages[at]
        before = [] if message.get("content") is None else message["content"]
        content = (
            shorter(before, shorten)
            if isinstance(before, str)
            else [part_with(part, shorten) for part in before]
        )
        changed: bool = content != before
        if changed:
            self.shortened.append((position, answered(self), {**message, "content": content}))
            self.put(position, self.shortened[-1][-1])
        return changed

    def shorten_together(self, position: int, most: int) -> bool:
        """Do the same so that all texts together have so many code points."""
        group = next(group for group in self.groups if position in group.positions)
        texts = said_texts(group.messages[group.positions.index(position)])
        short = iter(trim_together([readable(text) for text in texts], most))
        return self.shorten(position, lambda _: next(short))

    def put(self, position: int, message: Message) -> None:
        """Let a position hold another message."""
        group = next(group for group in self.groups if position in group.positions)
        group.messages[group.positions.index(position)] = message
        group.bytes = group.tokens = 0
        self.count_group(group)

    def projection(self) -> list[Message]:
        """Return the included messages in the order of the input."""
        placed = []
        for group in self.included():
            for position, message in zip(
                group.positions or [group.place], group.messages, strict=True
            ):
                placed.append((position, message))
        return [message for _, message in sorted(placed, key=lambda pair: pair[0])]


def number_of(groups: list[Group], wanted: Group) -> int:
    return next(at for at, group in enumerate(groups) if group is wanted)


def answered(history: History) -> int:
    """Count the messages before what the model is to answer; all where there is nothing."""
    owner = {at: group for group in history.groups for at in group.positions}
    count, called = 0, False
    for at, message in enumerate(history.messages):
        kind = owner[at].kind
        if kind == "tool_call":
            if at == owner[at].positions[0] or calls(message):
                count, called = at, True
        elif message["role"] == "user":
            count, called = at if called else max(count, at - 3), False
        elif kind != "system":
            count, called = at + 1, False
    return count


def shorter(text: str, shorten: Callable[[str], str]) -> str:
    short = shorten(readable(text))
    return short if byte_length(short) < byte_length(text) else text


def part_with(part: Part, shorten: Callable[[str], str]) -> Part:
    own = said(part)
    if own is None:
        return part
    short = shorter(own, shorten)
    if isinstance(part, str):
        return short
    return {**part, "refusal" if part.get("type") == "refusal" else "text": short}


def turns_of(groups: list[Group]) -> set[int]:
    """Return the turns that count: what precedes the first user message is none."""
    return {group.turn for group in groups if group.turn is not None and group.turn >= 1}

"""Adds up groups, messages and tokens by kind, role and tool."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import nlargest
from typing import Any

from chatfold import MessageGroup, MessageIndex

NO_CALL = "(no call)"
"""Stands for the name of the tool where a result has no known call."""

_OPENING = 60


@dataclass
class Row:
    """A number of things, and the tokens in them."""

    count: int = 0
    tokens: int = 0

    def add(self, count: int, tokens: int) -> None:
        """Add some more."""
        self.count += count
        self.tokens += tokens


Rows = dict[str, Row]


@dataclass(frozen=True)
class LargeMessage:
    """One of the largest messages."""

    tokens: int
    line: int | None
    position: int
    role: str
    turn: int | None
    begins: str


@dataclass
class Survey:
    """What conversations are made of.

    Attributes:
        conversations: How many.
        messages: Their messages.
        groups: Their groups.
        turns: Their turns, without turn 0.
        tokens: Their tokens, with the overhead; the rows are without it.
        kinds: Groups by kind.
        roles: Messages by role.
        tools: Results by tool.
        large: The largest messages, the largest first.
    """

    conversations: int = 0
    messages: int = 0
    groups: int = 0
    turns: int = 0
    tokens: int = 0
    kinds: Rows = field(default_factory=dict)
    roles: Rows = field(default_factory=dict)
    tools: Rows = field(default_factory=dict)
    large: list[LargeMessage] = field(default_factory=list)

    def add(self, other: "Survey", largest: int) -> None:
        """Add another one, and keep some of the largest messages."""
        self.conversations += other.conversations
        self.messages += other.messages
        self.groups += other.groups
        self.turns += other.turns
        self.tokens += other.tokens
        for mine, theirs in (
            (self.kinds, other.kinds),
            (self.roles, other.roles),
            (self.tools, other.tools),
        ):
            for name, row in theirs.items():
                mine.setdefault(name, Row()).add(row.count, row.tokens)
        self.large = _largest(largest, self.large + other.large)


def survey(index: MessageIndex, *, line: int | None, largest: int) -> Survey:
    """Look at one conversation.

    Args:
        index: The conversation; its messages are dicts.
        line: Its line in the file, where it has one.
        largest: How many of the largest messages are wanted.
    """
    found = Survey(
        conversations=1,
        messages=index.total_message_count,
        groups=index.total_group_count,
        turns=index.total_turn_count,
        tokens=index.total_token_count,
    )
    large = []
    for group in index.groups:
        found.kinds.setdefault(group.kind, Row()).add(1, group.token_count)
        names = _names(group.messages)
        for position, message, tokens in _counted(group, index):
            role = message["role"]
            found.roles.setdefault(role, Row()).add(1, tokens)
            if role in ("tool", "function"):
                found.tools.setdefault(_tool(message, names), Row()).add(1, tokens)
            begins = _opening(message)
            large.append(LargeMessage(tokens, line, position, role, group.turn, begins))
        large = _largest(largest, large)
    found.large = large
    return found


def _largest(number: int, messages: list[LargeMessage]) -> list[LargeMessage]:
    return nlargest(number, messages, key=lambda message: message.tokens)


def _counted(group: MessageGroup, index: MessageIndex) -> Iterator[tuple[int, dict[str, Any], int]]:
    """Give each message of a group with its position and its tokens."""
    alone = len(group.positions) == 1
    for position, message in zip(group.positions, group.messages, strict=True):
        one = group if alone else MessageIndex([message], tokenizer=index.tokenizer).groups[0]
        yield position, message, one.token_count


def _names(messages: list[dict[str, Any]]) -> dict[str, str]:
    """Give the name of the tool of each call."""
    names = {}
    for message in messages:
        for call in message.get("tool_calls") or []:
            inner = call.get("function") or call.get("custom") or {}
            names[call.get("id")] = str(inner.get("name"))
    return names


def _tool(message: dict[str, Any], names: dict[str, str]) -> str:
    if message["role"] == "function":
        return str(message.get("name") or NO_CALL)
    return names.get(message.get("tool_call_id", ""), NO_CALL)


def _opening(message: dict[str, Any]) -> str:
    """Give the first words of a message, in one line."""
    content = message.get("content")
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict)]
        content = next((text for text in texts if isinstance(text, str)), None)
    if not isinstance(content, str):
        calls = ", ".join(_names([message]).values())
        return f"calls {calls}" if calls else ""
    words = " ".join(content[: 4 * _OPENING].split())
    return words if len(words) <= _OPENING else f"{words[: _OPENING - 1]}…"

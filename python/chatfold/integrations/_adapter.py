"""Histories of other packages: an index about chat messages that stand for their messages.

An integration gives an :class:`Adapter`, which says how one of its messages reads as a chat message,
and how a stand-in is written as one of its own.
"""

from collections.abc import Callable, Sequence
from operator import is_
from typing import Any, Generic, Protocol, TypeVar

from chatfold.index import MessageGroup, MessageIndex

M = TypeVar("M")


class ChatMessage(dict[str, Any]):
    """A chat message that stands for a message of another package.

    Attributes:
        message: The message.
    """

    __slots__ = ("message",)
    message: Any


class Adapter(Protocol[M]):
    """How the messages of a package are read and written."""

    def read(self, message: M) -> dict[str, Any]:
        """Give a message as a chat message, as :class:`chatfold.MessageIndex` takes it."""

    def parts(self, message: M) -> Sequence[object]:
        """Give the objects that a message is made of: a copy that shares all of them is the same."""

    def write(self, stand_in: dict[str, Any]) -> M:
        """Make a message of a stand-in, which has a role and a text as content."""

    def rewrite(self, message: M, chat: dict[str, Any], shortened: dict[str, Any]) -> M:
        """Make a copy of a message that was read as ``chat``, with the texts of ``shortened``."""


class AdaptedHistory(Generic[M]):
    """An index about a list of messages of another package, that follows the list as it grows.

    Each message is read once, and recognised later by the objects that it is made of.

    Attributes:
        index: The index; its messages are :class:`ChatMessage`.
    """

    def __init__(self, adapter: Adapter[M], make: Callable[[], MessageIndex]) -> None:
        """Start with an empty index that ``make`` makes."""
        self.index = make()
        self._adapter = adapter
        self._chat: list[ChatMessage] = []
        self._parts: list[tuple[object, ...]] = []
        self._written: dict[tuple[str, str], M] = {}
        self._shortened: dict[int, tuple[dict[str, Any], M, M]] = {}
        self._settled: dict[int, tuple[dict[str, Any], M]] = {}

    @property
    def messages(self) -> list[M]:
        """The messages by their position in the index."""
        return [chat.message for chat in self._chat]

    def shared(self, messages: Sequence[M]) -> int:
        """Count the messages at the start of a list that are those of the index."""
        count = 0
        for message, chat in zip(messages, self._chat, strict=False):
            # A call for each message would take longer than all else.
            if message is not chat.message and not self._is_known(count, message):
                break
            count += 1
        return count

    def _is_known(self, position: int, message: M) -> bool:
        """Tell whether the index has this message at a position."""
        own, parts = self._parts_of(message), self._parts[position]
        return len(own) == len(parts) and all(map(is_, own, parts))

    def follow(self, messages: Sequence[M]) -> None:
        """Make the index one about this list; only what is new in it is read.

        Raises:
            MessageError: A message that can't be read; the index is as it was.
        """
        shared, known = self.shared(messages), len(self._chat)
        # Past a system message in the place of another one, the others may be known.
        rest = [
            self._chat[at]
            if at < known and self._is_known(at, messages[at])
            else self._read(messages[at])
            for at in range(shared, len(messages))
        ]
        chat = [*self._chat[:shared], *rest]
        if shared == known:
            self.index.extend(rest)
        else:
            self.index.sync(chat)
            self._settled = {at: each for at, each in self._settled.items() if at < shared}
        self._parts[shared:] = [self._parts_of(message) for message in messages[shared:]]
        self._chat = chat
        for each, message in zip(chat, messages, strict=True):
            each.message = message

    def restore(
        self, messages: Sequence[M], load: Callable[[list[ChatMessage]], MessageIndex]
    ) -> None:
        """Take the index that ``load`` makes of these messages, as from a saved state.

        Raises:
            StateError: As ``load`` raises it; nothing has happened.
        """
        chat = [self._read(message) for message in messages]
        self.index = load(chat)
        self._chat, self._parts = chat, [self._parts_of(message) for message in messages]

    def included(self) -> list[M]:
        """Give what is kept: the package's own messages, and one for each stand-in."""
        return [self._kept(position, chat) for position, _, chat in placed(self.index)]

    def _kept(self, position: int | None, chat: dict[str, Any]) -> M:
        if position is None:
            return self._write(chat)
        own = self._chat[position]
        if chat is own:
            message: M = own.message
            return message
        # Strategies that shorten give a copy; it is the same one for as long as it stays so.
        known = self._shortened.get(position)
        if known is None or known[0] is not chat or known[1] is not own.message:
            rewritten = self._adapter.rewrite(own.message, own, chat)
            self._shortened[position] = known = (chat, own.message, rewritten)
        return known[2]

    def settle(self, position: int, chat: dict[str, Any]) -> M | None:
        """Have what is kept of a message in its place from now on; None where it stands there.

        Args:
            position: Its position in the index.
            chat: The message as the index keeps it: as it was read, or a copy that was shortened.
        """
        own = self._chat[position]
        known, original = self._settled.get(position, (own, own.message))
        if chat is known:
            return None
        message = original if chat is own else self._adapter.rewrite(original, own, chat)
        self._settled[position] = (chat, original)
        own.message = message
        self._parts[position] = self._parts_of(message)
        return message

    def _read(self, message: M) -> ChatMessage:
        chat = ChatMessage(self._adapter.read(message))
        chat.message = message
        return chat

    def _write(self, stand_in: dict[str, Any]) -> M:
        """Write a stand-in; the same one is the same message each time."""
        key = (stand_in["role"], stand_in["content"])
        if key not in self._written:
            self._written[key] = self._adapter.write(stand_in)
        return self._written[key]

    def _parts_of(self, message: M) -> tuple[object, ...]:
        return tuple(self._adapter.parts(message)) or (message,)


def placed(index: MessageIndex) -> list[tuple[int | None, MessageGroup, dict[str, Any]]]:
    """Give what is kept in order: the position where it has one, the group, and the message."""
    found: list[tuple[int, int | None, MessageGroup, dict[str, Any]]] = []
    for group in index.included_groups:
        positions = group.positions
        if positions:
            kept = zip(positions, group.messages, strict=True)
            found += [(position, position, group, chat) for position, chat in kept]
        else:
            found.append((_place(group), None, group, group.messages[0]))
    found.sort(key=lambda each: each[0])
    return [each[1:] for each in found]


def _place(stand_in: MessageGroup) -> int:
    """Give the position of the first message that a stand-in replaces."""
    return min(
        group.positions[0] if group.positions else _place(group) for group in stand_in.summarizes
    )


H = TypeVar("H")


class Recent(Generic[H]):
    """The histories that were used last, each to be found by the first object in its list.

    A caller takes one out while it works with it, so that two never work with the same.
    """

    def __init__(self, most: int = 16) -> None:
        """Hold at most so many."""
        self._most = most
        self._held: dict[int, tuple[object, H]] = {}

    def take(self, first: object) -> H | None:
        """Take out the history whose list begins with this object."""
        found = self._held.pop(id(first), None)
        return None if found is None else found[1]

    def put(self, first: object, history: H) -> None:
        """Put a history back, as the one that was used last."""
        # The object is held as well: its id is its own for as long.
        self._held[id(first)] = (first, history)
        while len(self._held) > self._most:
            self._held.pop(next(iter(self._held)), None)

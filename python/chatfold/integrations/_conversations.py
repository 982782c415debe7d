"""The conversations of those who hand out whole lists: one long-lived index for each."""

import copy
import itertools
from _thread import allocate_lock
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any, TypeAlias

from chatfold._run import _claim, _claimed, _until_free, wait_until_free
from chatfold.index import MessageIndex

MOST_BYTES = 256 * 1024 * 1024
"""Bytes of text that the kept conversations may hold together."""

_LOOKED_AT = 8
"""How many messages are looked at for the first one of a user, and conversations for a fork."""

_SYSTEM = ("system", "developer")

Anchor: TypeAlias = tuple[object, ...]


class Conversation:
    """An index, and what a list must have to go on from it.

    Attributes:
        index: The index.
        anchor: What stays the same in the conversation.
    """

    __slots__ = ("_messages", "anchor", "index")

    def __init__(self, index: MessageIndex, messages: list[Any]) -> None:
        """Take the index for a list; whoever holds the conversation makes it one about the list."""
        self.index = index
        self.anchor = anchor_of(messages)
        self._messages = messages

    def stands_at(self, messages: list[Any]) -> None:
        """Remember the list that the index is about now; nobody may change it any more."""
        self._messages = messages

    @property
    def length(self) -> int:
        """How many messages the index has."""
        return len(self._messages)

    def goes_on_in(self, messages: list[Any]) -> bool:
        """Tell whether a list holds all messages of the index, and maybe more after them."""
        # Not asked of the index, which may be counting in another thread.
        known = self._messages
        if not 0 < len(known) <= len(messages):
            return False
        newest = messages[len(known) - 1]
        if newest is not known[-1] and newest != known[-1]:
            return False
        # Newest messages such as "Go on." may be the same in many conversations.
        return known == messages[: len(known)] or self.shared_with(messages) == len(known)

    def shared_with(self, messages: list[Any]) -> int:
        """Count the messages at the start that a list shares with the index."""
        pairs = zip(self._messages, messages, strict=False)
        return sum(1 for _ in itertools.takewhile(_is_known, pairs))


class Conversations:
    """Keeps the indexes of the conversations that were used last.

    A conversation is found again by its first user message and its newest message. One caller has it
    at a time, others wait. A list that parts from a known conversation goes on with a copy of what is
    known about their common start.

    Args:
        most: The most conversations that are kept; 0 keeps none.
        make: Makes an empty index.
    """

    def __init__(self, most: int, make: Callable[[], MessageIndex]) -> None:
        """Start with none."""
        self.most = most
        self._make = make
        self._lock = allocate_lock()
        # With the bytes that each had then, in the order of last use.
        self._kept: dict[Conversation, int] = {}
        self._anchored: dict[Anchor, dict[Conversation, None]] = {}
        self._bytes = 0

    def __len__(self) -> int:
        """Count the conversations that are kept."""
        return len(self._kept)

    @contextmanager
    def held(self, messages: list[Any]) -> Iterator[Conversation]:
        """Have the conversation that a list goes on from; wait while another call has it."""
        while True:
            conversation = self._find(messages)
            wait_until_free(conversation.index)
            with _claimed(conversation.index):
                if conversation.goes_on_in(messages) or not messages:
                    with self._kept_at_the_end(conversation):
                        yield conversation
                    return

    @asynccontextmanager
    async def aheld(self, messages: list[Any]) -> AsyncIterator[Conversation]:
        """Have the conversation that a list goes on from; await the end of another call's turn."""
        while True:
            conversation = self._find(messages)
            await _until_free(conversation.index, claim=True)
            with _claimed(conversation.index):
                if conversation.goes_on_in(messages) or not messages:
                    with self._kept_at_the_end(conversation):
                        yield conversation
                    return

    @contextmanager
    def _kept_at_the_end(self, conversation: Conversation) -> Iterator[None]:
        try:
            yield
        finally:
            with self._lock:
                self._drop(conversation)
                # Where the list could not be read, the index is still about another one.
                if len(conversation.index) == conversation.length:
                    self._keep(conversation)

    def _find(self, messages: list[Any]) -> Conversation:
        with self._lock:
            known = list(self._anchored.get(anchor_of(messages), ()))
            fitting = [each for each in known if each.goes_on_in(messages)]
            if fitting:
                return max(fitting, key=lambda each: each.length)
            found = Conversation(self._index_for(messages, known[-_LOOKED_AT:]), messages)
            # At once, so that another call for the same messages waits for this one.
            self._keep(found)
            return found

    def _index_for(self, messages: list[Any], near: list[Conversation]) -> MessageIndex:
        """Copy the nearest index where it shares more than its opening; else make one."""
        shared = {each: each.shared_with(messages) for each in near}
        nearest = max(near, key=shared.__getitem__, default=None)
        if nearest is None or shared[nearest] <= _opening(messages) or not _claim(nearest.index):
            return self._make()
        with _claimed(nearest.index):
            return copy.copy(nearest.index)

    def _keep(self, conversation: Conversation) -> None:
        if not (self.most and conversation.length):
            return
        self._anchored.setdefault(conversation.anchor, {})[conversation] = None
        self._kept[conversation] = conversation.index.total_byte_count
        self._bytes += self._kept[conversation]
        while len(self._kept) > self.most or (self._bytes > MOST_BYTES and len(self._kept) > 1):
            self._drop(next(iter(self._kept)))

    def _drop(self, conversation: Conversation) -> None:
        if conversation in self._kept:
            self._bytes -= self._kept.pop(conversation)
            known = self._anchored[conversation.anchor]
            del known[conversation]
            if not known:
                del self._anchored[conversation.anchor]


def _is_known(pair: tuple[Any, Any]) -> bool:
    """Tell whether a message is that of the index, or a system message in the place of one."""
    ours, theirs = pair
    return (
        ours is theirs
        or bool(ours == theirs)
        or all(_field(each, "role") in _SYSTEM for each in pair)
    )


def _opening(messages: list[Any]) -> int:
    """Count the messages up to the first one of a user: many conversations may share them."""
    for number, message in enumerate(messages[:_LOOKED_AT], 1):
        if _field(message, "role") == "user":
            return number
    return 1


def anchor_of(messages: list[Any]) -> Anchor:
    """Give what stays the same in a conversation: the text of its first user message."""
    if not messages:
        return ()
    content = _field(messages[_opening(messages) - 1], "content")
    if isinstance(content, (list, tuple)):
        texts = (_field(part, "text") for part in content)
        return len(content), next((text for text in texts if isinstance(text, str)), None)
    return (content if isinstance(content, str) else None,)


def _field(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)

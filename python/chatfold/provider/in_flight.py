"""What a session remembers of compacting on the way to the model: one index, run after run."""

from collections.abc import Sequence
from itertools import chain
from typing import Any

from chatfold._options import shown
from chatfold._run import beside_the_loop
from chatfold.compaction import LONG_LIST
from chatfold.index import MessageGroup, MessageIndex
from chatfold.provider.history import MessageView, StoredHistory, load_index
from chatfold.provider.plain import plain_messages
from chatfold.state import as_mapping, damaged

_NO_MEMORY = ("format", "version", "tokenizer", "overhead", "fingerprint", "tokens")
"""What the state of an index has that needs no remembering: counts are made again."""

_ANOTHER = {"role": "user", "content": ""}
"""What a saved memory has in the place of a run that failed, or has not ended."""


class InFlight:
    """An index about what the model is to see, that follows it from call to call.

    It is apart from the index of the stored history: what it leaves out is still stored as it was.

    Attributes:
        index: The index.
        history: The stored history of the session, where it has one.
    """

    def __init__(self, history: StoredHistory | None, index: MessageIndex | None = None) -> None:
        """Start with an index that remembers something, or with an empty one.

        Args:
            history: The stored history of the session, where it has one.
            index: The index.
        """
        self.index = MessageIndex() if index is None else index
        self.history = history
        self._context: list[Sequence[Any]] | None = None
        self._added: list[Any] = []
        # Where the protected groups of the stored history begin, and which index was told of them.
        self._protected: tuple[tuple[int, ...], int] | None = None

    async def follow(self, context: Sequence[Sequence[Any]], added: Sequence[Any]) -> None:
        """Make the index one about the context and what a run added to it.

        What it costs grows with what is new, not with the history, as long as the stored history has
        only become longer and whatever else is in the context is the same and before it.

        Raises:
            MessageError: A message that can't be read; the index is as it was.
        """
        parts: list[Sequence[Any]] = [
            each if isinstance(each, MessageView) else tuple(each) for each in context
        ]
        more = self._new(parts, added)
        if more is not None:
            self.index.extend(more)
        else:
            # Whoever is cancelled meanwhile leaves an index that may know either.
            self._context, self._added = None, []
            messages = [*chain.from_iterable(parts), *added]
            if len(messages) < LONG_LIST:
                self.index.sync(messages)
            else:
                await beside_the_loop(self.index.sync, messages)
        self._context, self._added = list(parts), list(added)
        if self.history is not None:
            self._protect(self.history.index.protected_groups)

    def _protect(self, stored: list[MessageGroup]) -> None:
        """Protect here what is protected in the stored history, and nothing else."""
        key = (tuple(group.positions[0] for group in stored), self.index.version[2])
        if key == self._protected or not (stored or self.index.protected_groups):
            return
        positions = {id(message): at for at, message in enumerate(self.index.messages)}
        found = [positions.get(id(group.messages[0])) for group in stored]
        wanted = {self.index.group_of(at) for at in found if at is not None}
        for group in self.index.protected_groups:
            if group not in wanted:
                self.index.unprotect(group)
        for group in wanted:
            self.index.protect(group)
        # What is excluded there may come back.
        self._protected = None if None in found else key

    def _new(self, parts: list[Sequence[Any]], added: Sequence[Any]) -> list[Any] | None:
        """Find what came after all that the index knows; None where something before it differs."""
        known = self._context
        if known is None or len(known) != len(parts):
            return None
        sizes = [len(each) for each in known]
        if not all(map(_begins_with, parts, known)) or sizes[:-1] != [*map(len, parts[:-1])]:
            return None
        grown = parts[-1][sizes[-1] :] if parts else ()
        more = [*grown, *added]
        old = self._added
        if len(more) < len(old) or any(a is not b for a, b in zip(old, more, strict=False)):
            return None
        return more[len(old) :]

    def to_state(self) -> dict[str, Any] | None:
        """Save what it remembers, as plain JSON types; None where nothing is left out.

        Messages that are in the stored history are saved as their positions there, and those of a
        run that failed, or has not ended, not at all: an empty one has their place.
        """
        positions = self._positions()
        kept = 0
        while kept < len(self._added) and id(self._added[kept]) in positions:
            kept += 1
        messages = [*chain.from_iterable(self._context or ()), *self._added[:kept]]
        index = self.index
        if self._context is None:
            messages = index.messages
        elif kept < len(self._added):
            index = MessageIndex.from_state(
                index.to_state(), index.messages, tokenizer=index.tokenizer
            )
            # Something new stands for them: with none the end of what is left would be the newest,
            # and come back.
            messages.append(_ANOTHER)
            index.sync(messages)
        state = index.to_state()
        if not any(value for name, value in state.items() if name not in _NO_MEMORY):
            return None
        return {"messages": _encoded(messages, positions), "index": state}

    def _positions(self) -> dict[int, int]:
        stored = [] if self.history is None else self.history.index.messages
        return {id(message): position for position, message in enumerate(stored)}

    @classmethod
    def from_state(cls, state: object, history: StoredHistory | None) -> "InFlight":
        """Load it, with the stored history of the same session.

        Raises:
            StateError: The state is damaged, or of another history.
        """
        stored = [] if history is None else history.index.messages
        saved = as_mapping(state)
        return cls(history, load_index(saved, _decoded(saved.get("messages"), stored)))


def _begins_with(now: Sequence[Any], before: Sequence[Any]) -> bool:
    """Compare without reading the messages of a stored history."""
    if isinstance(now, MessageView) and isinstance(before, MessageView):
        return now.grown_from(before)
    return not isinstance(now, MessageView) and now[: len(before)] == before


def _encoded(messages: list[Any], positions: dict[int, int]) -> list[Any]:
    """Write messages that are stored as ranges of positions, others as they are."""
    encoded: list[Any] = []
    for message in messages:
        at = positions.get(id(message))
        if at is None:
            encoded += plain_messages([message])
        elif encoded and isinstance(encoded[-1], list) and encoded[-1][1] == at:
            encoded[-1][1] = at + 1
        else:
            encoded.append([at, at + 1])
    return encoded


def _decoded(encoded: object, stored: list[Any]) -> list[Any]:
    if not isinstance(encoded, list):
        raise damaged(f"messages is {shown(encoded)} and should be a list")
    messages: list[Any] = []
    for each in encoded:
        if not isinstance(each, list):
            messages.append(each)
            continue
        match each:
            case [int(start), int(stop)] if 0 <= start < stop <= len(stored):
                messages += stored[start:stop]
            case _:
                raise damaged(f"it names the messages {shown(each)} of {len(stored)} stored")
    return messages

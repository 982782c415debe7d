"""The stored history of a session: all messages, and what of them is left out and why."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, overload

from chatfold._options import shown
from chatfold.errors import MessageError
from chatfold.index import MessageIndex
from chatfold.provider.plain import plain_messages
from chatfold.state import as_mapping, builtin_tokenizer, damaged
from chatfold.tokenizers import resolve


class MessageView(Sequence[Any]):
    """The messages of a stored history at one moment, without a copy of them.

    Attributes:
        history: The history that they are of.
    """

    def __init__(self, history: "StoredHistory", messages: list[Any]) -> None:
        """View a list that will only grow."""
        self.history = history
        self._list = messages
        self._length = len(messages)

    def __len__(self) -> int:
        """Tell how many there are."""
        return self._length

    @overload
    def __getitem__(self, at: int) -> Any: ...  # noqa: ANN401 (the user's own objects)
    @overload
    def __getitem__(self, at: slice) -> list[Any]: ...
    def __getitem__(self, at: int | slice) -> Any:
        """Get a message, or a list of some."""
        if isinstance(at, slice):
            return [self._list[each] for each in range(*at.indices(self._length))]
        return self._list[range(self._length)[at]]

    def __iter__(self) -> Iterator[Any]:
        """Go through them."""
        return islice(self._list, self._length)

    def grown_from(self, earlier: "MessageView") -> bool:
        """Tell whether this is what the earlier view showed, and perhaps more after it."""
        return self._list is earlier._list and self._length >= earlier._length

    def __repr__(self) -> str:
        """Tell how many there are."""
        return f"<MessageView: {self._length:,} messages>"


class StoredHistory:
    """All messages of a session, in an index that tells what of them is excluded and why.

    Attributes:
        index: Its groups have ``exclude_reason``, counts, and links between summaries and what they
            stand for. What it excludes stays here.
    """

    def __init__(self, index: MessageIndex | None = None) -> None:
        """Start with the messages of an index, or with none."""
        self.index = MessageIndex() if index is None else index
        # Whether without what is excluded -> the list, and the version of the index that it is of.
        self._lists: dict[bool, tuple[list[Any], tuple[int, ...]]] = {}

    def __len__(self) -> int:
        """Tell how many messages are stored, excluded ones among them."""
        return len(self.index)

    def loaded(self, *, skip_excluded: bool) -> MessageView:
        """Give the messages as a run gets them; costs nothing where they only became more.

        Args:
            skip_excluded: Leave out what is excluded, and put summaries in the place of what they
                stand for; else all messages, and no summary that stands for some of them.
        """
        version = self._version(skip_excluded=skip_excluded)
        known, of = self._lists.get(skip_excluded, (None, None))
        if known is None or of != version:
            known = self.index.included_messages() if skip_excluded else self.index.messages
            self._lists[skip_excluded] = (known, version)
        return MessageView(self, known)

    def extend(self, messages: Sequence[Any]) -> None:
        """Store more messages; where one of them can't be read, none is stored.

        Raises:
            MessageError: A message that can't be read; names its position in the history.
        """
        before, changes = len(self.index), self.index.version[0]
        self.index.extend(messages)
        for skip_excluded, (known, of) in list(self._lists.items()):
            # A late result may have brought back what was excluded: that is logged as a change.
            same = not skip_excluded or (of[-1] == changes == self.index.version[0])
            if same and of[0] == before:
                known.extend(messages)
                version = self._version(skip_excluded=skip_excluded)
                self._lists[skip_excluded] = (known, version)

    def _version(self, *, skip_excluded: bool) -> tuple[int, ...]:
        changes, messages, epoch = self.index.version
        return (messages, epoch, changes) if skip_excluded else (messages, epoch)

    def to_state(self) -> dict[str, Any]:
        """Save it as plain JSON types, messages too.

        Raises:
            StateError: A message is no JSON.
        """
        return {"messages": plain_messages(self.index.messages), "index": self.index.to_state()}

    @staticmethod
    def is_state(state: Mapping[str, Any]) -> bool:
        """Tell whether this is what :meth:`to_state` gives, damaged or not."""
        return {"messages", "index"} <= state.keys()

    @classmethod
    def from_state(cls, state: object) -> "StoredHistory":
        """Load it.

        Raises:
            StateError: The state is damaged.
        """
        saved = as_mapping(state)
        return cls(load_index(saved, saved.get("messages")))

    def __repr__(self) -> str:
        """Show how much is kept of how much."""
        return (
            f"<StoredHistory: {self.index.included_message_count:,} of {len(self):,} messages kept>"
        )


def load_index(state: Mapping[str, Any], messages: object) -> MessageIndex:
    """Load an index whose tokenizer may still be chosen.

    Raises:
        StateError: The state is damaged.
    """
    if not isinstance(messages, list):
        raise damaged(f"messages is {shown(messages)} and should be a list")
    saved = as_mapping(state.get("index"), "index")
    tokenizer = builtin_tokenizer(saved) or resolve()
    try:
        index = MessageIndex.from_state(saved, messages, tokenizer=tokenizer)
    except MessageError as error:
        raise damaged(str(error)) from error
    if index.tokenizer == resolve():
        index._tokenizer = None
    return index

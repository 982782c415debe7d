"""What a strategy remembers of each index."""

from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from chatfold.index import MessageIndex

T = TypeVar("T")


class Memory(Generic[T]):
    """A value for each index that lives no longer than the index, even where it refers to it.

    It is kept with the index: a table of this one's would keep alive what its own values refer to.
    """

    def get(self, index: MessageIndex) -> T | None:
        """Give what is remembered of an index."""
        return self._of(index).get(self)

    def set(self, index: MessageIndex, value: T) -> None:
        """Remember something of an index in the place of what was remembered before."""
        self._of(index)[self] = value

    def forget(self, index: MessageIndex) -> None:
        """Forget what is remembered of an index."""
        self._of(index).pop(self, None)

    @staticmethod
    def _of(index: MessageIndex) -> "WeakKeyDictionary[Memory[T], T]":
        values: WeakKeyDictionary[Memory[T], T] = vars(index).setdefault(
            "_memory", WeakKeyDictionary()
        )
        return values

"""What counting costs: the cache of counts, and the work done so far."""

from typing import NamedTuple

from chatfold import _core
from chatfold._options import integer

__all__ = ["CountCacheInfo", "WorkDone", "count_cache", "work_done"]


class WorkDone(NamedTuple):
    """The work done in this process so far; take the difference of two.

    Attributes:
        texts_counted: Texts that a tokenizer counted; the character estimator counts for nothing.
        bytes_tokenized: Their UTF-8 bytes.
        messages_read: Messages that were read whole.
        roles_read: Messages of which only the role was read.
    """

    texts_counted: int
    bytes_tokenized: int
    messages_read: int
    roles_read: int


def work_done() -> WorkDone:
    """Tell the work done in this process so far."""
    return WorkDone(*_core.work_done())


class CountCacheInfo(NamedTuple):
    """What the cache of counts did so far.

    Attributes:
        hits: Counts that were known.
        misses: Counts that were not.
        entries: Counts that it holds.
        capacity: The most counts that it may hold, about; some 50 bytes each.
    """

    hits: int
    misses: int
    entries: int
    capacity: int

    @property
    def hit_rate(self) -> float:
        """The share of counts that were known; 0 where none was asked for."""
        asked = self.hits + self.misses
        return self.hits / asked if asked else 0.0


class _CountCache:
    """Counts of whole texts, shared by all indexes and calls of this process.

    It serves callers who send the whole history again each time: no text is tokenized twice while
    its count is held. A text is known by a 128-bit hash of it and its tokenizer. A tokenizer of your
    own is the same one from call to call where a strategy holds it, or where you pass what
    :func:`chatfold.tokenizers.resolve` gave once.
    """

    def info(self) -> CountCacheInfo:
        """Tell what it did so far."""
        return CountCacheInfo(*_core.count_cache_info())

    def resize(self, capacity: int) -> None:
        """Empty it and change how many counts it may hold; 0 turns it off."""
        _core.count_cache_resize(integer("capacity", capacity, at_least=0))

    def clear(self) -> None:
        """Empty it and forget hits and misses."""
        _core.count_cache_clear()


count_cache = _CountCache()
"""The cache of counts of this process."""

"""The cache of counts knows what was counted, stays within its bounds, and can be turned off."""

import re
import threading
from collections.abc import Iterator

import pytest

from chatfold import CountCacheInfo, MessageIndex, OptionError, OptionTypeError, count_cache
from chatfold.tokenizers import resolve
from work import Work

O200K, CL100K = resolve("o200k_base"), resolve("cl100k_base")
SHARDS = 16


@pytest.fixture(autouse=True)
def _as_it_was() -> Iterator[None]:
    capacity = count_cache.info().capacity
    count_cache.clear()
    yield
    count_cache.resize(capacity)


def texts(number: int) -> list[str]:
    return [f"Text number {at}" for at in range(number)]


def test_a_count_is_asked_for_once() -> None:
    work = Work()
    counts = [O200K.count_tokens("The same text") for _ in range(5)]
    assert len(set(counts)) == 1
    assert work.done.texts_counted == 1
    info = count_cache.info()
    assert (info.hits, info.misses, info.entries) == (4, 1, 1)
    assert info.hit_rate == 0.8


def test_each_encoding_has_its_own_counts() -> None:
    text = "Überschätzung 東京"
    assert O200K.count_tokens(text) != CL100K.count_tokens(text)
    assert O200K.count_tokens(text) != CL100K.count_tokens(text)
    assert count_cache.info().entries == 2


def test_indexes_share_counts() -> None:
    messages = [{"role": "user", "content": text} for text in texts(50)]
    first = MessageIndex(messages, tokenizer="o200k_base").total_token_count
    work = Work()
    assert MessageIndex(messages, tokenizer="o200k_base").total_token_count == first
    assert work.done.texts_counted == 0
    assert count_cache.info().hits == 50


def test_estimates_are_not_cached() -> None:
    assert MessageIndex([{"role": "user", "content": "Hello"}]).total_token_count == 2
    assert count_cache.info()[:3] == (0, 0, 0)


def test_nothing_asked_for_is_a_rate_of_nothing() -> None:
    assert count_cache.info().hit_rate == 0


@pytest.mark.parametrize("capacity", [1, 16, 100, 1_000])
def test_entries_are_bounded(capacity: int) -> None:
    count_cache.resize(capacity)
    for text in texts(5_000):
        O200K.count_tokens(text)
        assert count_cache.info().entries <= capacity + 2 * SHARDS
    assert count_cache.info().capacity == capacity
    assert count_cache.info().entries > 0


def test_what_is_asked_for_again_and_again_stays() -> None:
    count_cache.resize(320)
    for text in texts(5_000):
        O200K.count_tokens(text)
        O200K.count_tokens("asked for again and again")
    work = Work()
    O200K.count_tokens("asked for again and again")
    assert work.done.texts_counted == 0
    O200K.count_tokens(texts(1)[0])
    assert work.done.texts_counted == 1


def test_clear_forgets_counts_and_figures_but_not_the_capacity() -> None:
    capacity = count_cache.info().capacity
    O200K.count_tokens("Hello")
    count_cache.clear()
    assert count_cache.info() == CountCacheInfo(0, 0, 0, capacity)


def test_resize_empties_it() -> None:
    O200K.count_tokens("Hello")
    count_cache.resize(500)
    assert count_cache.info() == CountCacheInfo(0, 0, 0, 500)


def test_no_capacity_turns_it_off() -> None:
    count_cache.resize(0)
    work = Work()
    assert len({O200K.count_tokens("Hello, you.") for _ in range(3)}) == 1
    assert work.done.texts_counted == 3
    assert count_cache.info() == CountCacheInfo(0, 0, 0, 0)


@pytest.mark.parametrize("capacity", [-1, 2**63])
def test_a_capacity_out_of_range_is_refused(capacity: int) -> None:
    with pytest.raises(OptionError, match=re.escape(f"capacity is {capacity}")):
        count_cache.resize(capacity)


@pytest.mark.parametrize("capacity", [1.5, "many", None, True])
def test_a_capacity_that_is_no_number_is_refused(capacity: object) -> None:
    with pytest.raises(OptionTypeError, match=re.escape(f"capacity is {capacity!r}")):
        count_cache.resize(capacity)  # type: ignore[arg-type]  # refused


def test_an_error_of_a_tokenizer_is_not_remembered() -> None:
    class Moody:
        moods = iter([RuntimeError("not now"), None])

        def count_tokens(self, text: str) -> int:
            mood = next(self.moods)
            if mood is not None:
                raise mood
            return len(text)

    index = MessageIndex([{"role": "user", "content": "Hello"}], tokenizer=Moody())
    with pytest.raises(RuntimeError, match="not now"):
        _ = index.total_token_count
    assert index.total_token_count == 5


def test_threads_that_count_clear_and_resize_get_right_counts() -> None:
    wanted = {text: len(O200K.encode(text)) for text in texts(300)}  # type: ignore[attr-defined]
    wrong: list[str] = []

    def count(start: int) -> None:
        for at in range(3_000):
            text = f"Text number {(start + at) % 300}"
            if O200K.count_tokens(text) != wanted[text]:
                wrong.append(text)

    def disturb() -> None:
        for at in range(300):
            count_cache.resize((0, 7, 100, 10_000)[at % 4])
            count_cache.clear()
            assert count_cache.info().entries >= 0

    threads = [threading.Thread(target=count, args=(start,)) for start in (0, 70, 140, 210)]
    threads.append(threading.Thread(target=disturb))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []

"""The event loop keeps ticking while chatfold reads and counts much text."""

import asyncio
import time
from collections.abc import Awaitable

import pytest

from chatfold import (
    MessageIndex,
    SlidingWindowStrategy,
    ToolResultCompactionStrategy,
    TruncationStrategy,
    apply_compaction,
    count_cache,
    triggers,
)
from conversations import Conversation
from talk import talk
from work import Work

WINDOW = SlidingWindowStrategy(keep_last_groups=4)


class Ticker:
    """A task that notes how long the loop was kept from it."""

    def __init__(self) -> None:
        self.ticks = 0
        self.largest_gap = 0.0

    async def run(self) -> None:
        last = time.perf_counter()
        while True:
            await asyncio.sleep(0.001)
            now = time.perf_counter()
            self.ticks, self.largest_gap = self.ticks + 1, max(self.largest_gap, now - last)
            last = now


async def ticking(work: Awaitable[object]) -> Ticker:
    ticker = Ticker()
    task = asyncio.create_task(ticker.run())
    await work
    task.cancel()
    return ticker


@pytest.fixture(scope="module")
def huge() -> Conversation:
    """Give some 100 MB of text."""
    return talk(2_000, 2_500)


DECIDED_LATE = TruncationStrategy(max_n=30_000_000, tokenizer="o200k_base")


@pytest.fixture
def _no_count_is_known() -> None:
    count_cache.clear()


@pytest.mark.usefixtures("_no_count_is_known")
def test_the_loop_ticks_while_a_hundred_megabytes_are_counted(huge: Conversation) -> None:
    work = Work()
    ticker = asyncio.run(ticking(apply_compaction(huge, strategy=DECIDED_LATE)))
    assert work.done.bytes_tokenized > 30_000_000
    print(f"largest gap {ticker.largest_gap * 1e3:.1f} ms, {ticker.ticks} ticks")  # noqa: T201
    assert ticker.ticks > 20


@pytest.mark.usefixtures("_no_count_is_known")
def test_the_loop_ticks_while_an_index_is_compacted(huge: Conversation) -> None:
    index = MessageIndex(huge, tokenizer="o200k_base")
    work = Work()
    ticker = asyncio.run(ticking(index.acompact(DECIDED_LATE)))
    assert work.done.bytes_tokenized > 30_000_000
    print(f"largest gap {ticker.largest_gap * 1e3:.1f} ms, {ticker.ticks} ticks")  # noqa: T201
    assert ticker.ticks > 20


def test_the_loop_ticks_while_a_long_list_is_read() -> None:
    messages = talk(600_000)
    ticker = asyncio.run(
        ticking(apply_compaction(messages, strategy=ToolResultCompactionStrategy()))
    )
    print(f"largest gap {ticker.largest_gap * 1e3:.1f} ms, {ticker.ticks} ticks")  # noqa: T201
    assert ticker.ticks > 4


@pytest.mark.usefixtures("_no_count_is_known")
def test_promise_10_a_cancelled_count_leaves_the_index_as_it_was(huge: Conversation) -> None:
    index = MessageIndex(huge, tokenizer="o200k_base")
    strategy = TruncationStrategy(trigger=triggers.always, target=triggers.tokens_below(15_000_000))

    async def cancel() -> None:
        work = Work()
        task = asyncio.create_task(index.acompact(strategy))
        while work.done.texts_counted < 10:  # noqa: ASYNC110 (nothing tells when a count begins)
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    assert [group for group in index.groups if group.excluded] == []
    assert index.included_messages() == huge
    assert index.compact(WINDOW).changed
    assert len(index.included_messages()) == 4


@pytest.mark.usefixtures("_no_count_is_known")
def test_the_loop_ticks_while_a_cancelled_count_comes_to_its_end(huge: Conversation) -> None:
    index = MessageIndex(huge, tokenizer="o200k_base")

    async def cancel() -> None:
        ticker, work = Ticker(), Work()
        ticks = asyncio.create_task(ticker.run())
        task = asyncio.create_task(index.acompact(DECIDED_LATE))
        while work.done.texts_counted < 10:  # noqa: ASYNC110 (nothing tells when a count begins)
            await asyncio.sleep(0.001)
        before, ticker.largest_gap = ticker.ticks, 0
        task.cancel()
        await asyncio.wait([task])
        await asyncio.sleep(0.002)
        ticks.cancel()
        assert task.cancelled()
        print(f"largest gap {ticker.largest_gap * 1e3:.1f} ms")  # noqa: T201
        assert ticker.ticks - before > 20

    asyncio.run(cancel())

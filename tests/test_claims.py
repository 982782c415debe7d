"""Who has an index: one run at a time, with whatever belongs to it, and nobody once that is over."""

import asyncio
import threading
from collections.abc import Callable

import pytest

from chatfold import (
    ChatfoldError,
    IndexBusyError,
    MessageIndex,
    PipelineCompactionStrategy,
    SlidingWindowStrategy,
    TruncationStrategy,
    _run,
)
from recount import assert_figures_are_right, talk

WINDOW = SlidingWindowStrategy(keep_last_groups=10)


def excluding(position: int, reason: str = "mine") -> Callable[[MessageIndex], bool]:
    def exclude(index: MessageIndex) -> bool:
        return index.exclude(index.group_of(position), reason=reason)

    return exclude


def excluded(index: MessageIndex) -> list[int]:
    return [group.positions[0] for group in index.groups if group.excluded]


def test_promise_10_a_refused_run_undoes_nothing_that_another_threads_run_did(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    index, claim = MessageIndex(talk(20), tokenizer=len), _run._claim
    tries, goes_on, holds, ends = (threading.Event() for _ in range(4))

    def slow(index: MessageIndex) -> bool:
        # Any thread may be interrupted here; this one is for as long as it takes the other one.
        if threading.current_thread() is late:
            tries.set()
            goes_on.wait()
        return claim(index)

    monkeypatch.setattr(_run, "_claim", slow)

    def first(index: MessageIndex) -> bool:
        excluding(10)(index)
        holds.set()
        return ends.wait()

    def run_late() -> None:
        try:
            index.compact(PipelineCompactionStrategy(TruncationStrategy(max_n=18), does_nothing))
        except IndexBusyError:
            pass
        finally:
            tries.set()

    late = threading.Thread(target=run_late)
    early = threading.Thread(target=lambda: index.compact(first))
    late.start()
    tries.wait()
    early.start()
    holds.wait()
    goes_on.set()
    late.join()
    ends.set()
    early.join()
    assert index.group_of(10).excluded
    assert_figures_are_right(index)


def does_nothing(_index: MessageIndex) -> bool:
    return False


def test_promise_10_a_run_that_finds_the_index_taken_leaves_no_change_and_runs_no_strategy() -> (
    None
):
    index = MessageIndex(talk(20), tokenizer=len)
    asked, ran = threading.Event(), list[MessageIndex]()

    def waits(_index: MessageIndex) -> bool:
        asked.set()
        while id(index) not in _run._busy:
            threading.Event().wait(0.001)
        return True

    def runs(index: MessageIndex) -> bool:
        ran.append(index)
        return False

    async def other(index: MessageIndex) -> bool:
        await asyncio.sleep(0.001)
        return excluding(10)(index)

    def run() -> None:
        asked.wait()
        asyncio.run(index.acompact(other))

    thread = threading.Thread(target=run)
    thread.start()
    truncation = TruncationStrategy(trigger=waits, target=lambda index: len(excluded(index)) > 2)
    with pytest.raises(IndexBusyError, match="compacted by another call; wait for it first"):
        index.compact(PipelineCompactionStrategy(truncation, runs))
    thread.join()
    assert (ran, excluded(index)) == ([], [10])
    assert_figures_are_right(index)
    assert index.compact(WINDOW).changed


def test_runs_of_several_threads_lose_nothing_of_each_other() -> None:
    index, kept = MessageIndex(talk(400), tokenizer=len), set(range(400))
    window = SlidingWindowStrategy(keep_last_groups=400)
    lock = threading.Lock()

    def run(start: int) -> None:
        for position in range(start, 380, 4):
            own = PipelineCompactionStrategy(window, excluding(position))
            try:
                report = index.compact(own)
            except IndexBusyError:
                continue
            assert report.changed
            with lock:
                kept.discard(position)

    threads = [threading.Thread(target=run, args=(start,)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {*range(400)} - {*excluded(index)} == kept
    assert_figures_are_right(index)
    assert _run._busy == {}


def test_what_a_run_leaves_behind_waits_for_the_next_one_and_loses_nothing() -> None:
    index, order = MessageIndex(talk(20), tokenizer=len), list[str]()

    async def main() -> None:
        goes_on = asyncio.Event()

        async def left_behind() -> bool:
            await goes_on.wait()

            async def second(index: MessageIndex) -> bool:
                order.append("second")
                return excluding(3)(index)

            return (await index.acompact(second)).changed

        tasks: list[asyncio.Task[bool]] = []

        async def leaves(_index: MessageIndex) -> bool:
            tasks.append(asyncio.create_task(left_behind()))
            return False

        async def fails(index: MessageIndex) -> bool:
            excluding(2)(index)
            goes_on.set()
            for _ in range(5):
                await asyncio.sleep(0)
            order.append("first fails")
            raise RuntimeError("the model is away")

        await index.acompact(leaves)
        with pytest.raises(RuntimeError, match="the model is away"):
            await index.acompact(fails)
        assert await tasks[0]

    asyncio.run(main())
    assert order == ["first fails", "second"]
    assert excluded(index) == [3]
    assert_figures_are_right(index)


def test_what_a_run_leaves_behind_acts_for_the_caller() -> None:
    index = MessageIndex(talk(20), tokenizer=len)

    async def main() -> None:
        goes_on, tasks = asyncio.Event(), list[asyncio.Task[None]]()

        async def left_behind() -> None:
            await goes_on.wait()
            index.exclude(index.group_of(3), reason="the caller's")
            index.sync(talk(22))

        async def leaves(_index: MessageIndex) -> bool:
            tasks.append(asyncio.create_task(left_behind()))
            return False

        async def fails(index: MessageIndex) -> bool:
            with pytest.raises(ChatfoldError, match="a sync can't be undone"):
                index.sync(talk(5))
            index.exclude(index.group_of(2), reason="the strategy's")
            raise RuntimeError("the model is away")

        await index.acompact(leaves)
        goes_on.set()
        await tasks[0]
        with pytest.raises(RuntimeError, match="the model is away"):
            await index.acompact(fails)

    asyncio.run(main())
    assert (len(index), excluded(index)) == (22, [3])
    # The list goes back, which takes back what strategies decided and not what the caller did.
    index.sync(talk(8))
    assert excluded(index) == [3]


def test_an_index_is_taken_until_the_last_part_of_a_run_has_ended() -> None:
    index = MessageIndex(talk(20), tokenizer=len)

    async def main() -> None:
        begun, ends, tasks = asyncio.Event(), asyncio.Event(), list[asyncio.Task[object]]()

        async def part(index: MessageIndex) -> bool:
            begun.set()
            await ends.wait()
            return excluding(2)(index)

        async def leaves(index: MessageIndex) -> bool:
            tasks.append(asyncio.create_task(index.acompact(part)))
            await begun.wait()
            return False

        await index.acompact(leaves)
        with pytest.raises(IndexBusyError):
            index.compact(WINDOW)
        waiting = asyncio.create_task(index.acompact(excluding(5)))
        await asyncio.sleep(0)
        ends.set()
        await asyncio.gather(*tasks, waiting)
        assert index.compact(TruncationStrategy(max_n=4)).changed

    asyncio.run(main())
    assert _run._busy == {}
    assert index.group_of(2).exclude_reason == index.group_of(5).exclude_reason == "mine"

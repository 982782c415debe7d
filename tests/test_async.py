"""Strategies that wait: what fails or is cancelled is undone, and runs of one index never mix."""

import asyncio
import functools
import re
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Any

import pytest

from chatfold import (
    AsyncStrategyError,
    ChatfoldError,
    MessageIndex,
    PipelineCompactionStrategy,
    SlidingWindowStrategy,
    TokenBudgetComposedStrategy,
    TruncationStrategy,
    apply_compaction,
    compact,
)
from conversations import Conversation
from states import GroupState, groups_of, included_totals
from talk import talk

WINDOW = SlidingWindowStrategy(keep_last_groups=4)


def state_of(index: MessageIndex) -> tuple[list[GroupState], Conversation, tuple[int, ...]]:
    return groups_of(index), index.included_messages(), included_totals(index)


def exclude_oldest(index: MessageIndex, number: int = 3) -> None:
    for group in index.included_groups[:number]:
        index.exclude(group, reason="oldest")


async def excludes(index: MessageIndex) -> bool:
    await asyncio.sleep(0)
    exclude_oldest(index)
    await asyncio.sleep(0)
    return True


async def fails(index: MessageIndex) -> bool:
    exclude_oldest(index)
    await asyncio.sleep(0)
    index.replace(index.included_groups[:2], "[Summary] x", reason="summary")
    raise RuntimeError("the model is away")


async def hangs(index: MessageIndex) -> bool:
    exclude_oldest(index)
    await asyncio.Event().wait()
    return True


@pytest.mark.parametrize("first", [(), (WINDOW,), (excludes,), (WINDOW, excludes)], ids=len)
def test_promise_10_a_strategy_that_fails_undoes_the_run(first: tuple[Any, ...]) -> None:
    index = MessageIndex(talk(20), tokenizer=len)
    index.exclude(index.groups[2], reason="before")
    before = state_of(index)
    strategy = PipelineCompactionStrategy(*first, fails, WINDOW)
    for _ in range(3):
        with pytest.raises(RuntimeError, match="the model is away"):
            asyncio.run(index.acompact(strategy))
        assert state_of(index) == before


def test_promise_10_a_failure_leaves_the_list_as_it_was() -> None:
    messages = talk(20)
    with pytest.raises(RuntimeError, match="the model is away"):
        asyncio.run(apply_compaction(messages, strategy=fails))
    assert messages == talk(20)


@pytest.mark.parametrize("first", [(), (WINDOW,), (excludes,)], ids=len)
def test_promise_10_a_strategy_that_takes_too_long_undoes_the_run(first: tuple[Any, ...]) -> None:
    index = MessageIndex(talk(20), tokenizer=len)
    before = state_of(index)

    async def in_time() -> None:
        async with asyncio.timeout(0.02):
            await index.acompact(PipelineCompactionStrategy(*first, hangs))

    with pytest.raises(TimeoutError):
        asyncio.run(in_time())
    assert state_of(index) == before
    asyncio.run(index.acompact(excludes))
    assert index.included_message_count == 17


def test_promise_10_messages_that_came_meanwhile_stay() -> None:
    messages = talk(20)
    index = MessageIndex(messages, tokenizer=len)

    async def appends(index: MessageIndex) -> bool:
        exclude_oldest(index)
        index.append({"role": "user", "content": "By the way."})
        await asyncio.sleep(0)
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        asyncio.run(index.acompact(appends))
    assert index.included_messages() == [*messages, {"role": "user", "content": "By the way."}]


async def gathered(*runs: Awaitable[Any]) -> list[Any]:
    return await asyncio.gather(*runs, return_exceptions=True)


def assert_done_or_refused(outcomes: list[Any]) -> int:
    """Every run came to its end or was told that another one is under way; count the former."""
    refused = [each for each in outcomes if isinstance(each, BaseException)]
    assert all(type(each) is ChatfoldError for each in refused)
    assert all("another call" in str(each) for each in refused)
    return len(outcomes) - len(refused)


def assert_sound(index: MessageIndex) -> None:
    kept = index.included_messages()
    assert index.included_message_count == len(kept)
    assert index.included_token_count == sum(len(each["content"]) for each in kept)
    assert index.total_token_count >= index.included_token_count


@pytest.mark.parametrize("tasks", [2, 5])
def test_tasks_on_one_index_are_refused_or_run_one_after_the_other(tasks: int) -> None:
    index = MessageIndex(talk(40), tokenizer=len)
    inside = 0

    async def alone(index: MessageIndex) -> bool:
        nonlocal inside
        inside += 1
        assert inside == 1
        await asyncio.sleep(0.001)
        exclude_oldest(index)
        await asyncio.sleep(0.001)
        inside -= 1
        return True

    outcomes = asyncio.run(gathered(*(index.acompact(alone) for _ in range(tasks))))
    done = assert_done_or_refused(outcomes)
    assert done >= 1
    assert index.included_message_count == 40 - 3 * done
    assert_sound(index)


def test_a_task_that_fails_undoes_only_its_own_run() -> None:
    index = MessageIndex(talk(40), tokenizer=len)

    async def outcomes() -> list[Any]:
        return await gathered(
            index.acompact(excludes), index.acompact(fails), index.acompact(excludes)
        )

    first, failed, last = asyncio.run(outcomes())
    assert isinstance(failed, (RuntimeError, ChatfoldError))
    done = assert_done_or_refused([first, last])
    assert index.included_message_count == 40 - 3 * done
    assert_sound(index)


def test_a_cancelled_task_lets_the_next_one_run() -> None:
    index = MessageIndex(talk(40), tokenizer=len)

    async def cancel_the_first() -> list[Any]:
        first = asyncio.create_task(index.acompact(hangs))
        second = asyncio.create_task(index.acompact(excludes))
        for _ in range(5):
            await asyncio.sleep(0)
        first.cancel()
        return await gathered(first, second, index.acompact(WINDOW))

    first, second, third = asyncio.run(cancel_the_first())
    assert isinstance(first, asyncio.CancelledError)
    assert_done_or_refused([second, third])
    assert index.compact(WINDOW).after.messages <= 4
    assert_sound(index)


def test_a_waiting_task_that_is_cancelled_changes_nothing() -> None:
    index = MessageIndex(talk(40), tokenizer=len)

    async def cancel_the_second() -> list[Any]:
        go_on = asyncio.Event()

        async def waits(index: MessageIndex) -> bool:
            exclude_oldest(index)
            return await go_on.wait()

        first = asyncio.create_task(index.acompact(waits))
        await asyncio.sleep(0)
        second = asyncio.create_task(index.acompact(excludes))
        await asyncio.sleep(0)
        second.cancel()
        await asyncio.sleep(0)
        go_on.set()
        return await gathered(first, second)

    first, _ = asyncio.run(cancel_the_second())
    assert first.changed
    assert index.included_message_count == 37


def test_a_plain_call_meanwhile_is_refused_in_words() -> None:
    index = MessageIndex(talk(40), tokenizer=len)

    async def meanwhile() -> None:
        task = asyncio.create_task(index.acompact(hangs))
        await asyncio.sleep(0)
        with pytest.raises(ChatfoldError, match="compacted by another call; wait"):
            index.compact(WINDOW)
        task.cancel()

    asyncio.run(meanwhile())
    assert index.included_message_count == 40


async def nests(index: MessageIndex) -> bool:
    report = await index.acompact(PipelineCompactionStrategy(excludes, WINDOW))
    index.compact(SlidingWindowStrategy(keep_last_groups=3))
    assert (await index.acompact(excludes)).changed
    return report.changed


def test_a_strategy_may_run_others_on_its_index() -> None:
    index = MessageIndex(talk(40), tokenizer=len)
    report = asyncio.run(index.acompact(PipelineCompactionStrategy(nests, WINDOW)))
    assert index.included_message_count == 0
    assert (report.before.messages, report.after.messages) == (40, 0)
    assert [step.strategy for step in report.steps] == ["nests", "SlidingWindowStrategy"]


def test_a_failure_after_a_nested_run_undoes_that_too() -> None:
    index = MessageIndex(talk(40), tokenizer=len)
    before = state_of(index)

    async def nests_and_fails(index: MessageIndex) -> bool:
        await index.acompact(WINDOW)
        with pytest.raises(RuntimeError, match="the model is away"):
            await index.acompact(fails)
        assert index.included_message_count == 4
        raise RuntimeError("at last")

    with pytest.raises(RuntimeError, match="at last"):
        asyncio.run(index.acompact(nests_and_fails))
    assert state_of(index) == before


def test_other_indexes_go_on_meanwhile() -> None:
    indexes = [MessageIndex(talk(40), tokenizer=len) for _ in range(20)]
    outcomes = asyncio.run(gathered(*(index.acompact(excludes) for index in indexes)))
    assert assert_done_or_refused(outcomes) == 20
    assert {index.included_message_count for index in indexes} == {37}


class AsyncCallable:
    async def __call__(self, index: MessageIndex) -> bool:
        return await excludes(index)


def returns_an_awaitable(index: MessageIndex) -> Awaitable[bool]:
    return excludes(index)


def inside(strategy: Any) -> list[Any]:  # noqa: ANN401 (whatever is a strategy)
    """Give a strategy as it is and as a part of others."""
    budget = TokenBudgetComposedStrategy(token_budget=10, strategies=[strategy])
    return [
        strategy,
        PipelineCompactionStrategy(WINDOW, strategy),
        budget,
        PipelineCompactionStrategy(budget),
    ]


ASYNC: list[Callable[..., Any]] = [
    excludes,
    AsyncCallable(),
    functools.partial(excludes),
    returns_an_awaitable,
]


@pytest.mark.parametrize("strategy", [each for strategy in ASYNC for each in inside(strategy)])
def test_a_plain_call_refuses_what_must_be_awaited(strategy: Any) -> None:  # noqa: ANN401
    with pytest.raises(AsyncStrategyError, match=re.escape("await apply_compaction(")):
        compact(talk(20), strategy)
    index = MessageIndex(talk(20), tokenizer=len)
    with pytest.raises(AsyncStrategyError, match="await"):
        index.compact(strategy)
    assert index.included_message_count == 20


@pytest.mark.parametrize("strategy", [each for strategy in ASYNC for each in inside(strategy)])
def test_awaiting_runs_it(strategy: Any) -> None:  # noqa: ANN401
    assert 0 < len(asyncio.run(apply_compaction(talk(20), strategy=strategy))) < 20


def test_without_a_strategy_the_list_comes_back() -> None:
    messages = talk(5)
    assert asyncio.run(apply_compaction(messages)) is messages


def test_plain_strategies_may_be_awaited() -> None:
    messages = talk(20)
    assert asyncio.run(apply_compaction(messages, strategy=WINDOW)) == compact(messages, WINDOW)


def test_no_event_loop_is_needed_where_nothing_waits() -> None:
    run = apply_compaction(talk(200_000), strategy=WINDOW)
    with pytest.raises(StopIteration) as finished:
        run.send(None)
    assert len(finished.value.value) == 4


trace: ContextVar[str] = ContextVar("trace", default="none")


def test_context_variables_reach_the_callers_own_code() -> None:
    seen: list[str] = []

    def count(text: str) -> int:
        seen.append(trace.get())
        return len(text)

    async def looks(_index: MessageIndex) -> bool:
        seen.append(trace.get())
        trace.set("set by the strategy")
        return False

    async def main() -> str:
        trace.set("set by the caller")
        # So much text that it is counted in another thread.
        messages = talk(20, 10_000)
        strategy = PipelineCompactionStrategy(TruncationStrategy(max_n=10, tokenizer=count), looks)
        await apply_compaction(messages, strategy=strategy)
        return trace.get()

    assert asyncio.run(main()) == "set by the strategy"
    assert set(seen) == {"set by the caller"}
    assert len(seen) > 1


def test_the_callers_own_context_is_left_as_it_was() -> None:
    async def main() -> bool:
        index = MessageIndex(talk(20), tokenizer=len)
        with pytest.raises(RuntimeError):
            await index.acompact(fails)
        # If the run were still thought to be under way here, this would be one inside it.
        task = asyncio.create_task(index.acompact(hangs))
        await asyncio.sleep(0)
        with pytest.raises(ChatfoldError, match="another call"):
            index.compact(WINDOW)
        task.cancel()
        return True

    assert asyncio.run(main())

"""Promise 10: after an error or a cancellation an index is what it was before."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatfold import (
    AsyncStrategyError,
    MessageIndex,
    PipelineCompactionStrategy,
    SlidingWindowStrategy,
    ToolResult,
    ToolResultCompactionStrategy,
    TruncationStrategy,
    apply_compaction,
    compact,
    triggers,
)
from conversations import CONVERSATIONS, Conversation
from product import Spec, build_strategy
from strategy_specs import STRATEGIES


class BoomError(Exception):
    """What fails in these tests."""


def state(index: MessageIndex) -> list[tuple[Any, ...]]:
    """Return everything but counts: counting may be what fails."""
    groups = [(g.kind, g.positions, g.excluded, g.exclude_reason) for g in index.groups]
    return [*groups, *index.included_messages()]


def fails_after(calls: int) -> Callable[[str], int]:
    """Make a tokenizer that counts some texts and then fails."""
    left = calls

    def count(text: str) -> int:
        nonlocal left
        left -= 1
        if left < 0:
            raise BoomError
        return len(text)

    return count


@given(CONVERSATIONS, STRATEGIES, STRATEGIES, st.integers(0, 20))
def test_promise_10_a_failing_tokenizer_changes_nothing(
    messages: Conversation, first: Spec, second: Spec, calls: int
) -> None:
    count = fails_after(calls)
    index = MessageIndex(messages, tokenizer=count)
    strategies = [build_strategy(first, count), build_strategy(second, count)]
    before = state(index)
    try:
        index.compact(PipelineCompactionStrategy(*strategies))
    except BoomError:
        assert state(index) == before


@given(CONVERSATIONS, STRATEGIES)
def test_promise_10_a_failing_strategy_undoes_those_before_it(
    messages: Conversation, spec: Spec
) -> None:
    def fails(index: MessageIndex) -> bool:
        for group in index.groups[:-1]:
            index.exclude(group, reason="mine")
        raise BoomError

    index = MessageIndex(messages, tokenizer=len)
    before = state(index)
    with pytest.raises(BoomError):
        index.compact(PipelineCompactionStrategy(build_strategy(spec, len), fails))
    assert state(index) == before


HISTORY: Conversation = [
    {"role": "user", "content": "question"},
    {
        "role": "assistant",
        "tool_calls": [
            {"id": "c0", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        ],
    },
    {"role": "tool", "tool_call_id": "c0", "content": "a long result " * 50},
    {"role": "assistant", "content": "answer"},
    {"role": "user", "content": "next question"},
    {"role": "assistant", "content": "next answer"},
]
TRUNCATION = TruncationStrategy(max_n=2)


def test_promise_10_a_failing_trigger_changes_nothing() -> None:
    def fails(_index: MessageIndex) -> bool:
        raise BoomError

    index = MessageIndex(HISTORY)
    with pytest.raises(BoomError):
        index.compact(PipelineCompactionStrategy(TRUNCATION, SlidingWindowStrategy(trigger=fails)))
    assert index.included_messages() == HISTORY


def test_promise_10_a_failing_target_undoes_the_steps_before_it() -> None:
    def fails_late(index: MessageIndex) -> bool:
        if index.included_message_count < len(HISTORY):
            raise BoomError
        return False

    index = MessageIndex(HISTORY)
    with pytest.raises(BoomError):
        index.compact(
            TruncationStrategy(trigger=triggers.always, target=fails_late, minimum_preserved=1)
        )
    assert index.included_messages() == HISTORY


def test_promise_10_a_failing_formatter_changes_nothing() -> None:
    def fails(_results: list[ToolResult]) -> str:
        raise BoomError

    index = MessageIndex(HISTORY)
    strategy = ToolResultCompactionStrategy(keep_last_tool_call_groups=0, formatter=fails)
    with pytest.raises(BoomError):
        index.compact(PipelineCompactionStrategy(strategy))
    assert index.included_messages() == HISTORY


def test_promise_10_a_cancelled_strategy_changes_nothing() -> None:
    async def waits(index: MessageIndex) -> bool:
        index.exclude(index.groups[0], reason="mine")
        await asyncio.sleep(60)
        return True

    async def cancelled() -> MessageIndex:
        index = MessageIndex(HISTORY)
        pipeline = PipelineCompactionStrategy(TRUNCATION, waits)
        task = asyncio.create_task(index.acompact(pipeline))
        await asyncio.sleep(0.01)
        assert len(index.included_messages()) < len(HISTORY)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return index

    assert asyncio.run(cancelled()).included_messages() == HISTORY


def test_promise_10_a_timeout_changes_nothing() -> None:
    async def waits(index: MessageIndex) -> bool:
        index.exclude(index.groups[0], reason="mine")
        await asyncio.sleep(60)
        return True

    async def timed_out() -> MessageIndex:
        index = MessageIndex(HISTORY)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(index.acompact(waits), timeout=0.01)
        return index

    assert asyncio.run(timed_out()).included_messages() == HISTORY


def test_promise_10_messages_that_come_while_a_strategy_waits_stay_after_its_failure() -> None:
    late = {"role": "user", "content": "late"}

    async def fails(index: MessageIndex) -> bool:
        index.exclude(index.groups[0], reason="mine")
        index.append(late)
        raise BoomError

    index = MessageIndex(HISTORY)
    with pytest.raises(BoomError):
        asyncio.run(index.acompact(fails))
    assert index.included_messages() == [*HISTORY, late]


def test_an_index_can_be_compacted_after_a_failure() -> None:
    index = MessageIndex(HISTORY, tokenizer=fails_after(0))
    with pytest.raises(BoomError):
        index.compact(TruncationStrategy(trigger=triggers.tokens_exceed(10), minimum_preserved=1))
    assert index.compact(TRUNCATION).changed


async def waiting(_index: MessageIndex) -> bool:
    await asyncio.sleep(0)
    return False


def test_a_plain_call_refuses_what_must_be_awaited() -> None:
    with pytest.raises(AsyncStrategyError, match="strategy waiting must be awaited"):
        compact(HISTORY, waiting)
    index = MessageIndex(HISTORY)
    with pytest.raises(AsyncStrategyError, match="strategy waiting must be awaited"):
        index.compact(waiting)
    assert index.included_messages() == HISTORY


def test_an_awaited_call_runs_plain_and_waiting_strategies_in_order() -> None:
    kept = asyncio.run(
        apply_compaction(HISTORY, strategy=PipelineCompactionStrategy(waiting, TRUNCATION))
    )
    assert kept == compact(HISTORY, TRUNCATION)


def test_without_a_strategy_the_list_comes_back() -> None:
    assert asyncio.run(apply_compaction(HISTORY)) is HISTORY

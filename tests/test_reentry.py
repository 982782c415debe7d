"""What the caller's own code may do with the index that it is called for."""

import asyncio
from collections.abc import Callable

import pytest

from chatfold import (
    ChatfoldError,
    MessageIndex,
    PipelineCompactionStrategy,
    SlidingWindowStrategy,
    ToolResult,
    ToolResultCompactionStrategy,
    TruncationStrategy,
    triggers,
)
from recount import assert_figures_are_right, rounds, talk

WINDOW = SlidingWindowStrategy(keep_last_groups=10)


def test_a_trigger_may_use_the_index() -> None:
    index = MessageIndex(talk(40), tokenizer=len)

    def asks(index: MessageIndex) -> bool:
        assert index.included_token_count > 0
        assert len(index.groups) == 40
        assert index.groups[3].token_count > 0
        return len(index.included_messages()) > 12

    index.compact(TruncationStrategy(trigger=asks, minimum_preserved=1))
    assert index.included_message_count == 12


IN_USE = "in use by the call that runs this code"


def uses_of(index: MessageIndex) -> list[Callable[[], object]]:
    return [
        lambda: index.included_token_count,
        lambda: len(index),
        lambda: index.append({"role": "user", "content": "more"}),
        lambda: index.extend(talk(3)),
        lambda: index.sync(talk(3)),
        index.included_messages,
        lambda: list(index.groups),
        lambda: index.compact(WINDOW),
        index.to_state,
        lambda: repr(index),
    ]


@pytest.mark.parametrize("use", range(10))
def test_a_tokenizer_that_uses_the_index_gets_a_clear_error(use: int) -> None:
    def count(text: str) -> int:
        if armed:
            uses_of(index)[use]()
        return len(text)

    armed = True
    index = MessageIndex(talk(40), tokenizer=count)
    with pytest.raises(ChatfoldError, match=IN_USE):
        _ = index.included_token_count
    with pytest.raises(ChatfoldError, match=IN_USE):
        index.compact(TruncationStrategy(trigger=triggers.tokens_exceed(10), minimum_preserved=1))
    armed = False
    assert index.included_message_count == 40
    assert_figures_are_right(index)


@pytest.mark.parametrize("use", range(10))
def test_a_formatter_that_uses_the_index_gets_a_clear_error(use: int) -> None:
    index = MessageIndex(rounds(10), tokenizer=len)

    def write(_results: list[ToolResult]) -> str:
        uses_of(index)[use]()
        return "[Tool results: none]"

    with pytest.raises(ChatfoldError, match=IN_USE):
        index.compact(ToolResultCompactionStrategy(formatter=write))
    assert index.included_message_count == 30
    assert_figures_are_right(index)


def test_a_tokenizer_may_use_another_index() -> None:
    other = MessageIndex(talk(7), tokenizer=len)
    index = MessageIndex(talk(40), tokenizer=lambda text: len(text) + len(other))
    assert index.included_token_count == sum(len(m["content"]) + 7 for m in talk(40))


WITHIN = "the index is being compacted by the call .* sync before or after compacting"


def compacted(index: MessageIndex, strategy: Callable[[MessageIndex], bool]) -> None:
    index.compact(PipelineCompactionStrategy(WINDOW, strategy))


def awaited(index: MessageIndex, strategy: Callable[[MessageIndex], bool]) -> None:
    async def waits(index: MessageIndex) -> bool:
        await asyncio.sleep(0)
        return strategy(index)

    asyncio.run(index.acompact(waits))


@pytest.mark.parametrize("run", [compacted, awaited])
def test_promise_10_a_strategy_that_syncs_gets_a_clear_error(
    run: Callable[[MessageIndex, Callable[[MessageIndex], bool]], None],
) -> None:
    index = MessageIndex(talk(8))

    def syncs(index: MessageIndex) -> bool:
        index.exclude(index.groups[0], reason="mine")
        index.sync(talk(3))
        return True

    with pytest.raises(ChatfoldError, match=WITHIN):
        run(index, syncs)
    assert index.included_messages() == index.messages == talk(8)
    assert index.sync(talk(9)) == 8
    assert_figures_are_right(index)


def test_promise_10_a_trigger_that_syncs_gets_a_clear_error() -> None:
    index = MessageIndex(talk(8), tokenizer=len)

    def asks(index: MessageIndex) -> bool:
        if index.included_message_count < 6:
            index.sync(talk(3))
        return True

    with pytest.raises(ChatfoldError, match="asks this trigger; sync before or after compacting"):
        index.compact(TruncationStrategy(trigger=asks, minimum_preserved=1))
    assert index.included_messages() == talk(8)
    assert index.sync(talk(9)) == 8
    assert_figures_are_right(index)


def test_a_strategy_may_sync_another_index() -> None:
    other, index = MessageIndex(talk(2)), MessageIndex(talk(8))

    def syncs(_index: MessageIndex) -> bool:
        return other.sync(talk(5)) == 0

    assert not index.compact(syncs).changed
    assert len(other) == 5

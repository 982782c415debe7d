"""What a strategy remembers of an index does not keep it alive."""

import gc
import weakref
from collections.abc import Callable

import pytest

from chatfold import MessageIndex, SummarizationStrategy, triggers
from summarization.stubs import Stub, run, turns

LONG = "word " * 2_000


def not_smaller() -> SummarizationStrategy:
    return SummarizationStrategy(client=Stub(LONG))


def prepared() -> SummarizationStrategy:
    return SummarizationStrategy(
        client=Stub(),
        trigger=triggers.messages_exceed(100),
        start_summary=triggers.messages_exceed(4),
    )


def written() -> SummarizationStrategy:
    return SummarizationStrategy(client=Stub())


@pytest.mark.parametrize("make", [not_smaller, prepared, written])
def test_an_index_goes_though_its_strategy_stays(make: Callable[[], SummarizationStrategy]) -> None:
    strategy = make()
    index = MessageIndex(turns(6))
    run(index.acompact(strategy))
    gone = weakref.ref(index)
    del index
    gc.collect()
    assert gone() is None
    assert repr(strategy).startswith("SummarizationStrategy")


@pytest.mark.parametrize("make", [not_smaller, prepared])
def test_a_strategy_goes_though_its_index_stays(make: Callable[[], SummarizationStrategy]) -> None:
    index = MessageIndex(turns(6))
    strategy = make()
    run(index.acompact(strategy))
    assert len(vars(index)["_memory"]) == 1
    del strategy
    gc.collect()
    assert len(vars(index)["_memory"]) == 0


def test_two_strategies_remember_apart() -> None:
    index, stub = MessageIndex(turns(6)), Stub()
    run(index.acompact(not_smaller()))
    assert run(index.acompact(SummarizationStrategy(client=stub))).changed

"""Many histories at once are what each of them would be alone."""

import copy
import logging
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatfold import (
    HistoriesError,
    MessageError,
    MessageIndex,
    OptionError,
    OptionTypeError,
    Strategy,
    TokenizerMismatchError,
    TruncationStrategy,
    compact,
    compact_many,
    triggers,
)
from chatfold.many import BATCH
from chatfold.tokenizers import TokenizerLike, resolve
from conversations import CONVERSATIONS, Conversation
from product import Spec, build_strategy
from strategy_specs import STRATEGIES
from work import uneven


def talk(name: int, length: int) -> Conversation:
    return [{"role": "user", "content": f"{name}: message {at} " * 5} for at in range(length)]


STRATEGY = TruncationStrategy(max_n=100, compact_to=50, tokenizer="o200k_base")
COUNTED_IN_PYTHON = TruncationStrategy(max_n=100, compact_to=50, tokenizer=uneven)
ASKS_PYTHON = TruncationStrategy(
    trigger=lambda index: index.included_message_count > 5, minimum_preserved=1
)
PLAIN = TruncationStrategy(max_n=8)
each_strategy = pytest.mark.parametrize(
    "strategy", [STRATEGY, COUNTED_IN_PYTHON, ASKS_PYTHON, PLAIN], ids=repr
)


@each_strategy
@pytest.mark.parametrize("workers", [None, 1, 2, 50])
def test_results_are_those_of_one_after_the_other_in_order(
    strategy: Strategy, workers: int | None
) -> None:
    histories = [talk(name, name % 23) for name in range(2 * BATCH + 7)]
    results = compact_many(histories, strategy, max_workers=workers)
    assert results == [compact(history, strategy) for history in histories]
    assert any(
        len(result) < len(history) for result, history in zip(results, histories, strict=True)
    )


@pytest.mark.parametrize("tokenizer", [None, len, "o200k_base"], ids=str)
@given(histories=st.lists(CONVERSATIONS, max_size=5), spec=STRATEGIES)
def test_any_histories_are_compacted_as_they_are_alone(
    tokenizer: TokenizerLike, histories: list[Conversation], spec: Spec
) -> None:
    before = copy.deepcopy(histories)
    strategy = build_strategy(spec, resolve(tokenizer))
    results = compact_many(histories, strategy, tokenizer=tokenizer)
    assert results == [compact(history, strategy, tokenizer=tokenizer) for history in histories]
    assert histories == before


def test_kept_messages_are_the_callers_own_objects() -> None:
    histories = [talk(name, 20) for name in range(3)]
    for result, history in zip(compact_many(histories, PLAIN), histories, strict=True):
        assert [id(each) for each in result] == [id(each) for each in history[-8:]]


def test_one_history_may_come_many_times() -> None:
    history = talk(1, 30)
    assert compact_many([history] * 5, STRATEGY) == [compact(history, STRATEGY)] * 5


@each_strategy
def test_none_at_all(strategy: Strategy) -> None:
    assert compact_many([], strategy) == []
    assert compact_many([[]], strategy) == [[]]


@each_strategy
def test_generators_of_generators_are_read_a_few_at_a_time(strategy: Strategy) -> None:
    histories = [talk(name, 9) for name in range(BATCH + 3)]
    results = compact_many((iter(history) for history in histories), strategy)
    assert results == [compact(history, strategy) for history in histories]


UNREADABLE: dict[str, Any] = {
    "role": [{"role": "wizard", "content": "?"}],
    "no dict": [{"role": "user", "content": "hello"}, 7],
}


@each_strategy
def test_errors_come_by_position_and_lose_no_other_result(strategy: Strategy) -> None:
    histories: list[Any] = [talk(name, 12) for name in range(BATCH + 20)]
    histories[3], histories[BATCH + 1] = UNREADABLE["role"], UNREADABLE["no dict"]
    with pytest.raises(HistoriesError) as caught:
        compact_many(histories, strategy)
    error = caught.value
    assert list(error.errors) == [3, BATCH + 1]
    assert all(isinstance(each, MessageError) for each in error.errors.values())
    assert [each.position for each in error.errors.values() if isinstance(each, MessageError)] == [
        0,
        1,
    ]
    expected = [
        None if at in error.errors else compact(history, strategy)
        for at, history in enumerate(histories)
    ]
    assert error.results == expected
    assert str(error).startswith(f"history 3 of {BATCH + 20} failed (and 1 more): MessageError: ")


@pytest.mark.parametrize("history", ["text", 7, None, {"role": "user"}], ids=repr)
def test_what_is_no_history_is_an_error_by_position(history: Any) -> None:  # noqa: ANN401 (anything)
    with pytest.raises(HistoriesError, match=re.escape("history 1 of 3 failed: ")) as caught:
        compact_many([talk(0, 9), history, talk(2, 9)], PLAIN)
    assert isinstance(caught.value.errors[1], OptionTypeError)
    assert [result is None for result in caught.value.results] == [False, True, False]


def failing(part: str) -> Callable[[Any], Any]:
    def fail(asked: str | MessageIndex) -> int:
        text = asked if isinstance(asked, str) else asked.messages[0]["content"]
        if text.startswith("2:"):
            raise RuntimeError(f"no {part}")
        return True if part == "strategy" else 1_000

    return fail


@pytest.mark.parametrize("part", ["tokenizer", "trigger", "strategy"])
def test_an_error_of_the_callers_own_code_is_one_of_its_history(part: str) -> None:
    histories = [talk(name, 9) for name in range(4)]
    strategy: Any = TruncationStrategy(trigger=triggers.tokens_exceed(10), minimum_preserved=1)
    if part == "trigger":
        strategy = TruncationStrategy(trigger=failing(part), minimum_preserved=1)
    if part == "strategy":
        strategy = failing(part)
    tokenizer = failing(part) if part == "tokenizer" else None
    with pytest.raises(HistoriesError) as caught:
        compact_many(histories, strategy, tokenizer=tokenizer)
    assert list(caught.value.errors) == [2]
    assert str(caught.value.errors[2]) == f"no {part}"
    assert [result is None for result in caught.value.results] == [False, False, True, False]


def test_histories_that_can_not_be_read_on_are_no_fault_of_one() -> None:
    def histories() -> Iterator[Conversation]:
        yield talk(0, 9)
        raise RuntimeError("the stream broke")

    with pytest.raises(RuntimeError, match="the stream broke"):
        compact_many(histories(), PLAIN)


def test_a_log_makes_no_difference(caplog: pytest.LogCaptureFixture) -> None:
    histories = [talk(name, 30) for name in range(5)]
    results = compact_many(histories, STRATEGY)
    with caplog.at_level(logging.INFO, logger="chatfold"):
        assert compact_many(histories, STRATEGY) == results
    assert len(caplog.records) == 5


async def waits(index: MessageIndex) -> bool:
    return bool(index)


def test_what_holds_for_all_of_them_is_refused_at_once() -> None:
    with pytest.raises(OptionError, match="max_workers is 0"):
        compact_many([talk(0, 3)], PLAIN, max_workers=0)
    with pytest.raises(OptionTypeError, match="strategy is 7"):
        compact_many([talk(0, 3)], 7)  # type: ignore[arg-type]  # refused


def test_two_tokenizers_are_refused_at_once() -> None:
    with pytest.raises(TokenizerMismatchError, match=r"cl100k_base.*o200k_base"):
        compact_many([], STRATEGY, tokenizer="cl100k_base")


def test_a_strategy_that_must_be_awaited_is_refused() -> None:
    with pytest.raises(HistoriesError, match="apply_compaction"):
        compact_many([talk(0, 30)], waits)

"""Recorded conversations survive every strategy with all promises kept."""

from copy import deepcopy

import pytest

from chatfold import MessageIndex, Strategy, compact
from product import Spec, build_strategy
from real_histories import History, load_real_histories
from reference import History as Twin
from reference import run
from states import PART_TOKENS, groups_of, groups_of_twin, included_totals
from validity import faults

SPECS: dict[str, Spec] = {
    "truncation by messages": {"kind": "truncation", "max_n": 20, "compact_to": 10},
    "truncation by tokens": {"kind": "truncation", "max_n": 8_000, "tokens": True},
    "truncation to nothing": {"kind": "truncation", "max_n": 1},
    "groups": {"kind": "sliding_window", "keep_last_groups": 6},
    "turns": {"kind": "sliding_window", "keep_last_turns": 3},
    "tool calls": {"kind": "selective_tool_call"},
    "tool results": {"kind": "tool_result"},
    "tool names": {"kind": "tool_result", "keep_last_tool_call_groups": 0, "style": "names"},
    "window": {
        "kind": "context_window",
        "max_context_window_tokens": 10_000,
        "max_output_tokens": 2_000,
        "keep_last_tool_call_groups": 1,
    },
    "budget": {
        "kind": "token_budget",
        "token_budget": 5_000,
        "strategies": [{"kind": "tool_result"}, {"kind": "sliding_window", "keep_last_turns": 2}],
    },
    "pipeline": {
        "kind": "pipeline",
        "strategies": [
            {"kind": "tool_result", "trigger": ["tokens_exceed", 6_000]},
            {"kind": "truncation", "trigger": ["messages_exceed", 12], "minimum_preserved": 4},
        ],
    },
}


@pytest.fixture(scope="module")
def histories() -> list[History]:
    return load_real_histories()


@pytest.fixture(params=SPECS.values(), ids=list(SPECS))
def spec(request: pytest.FixtureRequest) -> Spec:
    chosen: Spec = request.param
    return chosen


@pytest.fixture
def strategy(spec: Spec) -> Strategy:
    return build_strategy(spec, len)


def test_they_are_what_an_api_accepts(histories: list[History]) -> None:
    assert [faults(history) for history in histories] == [[] for _ in histories]


def test_what_is_kept_is_what_an_api_accepts(histories: list[History], strategy: Strategy) -> None:
    for history in histories:
        before = deepcopy(history)
        kept = compact(history, strategy, tokenizer=len)
        assert faults(kept) == []
        assert history == before


def test_the_twin_keeps_the_same(histories: list[History], spec: Spec) -> None:
    for history in histories:
        twin = Twin(history, len, PART_TOKENS)
        run(twin, spec)
        index = MessageIndex(history, tokenizer=len)
        index.compact(build_strategy(spec, len))
        assert index.included_messages() == twin.projection()
        assert groups_of(index) == groups_of_twin(twin)
        assert included_totals(index) == twin.included_totals()


def test_the_floor_is_kept_and_nothing_grows(histories: list[History], strategy: Strategy) -> None:
    for history in histories:
        index = MessageIndex(history, tokenizer=len)
        before = index.included_token_count
        index.compact(strategy)
        kept = index.included_messages()
        assert kept[0] is history[0]
        assert kept[-1] is history[-1]
        assert [message for message in history if message["role"] == "user"][-1] in kept
        assert index.included_token_count <= before


def test_a_second_run_changes_nothing(histories: list[History], strategy: Strategy) -> None:
    for history in histories:
        index = MessageIndex(history, tokenizer=len)
        index.compact(strategy)
        assert not index.compact(strategy).changed


def test_an_index_that_grows_turn_by_turn_always_holds_what_an_api_accepts(
    histories: list[History], strategy: Strategy
) -> None:
    for history in histories:
        index = MessageIndex(tokenizer=len)
        for position, message in enumerate(history):
            index.append(message)
            complete = not faults(history[: position + 1])
            if message["role"] == "assistant":
                index.compact(strategy)
            if complete:
                assert faults(index.included_messages()) == []

"""Promises 4, 5, 7 and 8: purity, identity, determinism and stability."""

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatfold import (
    ContextPruningStrategy,
    HardClear,
    MessageIndex,
    ObservationMaskingStrategy,
    OversizeClampingStrategy,
    PipelineCompactionStrategy,
    Strategy,
    TruncationStrategy,
    compact,
)
from chatfold.tokenizers import TokenizerLike, resolve
from conversations import CONVERSATIONS, LONG_RESULTS, Conversation
from product import Spec, build_strategy
from reference import History, run
from reference.triggers import holds
from states import PART_TOKENS, groups_of
from strategy_specs import SIMPLE, STRATEGIES
from test_state import through_json
from test_strategies_equal_twin import uneven


@given(CONVERSATIONS, STRATEGIES)
def test_promise_4_the_list_and_its_messages_are_not_changed(
    messages: Conversation, spec: Spec
) -> None:
    objects, copy = list(messages), deepcopy(messages)
    kept = compact(messages, build_strategy(spec, len), tokenizer=len)
    assert messages == copy
    assert all(one is other for one, other in zip(messages, objects, strict=True))
    assert kept is not messages


@given(CONVERSATIONS, SIMPLE.filter(lambda spec: "trigger" in spec))
def test_promise_5_where_the_trigger_is_false_nothing_changes(
    messages: Conversation, spec: Spec
) -> None:
    if holds(spec["trigger"], History(messages, len, PART_TOKENS)):
        spec = {**spec, "trigger": ["not", spec["trigger"]]}
    index = MessageIndex(messages, tokenizer=len)
    report = index.compact(build_strategy(spec, len))
    assert not report.changed
    assert str(report).startswith("unchanged")
    assert_same_objects(index.included_messages(), messages)


@given(CONVERSATIONS, STRATEGIES)
def test_promise_5_the_report_says_unchanged_exactly_where_nothing_changed(
    messages: Conversation, spec: Spec
) -> None:
    history = History(messages, len, PART_TOKENS)
    run(history, spec)
    index = MessageIndex(messages, tokenizer=len)
    report = index.compact(build_strategy(spec, len))
    unchanged = history.projection() == messages
    assert report.changed != unchanged
    assert str(report).startswith("unchanged") == unchanged
    if unchanged:
        assert_same_objects(index.included_messages(), messages)
        assert report.before == report.after


@given(CONVERSATIONS, STRATEGIES)
def test_promise_7_the_same_input_gives_the_same_output(messages: Conversation, spec: Spec) -> None:
    first = compact(messages, build_strategy(spec, len), tokenizer=len)
    second = compact(deepcopy(messages), build_strategy(spec, len), tokenizer=len)
    assert first == second


@pytest.mark.parametrize("tokenizer", [len, uneven, "o200k_base"], ids=str)
@given(messages=st.one_of(CONVERSATIONS, LONG_RESULTS), spec=STRATEGIES, save=st.booleans())
def test_promise_7_a_second_run_changes_nothing(
    tokenizer: TokenizerLike, messages: Conversation, spec: Spec, *, save: bool
) -> None:
    index = MessageIndex(messages, tokenizer=tokenizer)
    index.compact(build_strategy(spec, resolve(tokenizer)))
    kept = index.included_messages()
    if save:
        index = through_json(index, messages, tokenizer=tokenizer)
    assert not index.compact(build_strategy(spec, resolve(tokenizer))).changed
    assert index.included_messages() == kept


def spaces() -> Conversation:
    """Give a result whose tokens grow where it is shortened: many spaces are few tokens."""
    call = {"id": "c", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    return [
        {"role": "user", "content": "Read it."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": " " * 400},
        {"role": "assistant", "content": "Nothing is there."},
        {"role": "user", "content": "And now?"},
    ]


PRUNING = ContextPruningStrategy(
    min_tokens_freed=5,
    soft_trim=False,
    hard_clear=HardClear(placeholder="[cleared]"),
    min_prunable_tool_chars=0,
    keep_last_assistants=0,
)
MASKING = ObservationMaskingStrategy(min_chars=80)
CLAMPING = OversizeClampingStrategy(max_context_window_tokens=80)


def words(text: str) -> int:
    return len(text.split())


@pytest.mark.parametrize("tokenizer", ["o200k_base", words], ids=str)
@pytest.mark.parametrize(
    "strategies",
    [(PRUNING, MASKING), (PRUNING, CLAMPING), (None, MASKING)],
    ids=["freed by masking", "freed by clamping", "over a budget by masking"],
)
def test_promise_7_what_a_strategy_left_alone_is_so_though_a_later_one_made_tokens(
    strategies: tuple[Strategy | None, ...], tokenizer: TokenizerLike
) -> None:
    budget = TruncationStrategy(max_n=16, compact_to=8, tokenizer=tokenizer)
    pipeline = PipelineCompactionStrategy(*(each or budget for each in strategies))
    index = MessageIndex(spaces(), tokenizer=tokenizer)
    assert index.compact(pipeline).steps[-1].shortened == 1
    kept = index.included_messages()
    assert not index.compact(pipeline).changed
    loaded = through_json(index, spaces(), tokenizer=tokenizer)
    assert not loaded.compact(pipeline).changed
    assert index.included_messages() == loaded.included_messages() == kept
    # With the next message, there is something to decide again.
    index.append({"role": "assistant", "content": "The same."})
    assert index.compact(pipeline).changed


@given(CONVERSATIONS, STRATEGIES, STRATEGIES)
def test_promise_8_what_was_excluded_stays_so_in_later_runs(
    messages: Conversation, first: Spec, second: Spec
) -> None:
    index = MessageIndex(messages, tokenizer=len)
    index.compact(build_strategy(first, len))
    excluded = [
        (group, group.exclude_reason, group.messages) for group in index.groups if group.excluded
    ]
    stand_ins = [(group, group.messages) for group in index.groups if group.summarizes]
    index.extend([{"role": "user", "content": "more"}, {"role": "assistant", "content": "fine"}])
    index.compact(build_strategy(second, len))
    assert excluded == [
        (group, group.exclude_reason, group.messages) for group, _, _ in excluded if group.excluded
    ]
    assert stand_ins == [(group, group.messages) for group, _ in stand_ins]


@given(CONVERSATIONS, STRATEGIES)
def test_promise_8_restoring_everything_gives_the_history_back(
    messages: Conversation, spec: Spec
) -> None:
    index = MessageIndex(messages, tokenizer=len)
    before = groups_of(index)
    index.compact(build_strategy(spec, len))
    for group in list(index.groups):
        if group.positions:
            index.restore(group)
    assert groups_of(index) == before
    assert_same_objects(index.included_messages(), messages)


def assert_same_objects(one: list[Any], other: list[Any]) -> None:
    assert [id(message) for message in one] == [id(message) for message in other]

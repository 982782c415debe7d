"""Promises 4, 5, 7 and 8: purity, identity, determinism and stability."""

from copy import deepcopy
from typing import Any

from hypothesis import given

from chatfold import MessageIndex, compact
from conversations import CONVERSATIONS, Conversation
from product import Spec, build_strategy
from reference import History, run
from reference.triggers import holds
from states import PART_TOKENS, groups_of
from strategy_specs import SIMPLE, STRATEGIES


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


@given(CONVERSATIONS, SIMPLE)
def test_promise_7_a_second_run_changes_nothing(messages: Conversation, spec: Spec) -> None:
    index = MessageIndex(messages, tokenizer=len)
    strategy = build_strategy(spec, len)
    index.compact(strategy)
    kept = index.included_messages()
    assert not index.compact(strategy).changed
    assert index.included_messages() == kept


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

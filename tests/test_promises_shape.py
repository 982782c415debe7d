"""Promises 1 to 3: pairs, order and the floor."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from chatfold import MessageIndex, compact
from conversations import CONVERSATIONS, VALID_CONVERSATIONS, Conversation
from product import Spec, build_strategy
from reference import group_messages
from strategy_specs import STRATEGIES
from validity import faults

NUMBER = "number of the message"


def numbered(messages: Conversation) -> Conversation:
    """Give each message a key of its own, which it keeps where it is shortened."""
    return [{**message, NUMBER: number} for number, message in enumerate(messages)]


NUMBERED = CONVERSATIONS.map(numbered)


def kept_positions(kept: list[Any]) -> list[int]:
    """Find the messages of the list; stand-ins have no number."""
    return [message[NUMBER] for message in kept if NUMBER in message]


def without_texts(message: dict[str, Any]) -> dict[str, Any]:
    return {**message, "content": None, "tool_calls": None}


def allows(spec: Spec, option: str) -> bool:
    """Say whether a strategy, or one inside it, was told not to preserve something."""
    return spec.get(option) is False or any(
        allows(inner, option) for inner in spec.get("strategies", [])
    )


@given(VALID_CONVERSATIONS)
def test_the_conversations_that_are_called_valid_are_valid(messages: Conversation) -> None:
    assert faults(messages) == []


@given(VALID_CONVERSATIONS, STRATEGIES)
def test_promise_1_what_an_api_accepts_stays_what_it_accepts(
    messages: Conversation, spec: Spec
) -> None:
    assert faults(compact(messages, build_strategy(spec, len), tokenizer=len)) == []


@given(NUMBERED, STRATEGIES)
def test_promise_1_groups_are_kept_or_removed_whole(messages: Conversation, spec: Spec) -> None:
    kept = compact(messages, build_strategy(spec, len), tokenizer=len)
    positions = set(kept_positions(kept))
    for group in group_messages(messages):
        assert positions.issuperset(group.positions) or positions.isdisjoint(group.positions)


@given(NUMBERED, STRATEGIES, st.integers(0, 30))
def test_promise_1_groups_stay_whole_where_messages_come_after_a_compaction(
    messages: Conversation, spec: Spec, cut: int
) -> None:
    index = MessageIndex(messages[:cut], tokenizer=len)
    index.compact(build_strategy(spec, len))
    index.extend(messages[cut:])
    positions = set(kept_positions(index.included_messages()))
    for group in group_messages(messages):
        assert positions.issuperset(group.positions) or positions.isdisjoint(group.positions)


@given(NUMBERED, STRATEGIES)
def test_promise_2_kept_messages_are_the_callers_own_objects_in_order(
    messages: Conversation, spec: Spec
) -> None:
    kept = compact(messages, build_strategy(spec, len), tokenizer=len)
    own = {id(message) for message in messages}
    positions = kept_positions(kept)
    assert positions == sorted(set(positions))
    for message in kept:
        if NUMBER not in message:
            assert message.keys() == {"role", "content"}
        elif id(message) not in own:
            assert without_texts(message) == without_texts(messages[message[NUMBER]])


@given(NUMBERED, STRATEGIES)
def test_promise_2_a_stand_in_takes_the_place_of_the_first_message_that_it_replaces(
    messages: Conversation, spec: Spec
) -> None:
    index = MessageIndex(messages, tokenizer=len)
    index.compact(build_strategy(spec, len))
    places = []
    for group in index.groups:
        if not group.excluded:
            stands_for = [at for inner in group.summarizes for at in inner.positions]
            own = list(
                zip(group.positions or [min(stands_for, default=0)], group.messages, strict=True)
            )
            places += own
    in_order = [message for _, message in sorted(places, key=lambda pair: pair[0])]
    assert index.included_messages() == in_order


@given(NUMBERED, STRATEGIES)
def test_promise_3_the_floor_survives_every_strategy(messages: Conversation, spec: Spec) -> None:
    kept = compact(messages, build_strategy(spec, len), tokenizer=len)
    positions = set(kept_positions(kept))
    groups = group_messages(messages)
    floor = [group for group in groups if group.pending]
    floor += [group for group in groups if group.kind != "system"][-1:]
    if not allows(spec, "preserve_system"):
        floor += [group for group in groups if group.kind == "system"]
    if not allows(spec, "preserve_last_user_group"):
        floor += [group for group in groups if group.kind == "user"][-1:]
    assert positions.issuperset(at for group in floor for at in group.positions)


@given(NUMBERED, STRATEGIES)
def test_promise_3_what_has_messages_is_not_emptied(messages: Conversation, spec: Spec) -> None:
    kept = compact(messages, build_strategy(spec, len), tokenizer=len)
    assert bool(kept) == bool(messages)


@given(CONVERSATIONS)
def test_promise_3_a_budget_below_the_floor_is_reported_as_missed(messages: Conversation) -> None:
    spec = {"kind": "token_budget", "token_budget": 1, "strategies": []}
    index = MessageIndex(messages, tokenizer=len)
    report = index.compact(build_strategy(spec, len))
    assert report.target_met == (index.included_token_count <= 1)

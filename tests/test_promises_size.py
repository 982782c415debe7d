"""Promises 6 and 11: nothing grows, and everything ends."""

import itertools
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatfold import MessageIndex, ToolResult, ToolResultCompactionStrategy
from conversations import CONVERSATIONS, Conversation
from product import Spec, build_strategy
from reference import group_messages
from reference.history import byte_length
from reference.messages import texts
from states import included_totals
from strategy_specs import STRATEGIES
from texts import TEXTS


@given(CONVERSATIONS, STRATEGIES)
def test_promise_6_no_run_makes_anything_longer(messages: Conversation, spec: Spec) -> None:
    index = MessageIndex(messages, tokenizer=len)
    before = included_totals(index)
    index.compact(build_strategy(spec, len))
    after = included_totals(index)
    assert after.bytes <= before.bytes
    assert after.messages <= before.messages
    assert after.groups <= before.groups
    assert after.turns <= before.turns


@given(CONVERSATIONS, STRATEGIES)
def test_promise_6_every_stand_in_has_fewer_bytes_than_what_it_replaces(
    messages: Conversation, spec: Spec
) -> None:
    index = MessageIndex(messages, tokenizer=len)
    index.compact(build_strategy(spec, len))
    for group in index.groups:
        if group.summarizes:
            assert group.byte_count < sum(inner.byte_count for inner in group.summarizes)
            assert group.byte_count == len(group.messages[0]["content"].encode())


@given(CONVERSATIONS, TEXTS)
def test_promise_6_a_formatter_can_not_make_it_longer(messages: Conversation, text: str) -> None:
    def formatter(_results: list[ToolResult]) -> str:
        return text

    index = MessageIndex(messages, tokenizer=len)
    index.compact(ToolResultCompactionStrategy(keep_last_tool_call_groups=0, formatter=formatter))
    replaced = [group for group in index.groups if group.exclude_reason]
    assert all(byte_length(text) < group.byte_count for group in replaced)


@given(CONVERSATIONS, STRATEGIES, st.randoms(use_true_random=False))
def test_promise_11_a_tokenizer_that_changes_its_mind_can_not_make_it_loop(
    messages: Conversation, spec: Spec, random: Random
) -> None:
    asked = 0

    def moody(_text: str) -> int:
        nonlocal asked
        asked += 1
        return random.choice([0, 1, 10**6])

    index = MessageIndex(messages, tokenizer=moody)
    index.compact(build_strategy(spec, moody))
    every_text = [text for group in index.groups for each in group.messages for text in texts(each)]
    assert asked <= len(every_text)


@pytest.mark.parametrize("count", [0, 1_000], ids=["nothing", "too much"])
@given(messages=CONVERSATIONS, spec=STRATEGIES)
def test_promise_11_a_tokenizer_that_never_goes_down_can_not_make_it_loop(
    count: int, messages: Conversation, spec: Spec
) -> None:
    strategy = build_strategy(spec, lambda _text: count)
    index = MessageIndex(messages, tokenizer=strategy.tokenizer or (lambda _text: count))
    report = index.compact(strategy)
    most = len(group_messages(messages))
    assert all(step.groups <= most for step in report.steps)


def test_promise_11_a_tokenizer_that_counts_up_ends() -> None:
    rising = itertools.count(2)
    messages = [{"role": "user", "content": f"question {n}"} for n in range(50)]
    index = MessageIndex(messages, tokenizer=lambda _text: next(rising))
    report = index.compact(
        build_strategy({"kind": "token_budget", "token_budget": 1, "strategies": []}, None)
    )
    assert not report.target_met
    assert index.included_messages() == messages[-1:]

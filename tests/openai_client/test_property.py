"""For any conversation the server gets what `compact` keeps, and the caller's list stays whole."""

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

import openai
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from chatfold import MessageIndex, compact
from chatfold.integrations.openai import with_compaction
from conversations import CONVERSATIONS, VALID_CONVERSATIONS, Conversation
from openai_client.clients import Option, plain_client, words
from product import Spec, build_strategy
from strategy_specs import STRATEGIES
from summarization.server import Server, answers, serving
from validity import faults

Plain = tuple[openai.OpenAI, Server]
Hand = Callable[[Conversation], Conversation]

ENDS = st.lists(st.integers(0, 40), max_size=4)


@pytest.fixture(scope="module")
def plain() -> Iterator[Plain]:
    with serving(answers("Yes.")) as server, plain_client(server) as client:
        yield client, server


def as_sent(messages: Conversation) -> Conversation:
    """Give messages as a server gets them; those that no request can hold are not drawn."""
    try:
        text = json.dumps(messages, ensure_ascii=False).encode().decode()
    except UnicodeEncodeError:
        assume(condition=False)
    result: Conversation = json.loads(text)
    return result


def got_for(client: openai.OpenAI, server: Server, messages: Option) -> Conversation:
    client.chat.completions.create(model="m", messages=messages)
    with server.lock:
        got: Conversation = server.requests.pop()["messages"]
        server.requests.clear()
    return got


def is_result(message: dict[str, Any]) -> bool:
    """Tell what pruning and masking may shorten: results, in the API's form or as parts."""
    return message["role"] in {"tool", "function"} or isinstance(message.get("content"), list)


def without_text(message: dict[str, Any]) -> dict[str, Any]:
    return {**message, "content": None}


@settings(suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(VALID_CONVERSATIONS, STRATEGIES)
def test_promises_1_and_4_the_server_gets_a_valid_history_and_the_list_stays(
    plain: Plain, messages: Conversation, spec: Spec
) -> None:
    as_sent(messages)
    client = with_compaction(plain[0], build_strategy(spec, words), tokenizer=words)
    before, held = copy.deepcopy(messages), list(messages)
    got = got_for(client, plain[1], messages)
    assert faults(got) == []
    assert got == as_sent(compact(messages, build_strategy(spec, words), tokenizer=words))
    assert messages == before
    assert all(now is then for now, then in zip(messages, held, strict=True))


@settings(suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(CONVERSATIONS, STRATEGIES, ENDS, st.sampled_from([copy.deepcopy, list]))
def test_promise_8_a_growing_list_is_sent_as_an_index_of_its_own_keeps_it(
    plain: Plain, messages: Conversation, spec: Spec, ends: list[int], handed: Hand
) -> None:
    as_sent(messages)
    client = with_compaction(plain[0], build_strategy(spec, words), tokenizer=words)
    index = MessageIndex(tokenizer=words)
    for end in sorted({*ends, len(messages)}):
        if messages[:end]:
            index.sync(messages[:end])
            index.compact(build_strategy(spec, words))
            assert got_for(client, plain[1], handed(messages[:end])) == as_sent(
                index.included_messages()
            )


@settings(suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(VALID_CONVERSATIONS, VALID_CONVERSATIONS, STRATEGIES, ENDS)
def test_two_conversations_in_one_client_do_not_touch_each_other(
    plain: Plain, first: Conversation, second: Conversation, spec: Spec, cuts: list[int]
) -> None:
    as_sent(first + second)
    # Clamping shortens any message.
    clamps = "oversize_clamping" in str(spec)
    client = with_compaction(plain[0], build_strategy(spec, words), tokenizer=words)
    for cut in cuts:
        for messages in (first[:cut], second[:cut]):
            if messages:
                got = got_for(client, plain[1], messages)
                assert faults(messages) or not faults(got)
                kept = [message for message in as_sent(messages) if message in got]
                shortened = [without_text(each) for each in as_sent(messages) if is_result(each)]
                for each in got:
                    assert (
                        each in kept
                        or str(each["content"]).startswith("[Tool ")
                        or (is_result(each) and without_text(each) in shortened)
                        or (clamps and each["role"] in {one["role"] for one in messages})
                    )

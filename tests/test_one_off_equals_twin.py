"""A one-off compaction reads no more than it needs, and keeps what the twin keeps (promise 9)."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatfold import compact, work_done
from conversations import CONVERSATIONS, PIECES, Conversation, filled, under_one_id
from product import Spec, build_strategy
from reference import History, run
from states import PART_TOKENS
from strategy_specs import STRATEGIES

# The twin looks at every message in every step, and these lists have hundreds.
FEW = settings(max_examples=max(10, settings().max_examples // 4))

QUESTION = {"role": "user", "content": "q"}
ANSWER = {"role": "assistant", "content": "a"}
CALL = {
    "role": "assistant",
    "tool_calls": [{"id": "c0", "type": "function", "function": {"name": "f", "arguments": ""}}],
}
RESULT = {"role": "tool", "tool_call_id": "c0", "content": "r"}
LEGACY_CALL = {"role": "assistant", "function_call": {"name": "f", "arguments": ""}}
LEGACY_RESULT = {"role": "function", "name": "f", "content": "r"}


def kept_by_the_twin(messages: Conversation, spec: Spec) -> list[Any]:
    history = History(messages, len, PART_TOKENS)
    run(history, spec)
    return history.projection()


@given(messages=CONVERSATIONS, spec=STRATEGIES)
def test_promise_9_a_short_list_is_compacted_as_the_twin_does(
    messages: Conversation, spec: Spec
) -> None:
    kept = compact(messages, build_strategy(spec, len), tokenizer=len)
    assert kept == kept_by_the_twin(messages, spec)


@FEW
@given(pieces=PIECES, one_id=st.booleans(), spec=STRATEGIES)
def test_promise_9_a_long_list_is_compacted_as_the_twin_does(
    pieces: tuple[Conversation | int, ...], spec: Spec, *, one_id: bool
) -> None:
    messages = under_one_id(filled(pieces)) if one_id else filled(pieces)
    kept = compact(messages, build_strategy(spec, len), tokenizer=len)
    assert kept == kept_by_the_twin(messages, spec)


@pytest.mark.parametrize(
    ("call", "result"), [(CALL, RESULT), (LEGACY_CALL, LEGACY_RESULT)], ids=["tool", "function"]
)
@pytest.mark.parametrize(
    "newest",
    [("result", "result"), ("result", "answer", "result"), ("question", "result")],
    ids="-".join,
)
def test_a_result_finds_an_old_call_that_is_still_open(
    call: dict[str, Any], result: dict[str, Any], newest: tuple[str, ...]
) -> None:
    named = {"result": result, "answer": ANSWER, "question": QUESTION}
    end = [QUESTION, call, *(named[name] for name in newest), ANSWER]
    messages = filled(([QUESTION, call], 400, end))
    spec = {"kind": "sliding_window", "keep_last_groups": 5}
    assert compact(messages, build_strategy(spec, len)) == kept_by_the_twin(messages, spec)


def test_a_long_list_is_not_read_whole_for_its_newest_part() -> None:
    messages = filled((5_000,))
    before = work_done()
    compact(messages, build_strategy({"kind": "sliding_window", "keep_last_groups": 5}, len))
    assert work_done().messages_read - before.messages_read < 1_000

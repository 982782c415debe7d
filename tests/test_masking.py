"""Observation masking: as recorded, as the twin has it, and what users see of it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatfold import (
    MessageIndex,
    ObservationMaskingStrategy,
    OptionError,
    PipelineCompactionStrategy,
    compact,
)
from conversations import LONG_RESULTS, Conversation
from golden_vectors import Vector, load_vectors
from product import Spec, build_strategy
from reference import History, run
from states import PART_TOKENS, groups_of, groups_of_twin, included_totals
from strategy_specs import CONTEXT_PRUNINGS, MASKINGS
from test_state import READINGS

VECTORS = [
    pytest.param(vector, id=str(number))
    for number, vector in enumerate(load_vectors("context_pruning"))
]


@pytest.mark.parametrize("vector", VECTORS)
def test_what_is_masked_is_that_of_the_vector(vector: Vector) -> None:
    messages = vector["messages"]
    strategy = ObservationMaskingStrategy(token_budget=vector["maskBudget"])
    kept = compact(messages, strategy)
    masked = [at for at, own in enumerate(messages) if kept[at] is not own]
    assert masked == vector["expected"]["consumedAndMasked"]
    for at in masked:
        assert len(kept[at]["content"].encode()) < len(messages[at]["content"].encode())
    assert compact(kept, strategy) == kept


@given(LONG_RESULTS, MASKINGS)
def test_promise_9_masking_is_that_of_looking_at_everything(
    messages: Conversation, spec: Spec
) -> None:
    history = History(messages, len, PART_TOKENS)
    index = MessageIndex(messages, tokenizer=len)
    run(history, spec)
    index.compact(build_strategy(spec, len))
    assert index.included_messages() == history.projection()
    assert groups_of(index) == groups_of_twin(history)
    assert included_totals(index) == history.included_totals()


def test_what_the_assistant_has_not_answered_is_left_alone() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "Read it."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "word " * 200},
    ]
    index = MessageIndex(messages)
    assert not index.compact(ObservationMaskingStrategy()).changed
    index.append({"role": "assistant", "content": " \n"})
    assert not index.compact(ObservationMaskingStrategy()).changed
    index.append({"role": "assistant", "content": "Words."})
    report = index.compact(ObservationMaskingStrategy())
    assert report.steps[0].shortened == 1
    assert len(index.included_messages()[2]["content"]) <= 300
    assert not index.compact(ObservationMaskingStrategy()).changed


def test_a_limit_that_no_marker_fits_into_is_refused() -> None:
    with pytest.raises(OptionError, match="min_chars is 63; pass a whole number of at least 64"):
        ObservationMaskingStrategy(min_chars=63)
    with pytest.raises(OptionError, match="token_budget is 0"):
        ObservationMaskingStrategy(token_budget=0)


@given(READINGS, MASKINGS, CONTEXT_PRUNINGS, st.integers(1, 6))
def test_promise_8_what_is_masked_stays_so_though_another_strategy_gives_up(
    messages: Conversation, spec: Spec, pruning: Spec, turn: int
) -> None:
    masking = build_strategy(spec, len)
    gives_up = build_strategy({**pruning, "min_tokens_freed": 10**9}, len)
    alone, beside = MessageIndex(tokenizer=len), MessageIndex(tokenizer=len)
    for start in range(0, len(messages), turn):
        for index in (alone, beside):
            index.extend(messages[start : start + turn])
        alone.compact(masking)
        beside.compact(PipelineCompactionStrategy(gives_up, masking, gives_up))
        assert beside.included_messages() == alone.included_messages()


def test_text_parts_share_what_their_result_may_have() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    parts = [{"type": "text", "text": f"{number} " * 40} for number in range(10)]
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "Read it."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": parts},
        {"role": "assistant", "content": "Words."},
    ]
    masked = compact(messages, ObservationMaskingStrategy(min_chars=300))[2]["content"]
    starts = [part["text"][:3] for part in masked]
    assert starts == ["0 0", "1 1", *["[.."] * 6, "8 8", "9 9"]
    assert sum(len(part["text"]) for part in masked) <= 300

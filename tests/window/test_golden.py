"""Recorded decisions of another system: when a summary is due, and which turns stay."""

from typing import Any

import pytest

from chatfold import MessageIndex, RetainRecent
from chatfold.config import load_config
from chatfold.window import should_summarize
from golden_vectors import load_vectors

Vector = dict[str, Any]

VECTORS = load_vectors("context_pruning")


def test_all_of_them_are_there() -> None:
    assert len(VECTORS) == 150


@pytest.mark.parametrize("vector", VECTORS, ids=range(len(VECTORS)))
def test_a_summary_is_due_when_it_was(vector: Vector) -> None:
    case = vector["triggerCase"]
    due = should_summarize(
        load_config({"trigger": case["trigger"]}).trigger,
        max_context_tokens=case["maxContextTokens"],
        tokens_before=case["prePruneContextTokens"],
        remaining_tokens=case["remainingContextTokens"],
        messages_to_refine=case["messagesToRefineCount"],
    )
    assert due == vector["expected"]["shouldSummarize"]


@pytest.mark.parametrize("vector", VECTORS, ids=range(len(VECTORS)))
def test_the_turns_stay_that_stayed(vector: Vector) -> None:
    messages = vector["messages"]
    index = MessageIndex(messages, tokenizer=len)
    groups = [group for group in index.groups if group.kind != "system"]
    kept = RetainRecent(**vector["retainRecent"]).tail(reversed(groups))
    positions = sorted(position for group in kept for position in group.positions)
    start = positions[0] if positions else len(messages)
    assert start == vector["expected"]["recencyTailStart"]
    assert len({group.turn for group in kept}) == vector["expected"]["recencyTurns"]
    later = [group for group in groups if group.positions[0] >= start]
    assert kept == set(later)

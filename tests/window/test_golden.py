"""Recorded decisions of another system: when a summary is due, and which turns stay."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from chatfold import MessageIndex, RetainRecent
from chatfold.config import load_config
from chatfold.window import should_summarize

GOLDEN = Path(__file__).parents[1] / "golden" / "summary_triggers.jsonl.gz"
Vector = dict[str, Any]


def load_vectors() -> list[Vector]:
    with gzip.open(GOLDEN, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def message(role: str, chars: int | None, *calls: Any) -> dict[str, Any]:  # noqa: ANN401
    """Build a message from the lengths that the vectors have in the place of texts."""
    built: dict[str, Any] = {"role": role, "content": None if chars is None else "x" * chars}
    if role == "tool":
        built["tool_call_id"] = calls[0]
    elif calls:
        built["tool_calls"] = [
            {
                "id": number,
                "type": "function",
                "function": {"name": "f" * name, "arguments": "x" * size},
            }
            for number, name, size in calls[0]
        ]
    return built


VECTORS = load_vectors()


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
    messages = [message(*each) for each in vector["messages"]]
    index = MessageIndex(messages, tokenizer=len)
    groups = [group for group in index.groups if group.kind != "system"]
    kept = RetainRecent(**vector["retainRecent"]).tail(reversed(groups))
    positions = sorted(position for group in kept for position in group.positions)
    start = positions[0] if positions else len(messages)
    assert start == vector["expected"]["recencyTailStart"]
    assert len({group.turn for group in kept}) == vector["expected"]["recencyTurns"]
    later = [group for group in groups if group.positions[0] >= start]
    assert kept == set(later)

"""Messages whose text comes in several parts, shortened."""

import json
from typing import Any

import pytest

from chatfold import (
    ContextPruningStrategy,
    MessageIndex,
    ObservationMaskingStrategy,
    OversizeClampingStrategy,
    ToolResultCompactionStrategy,
    compact,
)


@pytest.mark.parametrize(
    ("texts", "starts"),
    [
        (["short", "a" * 900, "b" * 300, "c" * 900], ["short", "aaaaa", "bbbbb", "ccccc"]),
        (["a" * 80] * 30, ["aaaaa"] * 3 + ["[...]"] * 24 + ["aaaaa"] * 3),
        (["a" * 40] * 7, ["aaaaa"] * 7),
        (["tiny"] * 300, ["tiny"] * 300),
    ],
    ids=["the longest give way", "both ends stay", "short enough", "no text could be shorter"],
)
def test_text_parts_share_what_their_message_may_take(texts: list[str], starts: list[str]) -> None:
    parts: list[dict[str, Any]] = [{"type": "text", "text": text} for text in texts]
    image = {"type": "image_url", "image_url": {"url": "data:;base64,QUJD"}}
    message: dict[str, Any] = {"role": "assistant", "content": [*parts, image]}
    clamping = OversizeClampingStrategy(max_context_window_tokens=512)
    kept = compact([message], clamping)
    content = kept[0]["content"]
    assert content[-1] is image
    assert [part["text"][:5] for part in content[:-1]] == starts
    assert sum(len(part["text"]) for part in content[:-1]) <= max(512, 4 * len(texts))
    assert all({**part, "text": ""} == {"type": "text", "text": ""} for part in content[:-1])
    assert compact(kept, clamping) == kept


def test_a_refusal_that_has_a_text_as_well_is_shortened_where_it_is_read() -> None:
    part = {"type": "refusal", "refusal": "no " * 300, "text": "x"}
    message: dict[str, Any] = {"role": "assistant", "content": [part]}
    kept = compact([message], OversizeClampingStrategy(max_context_window_tokens=512))
    assert len(kept[0]["content"][0].pop("refusal")) <= 512
    assert kept[0]["content"] == [{"type": "refusal", "text": "x"}]


def results_together(role: str) -> list[dict[str, Any]]:
    """Give a message with the results of two calls, and a text beside them."""
    calls = [
        {"id": each, "type": "function", "function": {"name": each, "arguments": "{}"}}
        for each in ("read", "find")
    ]
    parts: list[dict[str, Any]] = [
        {"type": "tool_result", "tool_call_id": "read", "content": "line\n" * 400},
        {
            "type": "tool_result",
            "tool_call_id": "find",
            "content": [{"type": "text", "text": "found " * 400}],
        },
        {"type": "text", "text": "beside " * 400},
    ]
    return [
        {"role": "user", "content": "Read it."},
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": role, "content": parts},
        {"role": "assistant", "content": "Words."},
        {"role": "user", "content": "And now?"},
    ]


@pytest.mark.parametrize("role", ["tool", "assistant"])
def test_of_several_results_in_one_message_only_the_text_beside_them_is_clamped(role: str) -> None:
    messages = results_together(role)
    pruning = ContextPruningStrategy(min_prunable_tool_chars=0, keep_last_assistants=0)
    index = MessageIndex(messages)
    assert not index.compact(pruning).changed
    assert not index.compact(ObservationMaskingStrategy(min_chars=80)).changed
    assert index.compact(OversizeClampingStrategy(max_context_window_tokens=512)).changed
    content = index.included_messages()[2]["content"]
    assert content[:2] == messages[2]["content"][:2]
    assert content[2]["text"].startswith("beside ")
    assert len(content[2]["text"]) <= 512
    loaded = MessageIndex.from_state(json.loads(json.dumps(index.to_state())), messages)
    assert loaded.included_messages() == index.included_messages()


def test_a_digest_tells_of_each_of_several_results_in_one_message() -> None:
    digests = ToolResultCompactionStrategy(keep_last_tool_call_groups=0)
    told = compact(results_together("tool"), digests)[1]["content"]
    assert told.startswith("[Tool results: read: line")
    assert "find: found" in told

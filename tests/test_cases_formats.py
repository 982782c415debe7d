"""Reported faults of other APIs' histories, in the chat format, which is the one that is read."""

import copy
import time
from typing import Any

import pytest

from chatfold import (
    ContextPruningStrategy,
    MessageError,
    MessageIndex,
    SelectiveToolCallCompactionStrategy,
    SoftTrim,
    TruncationStrategy,
    compact,
)
from other_formats import from_anthropic, from_responses
from reported_faults import Message, case, kinds, pairs_are_closed

NO_CALLS = SelectiveToolCallCompactionStrategy(keep_last_tool_call_groups=0)


def thinks(message: Message) -> bool:
    parts = message["content"] if isinstance(message["content"], list) else []
    return any(part["type"] in ("thinking", "reasoning") for part in parts)


@pytest.mark.parametrize("name", ["C13", "C14", "C53"])
def test_c13_items_that_are_no_chat_messages_are_refused_and_not_misread(name: str) -> None:
    with pytest.raises(MessageError, match="message 1 can't be read: it has no role"):
        MessageIndex(case(name))


@pytest.mark.parametrize("max_n", [1, 2, 3])
def test_c13_a_result_never_stays_without_its_call(max_n: int) -> None:
    messages = from_responses(case("C13"))
    for preserve in (True, False):
        strategy = TruncationStrategy(max_n=max_n, preserve_last_user_group=preserve)
        small = compact(messages, strategy)
        assert pairs_are_closed(small)
        assert kinds(small).count("tool") == sum("tool_calls" in message for message in small)
        assert small[-1] is messages[-1]


def test_c14_reasoning_leaves_with_the_call_that_it_led_to() -> None:
    messages = from_responses(case("C14"))
    small = compact(messages, NO_CALLS)
    question, reasoning, answer, following = messages[0], messages[4], messages[5], messages[6]
    assert small == [question, reasoning, answer, following]


def test_c15_no_message_with_nothing_but_thinking_is_left() -> None:
    messages = from_anthropic(case("C15"))
    assert thinks(messages[1])
    small = compact(messages, NO_CALLS)
    assert small == [messages[0], messages[3], messages[4]]
    assert not any(map(thinks, small))
    assert all(message["content"] for message in small)


@pytest.mark.parametrize("thinking", [True, False])
def test_c17_groups_with_and_without_thinking_are_handled_alike(*, thinking: bool) -> None:
    messages = from_anthropic(case("C17"))
    if not thinking:
        messages[1]["content"] = messages[1]["content"][1:]
    strategy = TruncationStrategy(max_n=200, tokenizer="o200k_base")
    small = compact(messages, strategy)
    assert kinds(small)[-2:] == ["assistant", "tool"]
    assert [message in small for message in messages] == [False, True, True, True, True]
    assert pairs_are_closed(small)


@pytest.mark.parametrize("kind", ["thinking", "redacted_thinking"])
def test_c18_a_signed_block_and_what_stands_beside_it_stay_as_they_are(kind: str) -> None:
    messages = from_anthropic(case("C18"))
    messages[1]["content"][0]["type"] = kind
    messages += [{"role": "assistant", "content": "So."}, {"role": "user", "content": "And?"}]
    before = copy.deepcopy(messages)
    strategy = ContextPruningStrategy(
        keep_last_assistants=0,
        min_prunable_tool_chars=0,
        soft_trim=SoftTrim(max_chars=400, head_chars=150, tail_chars=150),
        soft_trim_ratio=0.01,
        hard_clear_ratio=1,
    )
    small = compact(messages, strategy)
    assert messages == before
    assert len(small[2]["content"]) <= 400 < len(before[2]["content"])
    for at in (0, 1, 3, 4):
        assert small[at] is messages[at]
    assert pairs_are_closed(small)


def test_c47_age_is_a_place_in_the_history_and_asks_no_clock(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What has no time cannot be taken for new; size and age are conditions of their own."""
    messages = case("C47")

    def pruned(**options: Any) -> list[Message]:  # noqa: ANN401
        index = MessageIndex(messages)
        strategy = ContextPruningStrategy(keep_last_assistants=2, soft_trim=False, **options)
        index.compact(strategy)
        small = index.included_messages()
        assert pairs_are_closed(small)
        return small

    def cleared(small: list[Message]) -> list[int]:
        return [
            at for at, (one, two) in enumerate(zip(small, messages, strict=True)) if one is not two
        ]

    small = pruned(min_prunable_tool_chars=0)
    assert cleared(small) == [2, 6, 10, 14]
    assert cleared(pruned(min_prunable_tool_chars=0, hard_clear_ratio=0.9)) == [2]
    assert cleared(pruned(min_prunable_tool_chars=6_001)) == []
    for name in ("time", "monotonic", "perf_counter"):
        monkeypatch.setattr(time, name, lambda: 1e12)
    assert pruned(min_prunable_tool_chars=0) == small


@pytest.mark.parametrize(
    ("part", "blob"), [("reasoning", "encrypted_content"), ("redacted_thinking", "data")]
)
def test_c53_an_opaque_blob_costs_the_same_however_long_it_is(part: str, blob: str) -> None:
    messages = from_responses(case("C53"))
    item = messages[1]["content"][0]
    item["type"] = part
    item[blob] = item.pop("encrypted_content")
    assert len(item[blob]) == 16_000
    counts = []
    for size in (4, 16_000, 1_000_000):
        item[blob] = "QUJD" * (size // 4)
        index = MessageIndex(copy.deepcopy(messages))
        counts.append((index.total_token_count, index.total_byte_count))
    assert counts[0] == counts[1] == counts[2]
    assert counts[0][0] < 50

"""Reported faults that concern text: where it is cut, and what has none."""

import pytest

from chatfold import (
    ContextPruningStrategy,
    HardClear,
    MessageIndex,
    Overhead,
    SoftTrim,
    ToolResultCompactionStrategy,
    compact,
    triggers,
)
from reported_faults import Message, case


def rounds_of(text: str) -> list[Message]:
    call = {"id": "c0", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c0", "content": text},
        {"role": "user", "content": "next"},
    ]


TEXTS = {
    "emoji": "z" * 60 + "\U0001f388" + "end " * 500,
    "combining": "e\u0301" * 1500,
    "joined emoji": "\U0001f469\u200d\U0001f469\u200d\U0001f467" * 300,
    "lone surrogate": "ok \ud83d and more " * 100,
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("max_chars", [64, 95, 96, 97, 98, 99, 100, 101, 102, 103])
def test_c49_a_digest_is_cut_at_a_code_point_and_can_be_encoded(text: str, max_chars: int) -> None:
    strategy = ToolResultCompactionStrategy(keep_last_tool_call_groups=0, max_chars=max_chars)
    digest = compact(rounds_of(text), strategy)[0]["content"]
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    said = digest.removeprefix("[Tool results: f: ").removesuffix("... [truncated]]")
    assert whole.startswith(said)
    assert max_chars - 1 <= len(digest) <= max_chars
    assert digest.encode().decode() == digest


@pytest.mark.parametrize("head_chars", range(1990, 2011))
def test_c49_a_trim_is_cut_at_a_code_point_and_can_be_encoded(head_chars: int) -> None:
    strategy = ContextPruningStrategy(
        keep_last_assistants=0,
        min_prunable_tool_chars=0,
        soft_trim_ratio=0.01,
        soft_trim=SoftTrim(max_chars=3000, head_chars=head_chars, tail_chars=500),
        hard_clear=HardClear(enabled=False),
    )
    messages: list[Message] = [{"role": "user", "content": "first"}, *case("C49")]
    kept = compact(messages, strategy)
    shortened = [own for own, before in zip(kept, messages, strict=True) if own is not before]
    assert len(shortened) == 1
    text, whole = shortened[0]["content"], messages[2]["content"]
    assert text.encode().decode() == text
    assert whole.startswith(text.partition("\n[... kept ")[0])
    assert whole.endswith(text.rpartition(" ...]\n")[2])
    assert len(text) <= 3000


def test_c51_what_is_not_answered_yet_stays_and_a_digest_names_the_tool() -> None:
    messages = case("C51")
    strategy = ToolResultCompactionStrategy(
        trigger=triggers.tokens_exceed(1000), target=triggers.never, minimum_preserved=2
    )
    index = MessageIndex(messages)
    index.compact(strategy)
    kept = index.included_messages()
    assert kept[-4:] == messages[-4:]
    assert kept[1]["content"].startswith("[Tool results: read: old ")
    assert not index.compact(strategy).changed
    pruning = ContextPruningStrategy(keep_last_assistants=0, min_prunable_tool_chars=0)
    assert compact(messages, pruning) == messages


def test_c49_a_lone_surrogate_of_the_caller_stays_as_it_is() -> None:
    messages = [{"role": "user", "content": "ok \ud83d"}]
    index = MessageIndex(messages)
    assert index.included_messages()[0] is messages[0]
    assert index.included_byte_count == len("ok \ufffd".encode())


@pytest.mark.parametrize("image", [0, 85, 1_105])
def test_c55_the_price_of_an_image_can_be_set(image: int) -> None:
    part = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBOR"}}
    messages = [{"role": "user", "content": [part, part]}]
    index = MessageIndex(messages, overhead=Overhead(image=image))
    assert index.included_token_count == 2 * image


def test_c55_an_image_costs_much_by_default() -> None:
    messages = [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "u"}}]}]
    assert MessageIndex(messages).included_token_count > 1_000

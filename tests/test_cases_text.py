"""Reported faults that concern text: where it is cut, and what has none."""

import pytest

from chatfold import MessageIndex, Overhead, ToolResultCompactionStrategy, compact
from reported_faults import Message


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

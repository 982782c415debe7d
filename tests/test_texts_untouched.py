"""Reading leaves nothing behind in the caller's texts, and their sizes are right in every width."""

import json
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatfold import (
    MessageIndex,
    ToolResultCompactionStrategy,
    TruncationStrategy,
    compact,
    compact_many,
)
from chatfold.tokenizers import CharacterEstimatorTokenizer, TokenizerLike

# One text for each width in which Python stores code points, and one longer than what is copied.
WIDE = {
    "one byte": "Déjà vu à l'été. " * 20,
    "two bytes": "Правда — хорошо. " * 20,
    "four bytes": "🌲 and 🌊. " * 20,
    "long": "Ещё раз, и ещё много, много раз. " * 400,
}
TEXTS = st.text(st.characters(codec=None) | st.sampled_from("aé\u07ff\u0800я€🌲\ud83c\udf32"))


def conversation(text: str) -> list[dict[str, Any]]:
    """Make a history in which every kind of text is that one, as an object of its own."""
    own = iter([text + str(number) for number in range(40)])
    call = {"id": next(own), "type": "function"}
    call["function"] = {"name": next(own), "arguments": next(own)}  # type: ignore[assignment]
    return [
        {"role": "system", "content": next(own)},
        {"role": "user", "content": [{"type": "text", "text": next(own)}]},
        {"role": "assistant", "content": None, "tool_calls": [call], "reasoning": next(own)},
        {"role": "tool", "tool_call_id": call["id"], "content": next(own)},
        {"role": "assistant", "content": next(own), "refusal": next(own)},
        *({"role": "user", "content": next(own)} for _ in range(9)),
    ]


def sizes(value: object) -> list[int]:
    """Give the memory of every string in there."""
    match value:
        case str():
            return [sys.getsizeof(value)]
        case dict():
            return [size for each in value.values() for size in sizes(each)]
        case list():
            return [size for each in value for size in sizes(each)]
        case _:
            return []


@pytest.mark.parametrize("text", WIDE.values(), ids=WIDE)
@pytest.mark.parametrize(
    "tokenizer", [None, "o200k_base", CharacterEstimatorTokenizer(cjk_aware=True)]
)
def test_whatever_is_done_with_them_texts_take_as_much_memory_as_before(
    text: str, tokenizer: TokenizerLike
) -> None:
    messages = conversation(text)
    before = sizes(messages)
    index = MessageIndex(messages, tokenizer=tokenizer)
    assert index.total_token_count > 0
    index.sync([*messages[:5], *conversation(text)])
    MessageIndex.from_state(json.loads(json.dumps(index.to_state())), index.messages)
    index.compact(ToolResultCompactionStrategy(keep_last_tool_call_groups=0))
    for strategy in (TruncationStrategy(max_n=4), ToolResultCompactionStrategy()):
        compact(messages, strategy, tokenizer=tokenizer)
        compact_many([messages] * 3, strategy, tokenizer=tokenizer)
    assert sizes(messages) == before


@given(TEXTS, st.sampled_from([1, 1, 40, 4_096]))
def test_byte_counts_are_those_of_utf_8(text: str, times: int) -> None:
    text *= times
    repaired = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    index = MessageIndex([{"role": "user", "content": text}])
    assert index.total_byte_count == len(repaired.encode())


@pytest.mark.parametrize("length", [4_095, 4_096, 4_097])
@pytest.mark.parametrize(
    "char", ["é", "\x7f", "\x80", "\u07ff", "\u0800", "\ud7ff", "\ue000", "\uffff", "\U0010ffff"]
)
def test_byte_counts_at_every_border(char: str, length: int) -> None:
    index = MessageIndex([{"role": "user", "content": char * length}])
    assert index.total_byte_count == len(char.encode()) * length

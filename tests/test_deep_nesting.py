"""What is nested deeper than Python recurses is read, or refused by its position."""

from collections.abc import Callable
from typing import Any

import pytest

from chatfold import (
    MessageError,
    MessageIndex,
    SlidingWindowStrategy,
    ToolResultCompactionStrategy,
    TruncationStrategy,
    compact,
)

DEEP = 100_000


def nested(kind: Callable[[Any], Any]) -> Any:  # noqa: ANN401 (any depth)
    value: Any = 1
    for _ in range(DEEP):
        value = kind(value)
    return value


def calling(arguments: Any) -> dict[str, Any]:  # noqa: ANN401 (a framework's own object)
    function = {"name": "f", "arguments": arguments}
    return {"role": "assistant", "tool_calls": [{"id": "c", "function": function}]}


ASKS = {"role": "user", "content": "hello"}
ANSWERS = {"role": "tool", "tool_call_id": "c", "content": "x" * 500}


@pytest.mark.parametrize(
    "kind", [lambda value: [value], lambda value: {"a": value}], ids=["list", "dict"]
)
def test_arguments_are_refused_by_the_position_of_their_message(kind: Callable[[Any], Any]) -> None:
    messages = [ASKS, calling(nested(kind)), ANSWERS]
    with pytest.raises(MessageError, match="message 1 can't be read: the arguments") as caught:
        MessageIndex(messages)
    assert caught.value.position == 1
    index = MessageIndex([ASKS])
    with pytest.raises(MessageError, match="nested too deeply; pass them as JSON text"):
        index.append(messages[1])
    assert index.messages == [ASKS]


def test_a_deep_function_call_is_refused_as_well() -> None:
    call = {"name": "f", "arguments": nested(lambda value: [value])}
    with pytest.raises(MessageError, match="message 0 can't be read: the arguments"):
        MessageIndex([{"role": "assistant", "function_call": call}])


def test_json_text_may_be_as_deep_as_it_likes() -> None:
    messages = [calling("[" * DEEP + "]" * DEEP), ANSWERS, ASKS]
    index = MessageIndex(messages, tokenizer="o200k_base")
    assert index.included_byte_count == 2 * DEEP + 1 + 500 + 5
    assert index.included_token_count > 0


def test_a_deep_content_part_passes_through() -> None:
    part = {"type": "other", "value": nested(lambda value: [value])}
    message = {"role": "user", "content": [{"type": "text", "text": "see"}, part]}
    messages = [message, calling("{}"), ANSWERS, ASKS]
    index = MessageIndex(messages, tokenizer="o200k_base")
    index.compact(ToolResultCompactionStrategy(keep_last_tool_call_groups=0))
    assert index.included_messages()[0] is message
    assert compact(messages, SlidingWindowStrategy(keep_last_groups=2))[0] is messages[1]
    assert compact([ASKS, message], TruncationStrategy(max_n=1)) == [message]


def test_a_sync_reads_what_it_cannot_compare() -> None:
    def part() -> dict[str, Any]:
        return {"role": "user", "content": [{"type": "other", "v": nested(lambda v: [v])}]}

    index = MessageIndex([ASKS, part(), ANSWERS])
    index.exclude(index.groups[0], reason="mine")
    newer = part()
    assert index.sync([ASKS, newer, ANSWERS]) == 1
    assert index.included_messages()[0] is newer

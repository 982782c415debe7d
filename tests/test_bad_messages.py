"""A message that can't be read is named by its position, and nothing of its list is taken."""

from collections.abc import Callable
from typing import Any

import pytest

from chatfold import (
    ChatfoldError,
    MessageError,
    MessageIndex,
    OptionTypeError,
    Overhead,
    TruncationStrategy,
    compact,
)

GOOD = {"role": "user", "content": "hello"}
ROLES = "system, developer, user, assistant, tool, function"

BAD: list[tuple[Any, str]] = [
    (3, "3 is not a message"),
    ("hello", "'hello' is not a message"),
    (b"hello", "b'hello' is not a message"),
    (None, "None is not a message"),
    (["role", "user"], r"\['role', 'user'\] is not a message"),
    ({}, f"it has no role; a role is one of {ROLES}"),
    ({"content": "hello"}, "it has no role"),
    ({"role": None, "content": "hello"}, "it has no role"),
    ({"role": 5, "content": "hello"}, "its role is 5"),
    ({"role": "critic", "content": "hello"}, "its role is 'critic'"),
    ({"role": "User", "content": "hello"}, "its role is 'User'"),
    ({"role": "user", "content": 5}, "its content is 5"),
    ({"role": "user", "content": {"text": "hello"}}, "its content is {'text': 'hello'}"),
    ({"role": "assistant", "tool_calls": "f"}, "its tool_calls are 'f'"),
    ({"role": "assistant", "tool_calls": {"id": "c0"}}, "its tool_calls are {'id': 'c0'}"),
    ({"role": "assistant", "tool_calls": [3]}, "one of its tool_calls is 3"),
    ({"role": "assistant", "function_call": "f"}, "its function_call is 'f'"),
]

READERS: dict[str, Callable[[list[Any]], object]] = {
    "index": MessageIndex,
    "extend": lambda messages: MessageIndex().extend(messages),
    "append": lambda messages: MessageIndex(messages[:2]).append(messages[2]),
    "compact": lambda messages: compact(messages, TruncationStrategy(max_n=1)),
}


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
@pytest.mark.parametrize(("message", "what"), BAD, ids=[what for _, what in BAD])
def test_it_is_named_by_its_position(
    message: object, what: str, reader: Callable[[list[Any]], object]
) -> None:
    with pytest.raises(MessageError, match=f"^message 2 can't be read: {what}") as caught:
        reader([GOOD, GOOD, message])
    assert caught.value.position == 2
    assert isinstance(caught.value, ChatfoldError)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(("message", "what"), BAD, ids=[what for _, what in BAD])
def test_none_of_its_list_is_taken(message: object, what: str) -> None:
    index = MessageIndex([GOOD])
    with pytest.raises(MessageError, match=f"message 2 can't be read: {what}"):
        index.extend([GOOD, message, GOOD])
    assert index.included_messages() == [GOOD]
    index.append(GOOD)
    assert [group.positions for group in index.groups] == [(0,), (1,)]


@pytest.mark.parametrize("messages", ["hello", b"hello", GOOD, 3, None], ids=str)
def test_what_is_no_list_of_messages_is_refused(messages: Any) -> None:  # noqa: ANN401
    with pytest.raises(OptionTypeError, match=f"messages is a {type(messages).__name__}"):
        MessageIndex(messages)


def test_a_long_message_is_not_shown_whole() -> None:
    with pytest.raises(MessageError) as caught:
        MessageIndex([{"role": "user", "content": {"text": "x" * 10_000}}])
    assert len(str(caught.value)) < 300


def test_unknown_parts_and_keys_are_no_fault() -> None:
    message = {"role": "user", "content": [3, None, {}, {"type": 7}], "anything": object()}
    assert MessageIndex([message]).included_messages() == [message]


@pytest.mark.parametrize("kind", ["x", "image_url"])
def test_absurd_prices_of_parts_are_no_panic(kind: str) -> None:
    overhead = Overhead(other=2**31, image=2**31)
    message = {"role": "user", "content": [{"type": kind}, {"type": kind}]}
    assert MessageIndex([message], overhead=overhead).total_token_count > 2**31

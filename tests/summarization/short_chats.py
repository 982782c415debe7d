"""Histories as short as in the reports, and how they are summarized."""

from typing import Any

from chatfold import (
    CompactionReport,
    MessageIndex,
)
from summarization.stubs import (
    Client,
    Message,
    Option,
    assistant,
    compacted,
    texts,
    user,
)


def tool_call(number: int, name: str = "scan", arguments: str = "{}") -> Message:
    function = {"name": name, "arguments": arguments}
    return {"id": f"c{number}", "type": "function", "function": function}


def calls(*numbers: int, name: str = "scan") -> Message:
    made = [tool_call(number, name) for number in numbers]
    return {"role": "assistant", "content": None, "tool_calls": made}


def result(number: int, text: Any) -> Message:  # noqa: ANN401
    return {"role": "tool", "tool_call_id": f"c{number}", "content": text}


def chat(count: int) -> list[Message]:
    """Make turns as short as in the reports."""
    return [m for n in range(count) for m in (user(f"q{n}"), assistant(f"a{n}"))]


def keep(count: int) -> dict[str, int]:
    return {"target_count": count, "threshold": 0}


def summarized(
    history: list[Message], client: Client, **options: Option
) -> tuple[MessageIndex, CompactionReport]:
    index, report = compacted(history, client, **options)
    assert_pairs_closed(index.included_messages())
    return index, report


def assert_pairs_closed(messages: list[Message]) -> None:
    """Check that each result follows its call, and that only the last calls may wait."""
    open_calls: set[str] = set()
    for message in messages:
        if message["role"] == "tool":
            assert message["tool_call_id"] in open_calls
            open_calls.discard(message["tool_call_id"])
        open_calls |= {call["id"] for call in message.get("tool_calls") or ()}


def summaries(index: MessageIndex) -> list[str]:
    return [text for text in texts(index) if str(text).startswith("[Summary]")]

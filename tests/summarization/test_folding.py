"""A history that does not fit one call reaches the summarizer in several."""

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatfold import MessageIndex, SummarizationStrategy, tokenizers, triggers
from conversations import CONVERSATIONS
from summarization.stubs import (
    Message,
    Option,
    Stub,
    compacted,
    run,
    tool_round,
    turns,
    user,
)

LIMIT = {"max_summary_input_tokens": 1_500, "max_summary_tokens": 200}


def tokens_of(messages: list[Message], tokenizer: Option = None) -> int:
    count = tokenizers.resolve(tokenizer).count_tokens
    return sum(count(message["content"]) for message in messages)


def test_what_fits_is_shown_in_one_call() -> None:
    stub = Stub()
    compacted(turns(20), stub)
    assert len(stub.seen) == 1


def test_what_does_not_fit_is_folded_in_steps() -> None:
    stub = Stub(lambda call: f"gist {call}")
    index, report = compacted(turns(100), stub, **LIMIT)
    assert len(stub.seen) > 5
    assert "<chat-summary>" not in stub.shown[0]
    for call, shown in enumerate(stub.shown[1:], 1):
        assert shown.startswith(f"<chat-summary>\ngist {call}\n</chat-summary>\n")
    assert index.included_messages()[0]["content"] == f"[Summary] gist {len(stub.seen)}"
    assert report.summary_usage.calls == len(stub.seen)


@pytest.mark.parametrize("tokenizer", [None, "o200k_base"])
def test_no_call_exceeds_the_limit(tokenizer: str | None) -> None:
    stub = Stub("word " * 150)
    history = [*turns(60), *[m for n in range(20) for m in tool_round(n, "data " * 900)], user("!")]
    index = MessageIndex(history, tokenizer=tokenizer)
    compacted(index, stub, **LIMIT)
    assert max(tokens_of(messages, tokenizer) for messages in stub.seen) <= 1_500


def test_one_message_longer_than_a_call_is_shown_in_parts() -> None:
    words = [f"w{number}" for number in range(5_000)]
    stub = Stub()
    compacted([user(" ".join(words)), *turns(4)], stub, **LIMIT)
    shown = set("\n".join(stub.shown).split())
    assert [word for word in words if word not in shown] == []


def test_each_call_has_a_time_of_its_own() -> None:
    async def client(messages: list[Message]) -> str:
        del messages
        await asyncio.sleep(0.03)
        return "gist"

    _, report = compacted(turns(100), client, timeout=0.1, **LIMIT)
    assert report.summaries[0].outcome == "written"
    assert report.summary_usage.seconds > 0.1


def test_the_previous_summary_is_given_once() -> None:
    stub = Stub("NEWS " * 20)
    index, _ = compacted(turns(100), Stub("FORMER " * 20), **LIMIT)
    index.extend(turns(60, first=100))
    compacted(index, stub, **LIMIT)
    assert "FORMER" in stub.shown[0]
    assert not any("FORMER" in shown for shown in stub.shown[1:])
    assert len(stub.seen) > 1


def test_a_previous_summary_too_long_for_a_call_is_folded_too() -> None:
    stub = Stub()
    words = [f"w{number}" for number in range(4_000)]
    compacted([user("[Summary] " + " ".join(words)), *turns(6)], stub, **LIMIT)
    shown = set("\n".join(stub.shown).split())
    assert [word for word in words if word not in shown] == []
    assert max(map(tokens_of, stub.seen)) <= 1_500


def test_a_tokenizer_that_always_says_too_much_ends_all_the_same() -> None:
    stub = Stub()
    index = MessageIndex(turns(6), tokenizer=lambda text: 10**6 if len(text) > 20 else 0)
    compacted(index, stub, **LIMIT)
    assert 0 < len(stub.seen) < 200


def test_where_no_summary_can_fit_nobody_is_asked() -> None:
    stub = Stub()
    index = MessageIndex(turns(6), tokenizer=lambda text: 10**6 if text else 0)
    _, report = compacted(index, stub, **LIMIT)
    assert (stub.seen, report.changed) == ([], False)


def with_canaries(messages: list[Message]) -> list[Message]:
    """Open each text with a word of its own."""
    marked = []
    for number, message in enumerate(messages):
        content = message.get("content")
        opening = f"canary{number}canary "
        if isinstance(content, list):
            marked.append({**message, "content": [{"type": "text", "text": opening}, *content]})
        elif isinstance(content, str) and not content.startswith("["):
            marked.append({**message, "content": opening + content})
        else:
            marked.append(message)
    return marked


@given(
    history=CONVERSATIONS,
    limit=st.integers(900, 4_000),
    answer=st.sampled_from(["gist", "word " * 400]),
    options=st.sampled_from(
        [
            {},
            {"trigger": triggers.always},
            {"trigger": triggers.tokens_exceed(50)},
            {"keep_user_messages": True, "max_kept_user_tokens": 40},
        ]
    ),
)
def test_all_that_a_removed_group_held_reached_some_call(
    history: list[Message], limit: int, answer: str, options: dict[str, Any]
) -> None:
    history = with_canaries(history)
    stub = Stub(answer)
    index = MessageIndex(history)
    strategy = SummarizationStrategy(
        client=stub, max_summary_input_tokens=limit, max_summary_tokens=100, **options
    )
    run(index.acompact(strategy))
    shown = "\n".join(stub.shown)
    gone = [message for group in index.groups if group.excluded for message in group.messages]
    for message in gone:
        content = message.get("content")
        text = content[0]["text"] if isinstance(content, list) else content or ""
        if text.startswith("canary"):
            assert text.split()[0] in shown
    assert not stub.seen or max(map(tokens_of, stub.seen)) <= limit

"""A tokenizer of chatfold as one of the framework's."""

import pytest
from agent_framework import (
    Content,
    Message,
    TokenBudgetComposedStrategy,
    TokenizerProtocol,
    annotate_message_groups,
    apply_compaction,
    included_token_count,
)

import chatfold
from chatfold import MessageIndex, Overhead
from chatfold.integrations.agent_framework import as_tokenizer
from chatfold.integrations.agent_framework.messages import to_chat
from framework_agents.scripted import conversation, run
from framework_agents.test_contents import KINDS, PRICES


def annotated(message: Message, tokenizer: TokenizerProtocol) -> int:
    messages = [Message(message.role, message.contents)]
    annotate_message_groups(messages, tokenizer=tokenizer)
    return included_token_count(messages)


@pytest.mark.parametrize("kind", KINDS)
def test_the_framework_counts_a_kind_as_an_index_does(kind: str) -> None:
    role, content, *_ = KINDS[kind]
    message = Message(role, [content, "and words"])
    if kind == "function_result":
        # What the framework has counted lacks what came beside the text of a result.
        message.contents[0].items = None
    index = MessageIndex([to_chat(message)], tokenizer="o200k_base", overhead=PRICES)
    tokenizer = as_tokenizer("o200k_base", overhead=PRICES)
    assert annotated(message, tokenizer) == index.included_token_count


def test_text_counts_and_the_json_around_it_does_not() -> None:
    words = "The quick brown fox jumps over the lazy dog."
    tokenizer = as_tokenizer("o200k_base")
    assert isinstance(tokenizer, TokenizerProtocol)
    assert annotated(Message("user", [words]), tokenizer) == tokenizer.count_tokens(words) == 10
    image = Content.from_data(b"0" * 30_000, "image/png")
    assert annotated(Message("user", [words, image]), tokenizer) == 10 + Overhead().image
    priced = as_tokenizer("o200k_base", overhead=Overhead(per_message=4, per_history=3, image=85))
    assert annotated(Message("user", [words, image]), priced) == 10 + 4 + 85


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain",
        "{not json",
        '{"contents": [',
        '{"contents": [], "message_id": "m"}',
        '{"contents": [{"text": "no type"}], "message_id": "m", "role": "user"}',
        '{"contents": [], "message_id": "m", "role": "user", "more": 1}',
    ],
)
def test_what_is_no_message_of_the_framework_counts_as_text(text: str) -> None:
    assert as_tokenizer(len).count_tokens(text) == len(text)


def test_a_budget_of_the_framework_is_one_of_text() -> None:
    messages = conversation(8)
    tokenizer = as_tokenizer("o200k_base")
    strategy = TokenBudgetComposedStrategy(token_budget=400, tokenizer=tokenizer, strategies=[])
    kept = run(apply_compaction(messages, strategy=strategy))
    index = MessageIndex([to_chat(message) for message in kept], tokenizer="o200k_base")
    assert 250 < index.included_token_count <= 400


def test_a_wrong_tokenizer_is_refused() -> None:
    with pytest.raises(chatfold.UnknownTokenizerError, match="no-such"):
        as_tokenizer("no-such")
    assert repr(as_tokenizer("o200k_base")).startswith("as_tokenizer(")

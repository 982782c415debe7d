"""How a conversation is found again, what a list that parts from it knows, and what is kept."""

import copy
import gc
import random
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest

from chatfold import MessageIndex, TruncationStrategy
from chatfold.integrations import _conversations
from chatfold.integrations._conversations import Conversation, Conversations
from openai_client.clients import said, words
from work import Work

STRATEGY = TruncationStrategy(max_n=8, compact_to=4)


def kept_by(conversations: Conversations, messages: list[Any]) -> MessageIndex:
    """Do what a call does, with a list of its own."""
    messages = list(messages)
    with conversations.held(messages) as conversation:
        conversation.index.sync(messages)
        conversation.stands_at(messages)
        conversation.index.compact(STRATEGY)
        return conversation.index


@pytest.fixture
def conversations() -> Conversations:
    return Conversations(4, partial(MessageIndex, tokenizer=words))


def test_a_list_that_goes_on_has_its_index_back(conversations: Conversations) -> None:
    messages = said(30)
    index = kept_by(conversations, messages[:10])
    assert kept_by(conversations, messages[:10]) is index
    assert kept_by(conversations, messages) is index
    assert kept_by(conversations, copy.deepcopy(messages)) is index
    assert len(conversations) == 1


def test_a_message_that_grows_in_place_is_the_same_conversation(
    conversations: Conversations,
) -> None:
    messages = said(10)
    index = kept_by(conversations, messages)
    messages[-1]["content"] += " And more."
    assert kept_by(conversations, messages) is index
    assert index.total_token_count == MessageIndex(messages, tokenizer=words).total_token_count


def test_an_answer_that_is_asked_for_again_goes_on_with_what_is_known(
    conversations: Conversations,
) -> None:
    messages = said(20)
    first = kept_by(conversations, messages)
    again = [*messages[:-1], {"role": "assistant", "content": "Something else."}]
    work = Work()
    second = kept_by(conversations, again)
    assert second is not first
    assert second.included_messages() == [*first.included_messages()[:-1], again[-1]]
    # Reading the copy, and the list that parts from it; nothing is counted again.
    assert work.done.messages_read <= 2 * 20
    assert len(conversations) == 2
    work = Work()
    assert kept_by(conversations, messages) is first
    assert kept_by(conversations, again) is second
    assert work.done.messages_read == 0


def test_a_shorter_list_goes_on_with_what_is_known_and_leaves_the_longer_one(
    conversations: Conversations,
) -> None:
    messages = said(20)
    first = kept_by(conversations, messages)
    assert first.included_messages() == messages[16:]
    second = kept_by(conversations, messages[:18])
    assert second is not first
    assert second.included_messages() == messages[14:18]
    assert kept_by(conversations, messages) is first


def test_what_opens_alike_and_goes_on_otherwise_starts_anew(conversations: Conversations) -> None:
    opening: list[Any] = [{"role": "system", "content": "Be brief."}, *said(1)]
    index = kept_by(conversations, [*opening, *said(9, "one ")])
    work = Work()
    other = kept_by(conversations, [*opening, *said(9, "two ")])
    assert other is not index
    assert work.done.messages_read == 11


def test_answers_that_look_alike_do_not_join_conversations(conversations: Conversations) -> None:
    yes: dict[str, Any] = {"role": "assistant", "content": "Yes."}
    for other in (dict(yes), yes):
        one = [*said(1), *said(5, "one "), yes]
        two = [*said(1), *said(5, "two "), other]
        assert kept_by(conversations, one) is not kept_by(conversations, two)


def test_those_used_last_are_kept_and_the_others_are_let_go(conversations: Conversations) -> None:
    seen = [weakref.ref(kept_by(conversations, said(5, f"{n}: "))) for n in range(4)]
    kept_by(conversations, said(5, "0: "))
    kept_by(conversations, said(5, "4: "))
    gc.collect()
    assert [each() is None for each in seen] == [False, True, False, False]
    assert len(conversations) == 4


def test_text_is_bounded_too(conversations: Conversations, monkeypatch: pytest.MonkeyPatch) -> None:
    size = MessageIndex(said(9, "0: ")).total_byte_count
    monkeypatch.setattr(_conversations, "MOST_BYTES", 2 * size)
    for number in range(4):
        kept_by(conversations, said(9, f"{number}: "))
        assert len(conversations) <= 2
    long = said(9, "word " * 1_000)
    kept_by(conversations, long)
    assert len(conversations) == 1
    work = Work()
    kept_by(conversations, long)
    assert work.done.messages_read == 0


def test_none_are_kept_where_none_may(conversations: Conversations) -> None:
    conversations.most = 0
    assert kept_by(conversations, said(5)) is not kept_by(conversations, said(5))
    assert len(conversations) == 0
    assert kept_by(conversations, []).included_messages() == []


@pytest.mark.parametrize(
    "content",
    [
        None,
        [],
        [{"type": "image_url", "image_url": {"url": "data:,"}}],
        [{"type": "image_url", "image_url": {"url": "data:,"}}, {"type": "text", "text": "What?"}],
        ["bare"],
    ],
)
def test_any_content_may_open_a_conversation(conversations: Conversations, content: Any) -> None:  # noqa: ANN401
    messages: list[Any] = [{"role": "user", "content": content}, *said(4)[1:]]
    index = kept_by(conversations, messages)
    assert kept_by(conversations, copy.deepcopy(messages)) is index
    other: list[Any] = [{"role": "user", "content": "Else?"}, *said(4)[1:]]
    assert kept_by(conversations, other) is not index


def test_a_failure_while_it_is_held_keeps_or_drops_it(conversations: Conversations) -> None:
    def fail(messages: list[Any], *, read: bool) -> None:
        with conversations.held(messages) as conversation:
            if read:
                conversation.index.sync(messages)
                conversation.stands_at(messages)
            raise RuntimeError("boom")

    messages = said(9)
    with pytest.raises(RuntimeError):
        fail(messages, read=False)
    assert len(conversations) == 0
    with pytest.raises(RuntimeError):
        fail(messages, read=True)
    assert len(conversations) == 1
    with pytest.raises(RuntimeError):
        fail([*messages, *said(3, "more ")], read=False)
    work = Work()
    kept_by(conversations, messages)
    assert work.done.messages_read == 0


@pytest.mark.parametrize("seed", range(3))
def test_threads_that_share_conversations_never_meet_in_one(seed: int) -> None:
    conversations = Conversations(6, partial(MessageIndex, tokenizer=words))
    talks = [said(40, f"{number}: ") for number in range(4)]
    inside: set[int] = set()
    lock = threading.Lock()

    def converse(number: int) -> None:
        chance = random.Random(100 * seed + number)  # noqa: S311 (a seeded order)
        for _ in range(60):
            messages = chance.choice(talks)[: chance.randrange(1, 40)]
            with conversations.held(messages) as conversation:
                with lock:
                    assert id(conversation.index) not in inside
                    inside.add(id(conversation.index))
                conversation.index.sync(messages)
                conversation.stands_at(messages)
                conversation.index.compact(STRATEGY)
                assert len(conversation.index) == len(messages)
                assert conversation.index.messages == messages
                with lock:
                    inside.discard(id(conversation.index))

    with ThreadPoolExecutor(6) as threads:
        list(threads.map(converse, range(6)))
    assert len(conversations) <= 6
    held = sum(each.index.total_byte_count for each in conversations._kept)
    assert conversations._bytes == held > 0
    anchored = [each for known in conversations._anchored.values() for each in known]
    assert set(anchored) == set(conversations._kept)
    assert all(isinstance(each, Conversation) for each in anchored)

"""A person may open a message as a summary opens; the last thing that they asked stays all the same."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from chatfold import (
    ContextWindow,
    MessageIndex,
    RetainRecent,
    SlidingWindowStrategy,
    TruncationStrategy,
    compact,
    triggers,
)
from chatfold.strategies import Strategy
from summarization.stubs import (
    Failing,
    Message,
    Stub,
    assistant,
    compacted,
    run,
    texts,
    tool_round,
    turns,
    user,
)

OPENINGS = ["[Summary] of my notes: fix them", "[Tool results: x] what is that?", "[Tool calls: ?"]
WORK = [message for n in range(8) for message in tool_round(n, "data " * 40)]


@pytest.mark.parametrize("asked", OPENINGS)
@pytest.mark.parametrize(
    "strategy", [TruncationStrategy(max_n=4), SlidingWindowStrategy(keep_last_groups=2)]
)
def test_what_a_person_asked_last_is_kept(asked: str, strategy: Strategy) -> None:
    history = [*turns(3), user(asked), *WORK]
    kept = compact(history, strategy)
    assert user(asked) in kept
    assert len(kept) < len(history)
    assert compact(kept, strategy) == kept


@pytest.mark.parametrize("asked", OPENINGS)
def test_what_a_person_asked_last_is_not_summarized(asked: str) -> None:
    stub = Stub()
    index, _ = compacted([*turns(3), user(asked), *WORK], stub)
    assert asked in texts(index)
    assert "chat-summary" not in stub.shown[0]


def test_it_is_summarized_once_something_else_is_asked() -> None:
    asked = user(OPENINGS[0])
    index = MessageIndex([*turns(3), asked, *WORK])
    compacted(index, Stub())
    index.extend(turns(3))
    stub = Stub("The new gist.")
    compacted(index, stub)
    assert asked not in index.included_messages()
    assert "of my notes: fix them" in stub.shown[0]


BEFORE: list[list[Message]] = [
    turns(3),
    [*turns(3), user("Here are my notes.")],
    [assistant("[Summary] What was said."), *turns(3), user("Two messages, please.")],
    [*turns(3), *tool_round(9, "data")],
    [user("[Summary] of yesterday"), *turns(3)],
    [*turns(3), user("[Summary] of yesterday")],
    [],
]


@pytest.mark.parametrize("asked", OPENINGS)
@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"summary_role": "user"},
        {"keep_user_messages": True},
        {"retain_recent": RetainRecent(turns=0)},
        {"trigger": triggers.always, "minimum_preserved": 1},
        {"trigger": triggers.always, "target": triggers.messages_exceed(0)},
        {"on_failure": "digest", "client": Failing()},
    ],
)
def test_promise_3_what_a_person_asked_last_stays_wherever_it_stands(
    before: list[Message], asked: str, options: dict[str, Any]
) -> None:
    stub, last = Stub(), user(asked)
    index, report = compacted([*before, last, *WORK], **{"client": stub, **options})
    kept = index.included_messages()
    assert last in kept
    # So does the last message that no doubt is about.
    said = [message for message in before if message["role"] == "user"]
    sure = [message for message in said if not message["content"].startswith("[Summary]")]
    assert all(message in kept for message in sure[-1:])
    if report.changed:
        assert all(f"<chat-summary>\n{asked}" not in shown for shown in stub.shown)
    before_again = index.included_messages()
    compacted(index, **{"client": Stub(), **options})
    assert last in index.included_messages()
    assert len(index.included_messages()) <= len(before_again)


@pytest.mark.parametrize("asked", OPENINGS)
@pytest.mark.parametrize("turn_count", [0, 2])
def test_what_a_person_asked_last_stays_in_a_window(asked: str, turn_count: int) -> None:
    config = {"retainRecent": {"turns": turn_count}}
    window = ContextWindow(config, max_context_tokens=600, summarizer=Stub())
    history = [*turns(8), user("Two messages, please."), user(asked), *WORK]
    for _ in range(3):
        prepared = run(window.prepare(history))
        assert user(asked) in prepared.messages
        assert user("Two messages, please.") in prepared.messages
        assert prepared.report.target_met
        summaries = [group for group in window.index.included_groups if group.summarizes]
        assert window.usage.baseline == sum(group.token_count for group in summaries)
        history = [*history, *WORK[:2]]


@pytest.mark.parametrize("opening", OPENINGS)
def test_user_messages_are_kept_word_for_word_whatever_they_open_like(opening: str) -> None:
    asked = [user(f"{opening} {number}") for number in range(4)]
    history = [message for each in asked for message in (each, assistant("so. " * 40))]
    index, _ = compacted([*history, *turns(3)], Stub(), keep_user_messages=True)
    assert [message for message in index.included_messages() if message in asked] == asked


def test_where_summaries_are_in_the_role_of_the_user_older_ones_are_no_user_messages() -> None:
    history = [user("[Summary] So far."), *turns(6)]
    options = {"keep_user_messages": True, "summary_role": "user"}
    index, _ = compacted(history, stub := Stub(), **options)
    assert "<chat-summary>\nSo far." in stub.shown[0]
    assert user("[Summary] So far.") not in index.included_messages()


def test_what_a_person_said_is_shown_as_their_words() -> None:
    stub = Stub()
    compacted([user("[Tool results: x] what is that?"), assistant("so. " * 40), *turns(4)], stub)
    assert '<chat-message role="user">\n[Tool results: x] what is that?' in stub.shown[0]


def stored(history: list[Message], role: str, rounds: int) -> Iterator[list[Message]]:
    """Keep nothing but the list, as those do who store it elsewhere."""
    for number in range(rounds):
        index, report = compacted(history, Stub(f"The gist {number}."), summary_role=role)
        assert report.changed
        yield index.included_messages()
        history = json.loads(json.dumps([*index.included_messages(), *WORK[:8]]))


def test_a_summary_in_a_bare_list_is_updated_though_nothing_was_asked_since() -> None:
    for number, kept in enumerate(stored([user("go"), *WORK], "assistant", 4)):
        assert gists(kept) == [f"[Summary] The gist {number}."]


def test_in_the_role_of_the_user_the_newest_stays_where_only_the_list_was_stored() -> None:
    # A person may have written it.
    found = [gists(kept) for kept in stored([user("go"), *WORK], "user", 5)]
    assert found[0] == ["[Summary] The gist 0."]
    assert found[1] == ["[Summary] The gist 0.", "[Summary] The gist 1."]
    # What is sure to be a summary is updated.
    assert [len(each) for each in found[1:]] == [2] * 4
    assert all("[Summary] The gist 1." in each for each in found[1:])


def test_in_the_role_of_the_user_one_is_updated_once_something_is_asked() -> None:
    index, _ = compacted([user("go"), *WORK], Stub("The gist."), summary_role="user")
    history = [*index.included_messages(), user("and then?"), *WORK]
    index, _ = compacted(history, stub := Stub("All."), summary_role="user")
    assert "<chat-summary>\nThe gist." in stub.shown[0]
    assert gists(index.included_messages()) == ["[Summary] All."]


def test_an_index_knows_its_own_whatever_their_role() -> None:
    index = MessageIndex([user("go"), *WORK])
    for number in range(4):
        compacted(index, Stub(f"The gist {number}."), summary_role="user")
        assert gists(index.included_messages()) == [f"[Summary] The gist {number}."]
        state = json.loads(json.dumps(index.to_state()))
        index = MessageIndex.from_state(state, index.messages)
        index.extend(WORK[:8])


def gists(messages: list[Message]) -> list[str]:
    return [each["content"] for each in messages if str(each["content"]).startswith("[Summary]")]


def test_a_message_of_the_list_that_opens_like_a_summary_can_be_protected() -> None:
    pinned = user("[Summary] of my notes")
    index = MessageIndex([pinned, *turns(8)])
    index.protect(index.groups[0])
    compacted(index, Stub())
    assert index.included_messages()[0] is pinned


def test_one_of_an_assistant_is_a_stand_in_wherever_it_stands() -> None:
    history = [*turns(3), assistant("[Summary] of what was said"), *WORK]
    assert assistant("[Summary] of what was said") not in compact(
        history, TruncationStrategy(max_n=4)
    )

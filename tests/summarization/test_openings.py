"""A person may open a message as a summary opens; the last thing that they asked stays all the same."""

import pytest

from chatfold import MessageIndex, SlidingWindowStrategy, TruncationStrategy, compact
from chatfold.strategies import Strategy
from summarization.stubs import Message, Stub, assistant, compacted, texts, tool_round, turns, user

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


@pytest.mark.parametrize("role", ["assistant", "user"])
def test_a_summary_in_a_bare_list_is_updated_though_nothing_was_asked_since(role: str) -> None:
    history: list[Message] = [user("go"), *WORK]
    for number in range(3):
        index, report = compacted(history, Stub(f"The gist {number}."), summary_role=role)
        assert report.changed
        history = [*index.included_messages(), *WORK[:8]]
        summaries = [text for text in texts(index) if str(text).startswith("[Summary]")]
        assert summaries == [f"[Summary] The gist {number}."]
    assert run_once(history, role) == run_once(history, role)


def run_once(history: list[Message], role: str) -> list[Message]:
    index, _ = compacted(history, Stub(), summary_role=role)
    return index.included_messages()


def test_one_of_an_assistant_is_a_stand_in_wherever_it_stands() -> None:
    history = [*turns(3), assistant("[Summary] of what was said"), *WORK]
    assert assistant("[Summary] of what was said") not in compact(
        history, TruncationStrategy(max_n=4)
    )

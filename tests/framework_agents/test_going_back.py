"""A list of the framework's messages that goes back: a person edits what was said long ago."""

from collections.abc import Callable

import pytest
from agent_framework import Message, included_messages

import chatfold
from chatfold import ExtractiveSummarizer, SlidingWindowStrategy, SummarizationStrategy
from chatfold import ToolResultCompactionStrategy as Digests
from chatfold.integrations.agent_framework import as_compaction_strategy
from framework_agents.scripted import conversation, pairs_closed
from framework_agents.test_strategy import STRATEGIES, compacted


def is_written(message: Message) -> bool:
    return message.text.startswith(("[Summary]", "[Tool results: "))


def edited_at(messages: list[Message], turn: int) -> list[Message]:
    """Give the list up to the user message of a turn, with another one in its place."""
    places = [at for at, message in enumerate(messages) if message.role == "user"]
    return [*messages[: places[turn]], Message("user", ["Something else."])]


@pytest.mark.parametrize("elsewhere", [False, True])
@pytest.mark.parametrize("make", STRATEGIES)
@pytest.mark.parametrize("turn", range(6))
def test_promise_3_the_floor_is_there_wherever_the_list_goes_back_to(
    make: Callable[[], chatfold.Strategy],
    turn: int,
    elsewhere: bool,  # noqa: FBT001
) -> None:
    for shorter in (False, True):
        messages = conversation(6)
        strategy = as_compaction_strategy(make())
        compacted(messages, strategy)
        if elsewhere:
            strategy = as_compaction_strategy(make())
        again = edited_at(messages, turn)
        if shorter:
            again.pop()
        users = [message for message in again if message.role == "user"]
        own = [message for message in again if not is_written(message)]
        kept = compacted(again, strategy)
        assert pairs_closed(kept)
        assert {id(message) for message in users[-1:]} <= {id(message) for message in kept}
        # Nobody can tell whether the messages of a summary that has lost them all are gone or let go.
        assert kept[-1].message_id == own[-1].message_id or not users
        assert compacted(again, strategy) == kept
        ids = {message.message_id for message in again}
        for message in kept if users else ():
            covered = message.additional_properties.get("_group", {})
            replaced = covered.get("_summary_of_message_ids", [])
            assert all(each in ids for each in replaced) or not any(
                each in ids for each in replaced
            )


@pytest.mark.parametrize("turn", range(1, 5))
def test_a_window_shows_what_it_would_have_shown(turn: int) -> None:
    strategy = as_compaction_strategy(SlidingWindowStrategy(keep_last_turns=2))
    messages = conversation(6)
    compacted(messages, strategy)
    again = edited_at(messages, turn)
    fresh = as_compaction_strategy(SlidingWindowStrategy(keep_last_turns=2))
    expected = compacted(edited_at(conversation(6), turn), fresh)
    assert [each.text for each in compacted(again, strategy)] == [each.text for each in expected]


@pytest.mark.parametrize("elsewhere", [False, True])
@pytest.mark.parametrize("digests", [False, True])
def test_what_stands_for_messages_that_are_gone_goes(
    elsewhere: bool,  # noqa: FBT001
    digests: bool,  # noqa: FBT001
) -> None:
    def make() -> chatfold.Strategy:
        summaries = SummarizationStrategy(client=ExtractiveSummarizer(), target_count=4)
        if not digests:
            return summaries
        return chatfold.PipelineCompactionStrategy(
            Digests(keep_last_tool_call_groups=1, max_chars=80), summaries
        )

    messages = conversation(6)
    strategy = as_compaction_strategy(make())
    compacted(messages, strategy)
    summary = next(each for each in included_messages(messages) if is_written(each))
    again = edited_at(messages, 1)
    assert summary in again
    if elsewhere:
        strategy = as_compaction_strategy(make())
    kept = compacted(again, strategy)
    assert summary not in kept
    if elsewhere and digests:
        # A digest of what is all there is as good as it was.
        return
    fresh = compacted(edited_at(conversation(6), 1), as_compaction_strategy(make()))
    assert [each.text for each in kept if not is_written(each)] == [
        each.text for each in fresh if not is_written(each)
    ]

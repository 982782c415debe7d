"""Where a service keeps the conversation, compaction has no effect and says so once."""

import logging

import pytest

from chatfold import CompactionProvider, InMemoryHistoryProvider, Session, SlidingWindowStrategy
from providers.agent import Agent, in_another_process, question
from summarization.stubs import run, turns


@pytest.mark.parametrize(
    ("service_session_id", "options"),
    [
        ("thread-1", {}),
        (None, {"previous_response_id": "resp-1"}),
        (None, {"conversation": {"id": "conv-1"}}),
        (None, {"thread_id": "t-1"}),
    ],
)
def test_it_has_no_effect(
    caplog: pytest.LogCaptureFixture,
    service_session_id: str | None,
    options: dict[str, object],
) -> None:
    strategy = SlidingWindowStrategy(keep_last_groups=1)
    compaction = CompactionProvider(strategy, strategy)
    history = InMemoryHistoryProvider()
    session = Session("s", service_session_id=service_session_id)

    async def talk() -> None:
        for number in range(3):
            asked, ((answer,),) = question(number)
            async with session.run([history, compaction], asked, options=options) as turn:
                assert await turn.messages() == asked
                turn.append(answer)
            assert turn.reports == []

    with caplog.at_level(logging.WARNING):
        run(talk())
    assert [record.getMessage() for record in caplog.records] == [
        f"{compaction!r} has no effect where a service keeps the conversation itself: session 's'"
    ]
    assert history.history(session).index.included_messages() == turns(3)
    assert in_another_process(session).service_session_id == service_session_id


def test_options_without_a_conversation_are_no_service() -> None:
    turn = Session().run([], [], options={"previous_response_id": None, "store": True})
    assert not turn.is_service_managed


def test_a_history_that_is_missing_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    strategy = SlidingWindowStrategy(keep_last_turns=1)
    compaction = CompactionProvider(None, strategy, history_source_id="other")
    with caplog.at_level(logging.WARNING):
        run(Agent(InMemoryHistoryProvider(), compaction).talk(Session("s"), 2))
    (record,) = caplog.records
    assert "no history provider before it is called 'other'" in record.getMessage()

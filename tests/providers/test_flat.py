"""What a run costs does not depend on how long the conversation is."""

from typing import Any

import pytest

from chatfold import (
    CompactionProvider,
    InMemoryHistoryProvider,
    MessageIndex,
    Session,
    SlidingWindowStrategy,
    SummarizationStrategy,
    TruncationStrategy,
    WorkDone,
    count_cache,
)
from chatfold.provider import MessageView, StoredHistory
from providers.agent import Agent, Message, question
from summarization.stubs import Stub, assistant, run, tool_round, user
from talk import talk
from work import Work

SENT = TruncationStrategy(max_n=2_000, compact_to=1_000, tokenizer="o200k_base")
STORED = TruncationStrategy(max_n=40, compact_to=20)
SUMMED = SummarizationStrategy(client=Stub(), target_count=6, threshold=6)

COMPACTIONS = [
    pytest.param(lambda: CompactionProvider(SENT), id="sent"),
    pytest.param(lambda: CompactionProvider(None, STORED), id="stored"),
    pytest.param(lambda: CompactionProvider(SENT, STORED), id="both"),
    pytest.param(lambda: CompactionProvider(SUMMED, SUMMED), id="summaries"),
]


def long_session(length: int, history: InMemoryHistoryProvider) -> Session:
    session = Session()
    history.history(session).extend(talk(20_000)[-length:])  # the newest are the same
    return session


def work_of_runs(length: int, compaction: CompactionProvider, runs: int) -> WorkDone:
    """Do some runs with tool loops in an old session, and tell the work after the first of them."""
    history = InMemoryHistoryProvider()
    agent, session = Agent(history, compaction), long_session(length, history)
    run(agent.talk(session, 1))
    count_cache.clear()
    work = Work()
    for number in range(runs):
        steps = [tool_round(number, "found " * 50), [assistant("done " * 20)]]
        run(agent.turn(session, [user(f"go {number}")], steps))
    return work.done


@pytest.mark.parametrize("compaction", COMPACTIONS)
def test_the_work_of_a_run_does_not_grow_with_the_history(compaction: Any) -> None:  # noqa: ANN401
    short, long = (work_of_runs(length, compaction(), runs=30) for length in (2_000, 20_000))
    assert long == short
    # Each message is read when it is taken, for what is stored, and again where it is sent.
    assert long.messages_read <= 30 * 4 * 3 + 30 * 20


@pytest.mark.parametrize("skip_excluded", [True, False])
def test_loading_copies_nothing_while_the_history_only_grows(*, skip_excluded: bool) -> None:
    history = StoredHistory(MessageIndex(talk(1_000)))
    history.index.compact(SlidingWindowStrategy(keep_last_groups=500))
    views = []
    for number in range(5):
        views.append(history.loaded(skip_excluded=skip_excluded))
        history.extend(tool_round(number, "found"))
        assert views[-1].grown_from(views[0])
    assert [len(view) - len(views[0]) for view in views] == [0, 2, 4, 6, 8]


def listed(history: StoredHistory, *, skip_excluded: bool) -> list[Message]:
    return list(history.loaded(skip_excluded=skip_excluded))


def test_what_is_loaded_follows_every_change_of_the_index() -> None:
    history = StoredHistory(MessageIndex(talk(10)))
    index = history.index

    def check() -> None:
        assert listed(history, skip_excluded=True) == index.included_messages()
        assert listed(history, skip_excluded=False) == index.messages

    check()
    index.exclude(index.groups[3], reason="mine")
    check()
    index.restore(index.groups[3])
    index.exclude(index.groups[4], reason="mine")
    check()
    index.append(user("not by the history"))
    history.extend([assistant("by the history")])
    check()
    index.replace(index.included_groups[:3], "short", reason="mine")
    check()
    index.sync(talk(5))
    check()


def test_a_late_result_brings_back_what_it_ties() -> None:
    call, result = tool_round(1, "found")
    history = StoredHistory(MessageIndex([user("go"), call, user("well?"), assistant("wait")]))
    view = history.loaded(skip_excluded=True)
    assert len(view) == 4
    history.index.exclude(history.index.groups[1], reason="mine")
    assert len(history.loaded(skip_excluded=True)) == 3
    history.extend([result])
    assert listed(history, skip_excluded=True) == history.index.included_messages()
    assert len(history.loaded(skip_excluded=True)) == 5
    assert len(view) == 4


def test_a_view_is_a_sequence_of_its_moment() -> None:
    history = StoredHistory(MessageIndex(talk(4)))
    view = history.loaded(skip_excluded=True)
    history.extend(talk(2))
    assert isinstance(view, MessageView)
    assert (len(view), list(view), view[1:9]) == (4, talk(4), talk(4)[1:])
    assert (view[-1], view[0]) == (talk(4)[-1], talk(4)[0])
    with pytest.raises(IndexError):
        view[4]


def test_a_provider_that_adds_something_else_each_time_costs_a_new_look() -> None:
    class Clock:
        source_id = "clock"
        time = 0

        async def before_run(self, run: Any) -> None:  # noqa: ANN401
            self.time += 1
            run.context_messages["clock"] = [user(f"It is {self.time} o'clock.")]

        async def after_run(self, run: object) -> None:
            pass

    history = InMemoryHistoryProvider()
    agent = Agent(history, Clock(), CompactionProvider(TruncationStrategy(max_n=4)))
    session = Session()
    for number in range(6):
        run(agent.turn(session, *question(number)))
    assert [sent[-2]["content"] for sent in agent.sent] == [
        f"It is {number} o'clock." for number in range(1, 7)
    ]
    assert [len(sent) for sent in agent.sent] == [2, 4, 4, 4, 4, 4]


def test_what_is_sent_follows_a_stored_message_that_was_replaced() -> None:
    history = InMemoryHistoryProvider()
    agent, session = Agent(history, CompactionProvider(TruncationStrategy(max_n=99))), Session()
    run(agent.talk(session, 3))
    index = history.history(session).index
    index.replace(index.included_groups[:1], "short", reason="mine")
    run(agent.talk(session, 1, first=3))
    assert len(agent.sent[-1]) == len(agent.sent[-2]) + 2
    assert agent.sent[-1][0] == assistant("short")

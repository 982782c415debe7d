"""Hooks see each compaction, before and after it, and may veto it."""

import asyncio
from typing import Any

import pytest

from chatfold import (
    CompactionProvider,
    InMemoryHistoryProvider,
    Session,
    SlidingWindowStrategy,
    StrategyStep,
    SummarizationStrategy,
)
from providers.agent import Agent, loaded, question
from summarization.stubs import Stub, run, turns


def talk_with(**options: Any) -> tuple[Agent, Session]:  # noqa: ANN401
    agent, session = Agent(InMemoryHistoryProvider(), CompactionProvider(**options)), Session()
    run(agent.talk(session, 3))
    return agent, session


def test_both_get_the_report() -> None:
    seen: list[Any] = []
    strategy = SlidingWindowStrategy(keep_last_turns=1)
    _, session = talk_with(
        before_strategy=strategy,
        after_strategy=strategy,
        before_hook=seen.append,
        after_hook=seen.append,
    )
    told = [(each.phase, each.report.before.messages, each.report.changed) for each in seen]
    assert told[-4:] == [
        ("before_run", 3, False),
        ("before_run", 3, True),
        ("after_run", 4, False),
        ("after_run", 4, True),
    ]
    assert {each.session for each in seen} == {session}
    assert seen[-1].report.after.messages == 2
    assert seen[-1].report.steps[0].strategy == "SlidingWindowStrategy"
    assert isinstance(seen[-1].report.steps[0], StrategyStep)
    assert seen[-1].index.included_message_count == 2
    assert "after_run" in repr(seen[-1])


@pytest.mark.parametrize("hook", ["before_hook", "after_hook"])
@pytest.mark.parametrize("waits", [True, False])
def test_each_may_veto(hook: str, *, waits: bool) -> None:
    async def later(event: Any) -> bool:  # noqa: ANN401
        await asyncio.sleep(0)
        return bool(event.phase == "after_run")

    def now(event: Any) -> bool:  # noqa: ANN401
        return bool(event.phase == "after_run")

    strategy = SlidingWindowStrategy(keep_last_turns=1)
    chosen = later if waits else now
    agent, session = talk_with(before_strategy=strategy, **{hook: chosen})
    assert [len(sent) for sent in agent.sent] == [1, 3, 5]
    assert all(each.startswith("unchanged") for each in agent.reports)
    agent, session = talk_with(after_strategy=strategy, **{hook: chosen})
    assert loaded(session) == turns(1, first=2)


def test_a_veto_undoes_a_summary_but_not_what_it_cost() -> None:
    client, reports = Stub(), []
    strategy = SummarizationStrategy(client=client, target_count=2, threshold=1)
    compaction = CompactionProvider(None, strategy, after_hook=lambda _: False)
    session = Session()

    async def turns_of_the_session() -> None:
        for number in range(3):
            async with session.run([InMemoryHistoryProvider(), compaction]) as turn:
                turn.extend([*question(number)[0], *question(number)[1][0]])
            reports.extend(turn.reports)

    run(turns_of_the_session())
    assert loaded(session) == turns(3)
    assert [report.summary_usage.calls for report in reports] == [0, 1, 1]
    assert [report.target_met for report in reports] == [True, False, False]


def test_a_hook_that_fails_changes_nothing() -> None:
    def failing(event: Any) -> None:  # noqa: ANN401
        if event.report.changed:
            raise RuntimeError("boom")

    session = Session()
    strategy = SlidingWindowStrategy(keep_last_turns=1)
    compaction = CompactionProvider(None, strategy, after_hook=failing)
    agent = Agent(InMemoryHistoryProvider(), compaction)
    run(agent.talk(session, 1))
    with pytest.raises(RuntimeError, match="boom"):
        run(agent.talk(session, 1, first=1))
    assert loaded(session) == turns(2)

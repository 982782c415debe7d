"""A damaged session is refused in words, or a run in it goes as it must."""

import json
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import given

from chatfold import (
    CompactionProvider,
    InMemoryHistoryProvider,
    Session,
    SlidingWindowStrategy,
    StateError,
    ToolResultCompactionStrategy,
)
from chatfold.provider import StoredHistory
from chatfold.provider.in_flight import InFlight
from damaging import Damage, assert_in_words, damaged, damages, places
from providers.agent import Agent, question
from summarization.stubs import assistant, run, tool_round, user


def agent() -> Agent:
    compaction = CompactionProvider(
        SlidingWindowStrategy(keep_last_turns=2),
        ToolResultCompactionStrategy(keep_last_tool_call_groups=1, max_chars=64),
    )
    return Agent(InMemoryHistoryProvider(), compaction)


def lived_in() -> dict[str, Any]:
    session = Session("s7")
    for number in range(4):
        steps = [tool_round(number, "found " * 40), [assistant("done")]]
        run(agent().turn(session, [user(f"go {number}")], steps))
    saved: dict[str, Any] = json.loads(json.dumps(session.to_dict()))
    return saved


SAVED = lived_in()


@given(damage=damages([path for path in places(SAVED) if path]))
def test_a_damaged_session_is_refused_in_words_or_goes_on(damage: Damage) -> None:
    try:
        session = Session.from_dict(damaged(SAVED, damage))
        run(agent().turn(session, *question(5)))
        run(agent().turn(session, *question(6)))
        saved = session.to_dict()
    except StateError as error:
        assert_in_words(error)
        return
    again = agent()
    run(again.turn(Session.from_dict(json.loads(json.dumps(saved))), *question(7)))
    assert again.sent[-1][-1]["content"].startswith("question 7")


@pytest.mark.parametrize("kept", [-1, "x", [], [1], True, 1.5])
@pytest.mark.parametrize("source_id", ["in_memory", "compaction"])
def test_a_state_that_is_no_mapping_is_refused(source_id: str, kept: object) -> None:
    session = Session.from_dict(damaged(SAVED, [(("state", source_id), "set", kept)]))
    told = f"session 's7': what '{source_id}' saved can't be loaded: the state is damaged: it is "
    with pytest.raises(StateError, match=told) as caught:
        run(agent().turn(session, *question(5)))
    assert "should be a mapping" in str(caught.value)


@pytest.mark.parametrize("kept", [None, -1, "x", [1]])
def test_nothing_is_loaded_of_a_state_that_is_no_mapping(kept: object) -> None:
    loads: list[Callable[[object], object]] = [
        StoredHistory.from_state,
        partial(InFlight.from_state, history=None),
    ]
    for load in loads:
        with pytest.raises(StateError, match=r"the state is damaged: it is .* should be a mapping"):
            load(kept)


@pytest.mark.parametrize("kept", [-1, "x", [1], True])
def test_no_provider_takes_what_it_can_not_have_kept(kept: object) -> None:
    session = Session("s7", state={"mine": kept})
    with pytest.raises(StateError, match=r"what 'mine' saved can't be loaded: .* a mapping"):
        session.live("mine", Counter, Counter, kind=Counter)


def test_what_another_provider_keeps_is_not_taken_for_ones_own() -> None:
    session = Session("s7")
    run(agent().turn(session, *question(0)))
    history = InMemoryHistoryProvider("compaction")
    with pytest.raises(StateError, match="what 'compaction' saved can't be loaded"):
        history.history(session)


@pytest.mark.parametrize("kept", [{"rows": 3}, [user("hi")], "a table"])
def test_a_history_provider_of_ones_own_may_keep_anything(kept: object) -> None:
    class Table:
        source_id = "in_memory"

        async def before_run(self, run: Any) -> None:  # noqa: ANN401 (a run)
            run.context_messages[self.source_id] = [user("earlier")]
            run.session.state[self.source_id] = kept

        async def after_run(self, run: object) -> None:
            pass

    made = Agent(Table(), CompactionProvider(SlidingWindowStrategy(keep_last_turns=1)))
    session = Session()
    run(made.turn(session, *question(0)))
    assert made.sent[-1] == question(0)[0]
    assert session.to_dict()["state"]["in_memory"] == kept


def nested(depth: int) -> list[Any]:
    made: list[Any] = []
    for _ in range(depth):
        made = [made]
    return made


def circular() -> list[Any]:
    made: list[Any] = []
    made.append(made)
    return made


@pytest.mark.parametrize("odd", [nested(100_000), circular()], ids=["deep", "circular"])
def test_what_can_not_be_written_is_refused_where_the_session_is_saved(odd: list[Any]) -> None:
    session = Session("s7", state={"mine": odd})
    with pytest.raises(StateError, match=r"state of 'mine' can't be saved: it holds itself, or is"):
        session.to_dict()
    session = Session("s7")
    run(Agent(InMemoryHistoryProvider()).turn(session, [user("hi") | {"extra": odd}]))
    with pytest.raises(StateError, match=r"'in_memory' can't be saved: message 0 can't be saved"):
        session.to_dict()

"""Random sessions: runs, tool loops, failures, saving and loading, several sessions at once."""

import asyncio
import copy
import json
from collections.abc import Sequence
from typing import TypeAlias

from hypothesis import example, given
from hypothesis import strategies as st

from chatfold import (
    CompactionProvider,
    ContextProvider,
    ContextPruningStrategy,
    ContextWindowCompactionStrategy,
    InMemoryHistoryProvider,
    MessageIndex,
    SelectiveToolCallCompactionStrategy,
    Session,
    SlidingWindowStrategy,
    ToolResultCompactionStrategy,
    TruncationStrategy,
)
from chatfold.strategies import Strategy
from conversations import BROKEN, VALID, Conversation
from providers.agent import in_another_process
from providers.twin import Twin
from states import groups_of
from summarization.stubs import run, user

STRATEGIES = st.sampled_from(
    [
        TruncationStrategy(max_n=6, compact_to=3),
        TruncationStrategy(max_n=40, compact_to=20, tokenizer="o200k_base"),
        SlidingWindowStrategy(keep_last_turns=2),
        SlidingWindowStrategy(keep_last_groups=3),
        SelectiveToolCallCompactionStrategy(keep_last_tool_call_groups=1),
        ToolResultCompactionStrategy(keep_last_tool_call_groups=0, style="names"),
        ToolResultCompactionStrategy(keep_last_tool_call_groups=1, max_chars=64),
        ContextPruningStrategy(keep_last_assistants=0, min_prunable_tool_chars=0),
        ContextWindowCompactionStrategy(max_context_window_tokens=60, max_output_tokens=10),
    ]
)
MAYBE = st.none() | STRATEGIES
STEPS = st.lists(st.one_of(VALID, BROKEN), min_size=1, max_size=3)
# What a turn brings, which call of its model fails, whether storing fails, and whether it is saved.
TURNS = st.lists(
    st.tuples(STEPS, st.sampled_from([None, None, None, 0, 1]), st.booleans(), st.booleans()),
    min_size=1,
    max_size=6,
)


Lives: TypeAlias = Sequence[tuple[list[Conversation], int | None, bool, bool]]


class BrokenError(Exception):
    """What fails in these tests."""


class Flaky:
    """A strategy that does all it should, and then fails where it is told to."""

    def __init__(self, inner: Strategy) -> None:
        self.inner = inner
        self.tokenizer = inner.tokenizer
        self.failing: set[int] = set()

    async def __call__(self, index: MessageIndex) -> bool:
        report = await index.acompact(self.inner)
        await asyncio.sleep(0)
        if id(index) in self.failing:
            raise BrokenError
        return report.changed


class Life:
    """The life of one session, beside that of its twin."""

    def __init__(
        self,
        before: Strategy | None,
        after: Strategy | None,
        *,
        skip_excluded: bool,
    ) -> None:
        self.history = InMemoryHistoryProvider(skip_excluded=skip_excluded)
        self.flaky = [None if each is None else Flaky(each) for each in (before, after)]
        self.compaction = CompactionProvider(self.flaky[0], self.flaky[1])
        self.before, self.after = before, after
        self.skip_excluded = skip_excluded

    def twin(self) -> Twin:
        return Twin(self.before, self.after, skip_excluded=self.skip_excluded)

    async def live(self, number: int, turns: Lives) -> None:
        session, twin = Session(f"s{number}"), self.twin()
        for at, (steps, failing, storing_fails, saved) in enumerate(turns):
            asked = user(f"Question {at} of session {number}?")
            twin.own = [asked]
            failing_calls = failing if self.before is not None else None
            try:
                await self.turn(session, twin, steps, failing_calls, storing_fails=storing_fails)
            except BrokenError:
                twin.own = []
            self.check(session, twin)
            if saved:
                session = in_another_process(session)
                self.check(session, twin)

    async def turn(
        self,
        session: Session,
        twin: Twin,
        steps: Sequence[Conversation],
        failing: int | None,
        *,
        storing_fails: bool,
    ) -> None:
        before, after = self.flaky
        async with session.run([self.history, self.compaction], twin.own) as turn:
            for call, step in enumerate(steps):
                if before is not None and call == failing:
                    before.failing.add(id(self.compaction.in_flight(session).index))
                    twin.sent(fails=True)
                try:
                    sent = await turn.messages()
                finally:
                    if before is not None:
                        before.failing.clear()
                assert json.dumps(sent) == json.dumps(twin.sent())
                copies = copy.deepcopy(step)
                turn.extend(copies)
                twin.own += copies
            if after is not None and storing_fails:
                after.failing.add(id(self.history.history(session).index))
            twin.end(fails=after is not None and storing_fails)

    def check(self, session: Session, twin: Twin) -> None:
        if self.flaky[1] is not None:
            self.flaky[1].failing.clear()
        stored = self.history.history(session)
        # Two lone surrogates that make a pair are one character once they were JSON.
        loaded = list(stored.loaded(skip_excluded=self.skip_excluded))
        assert json.dumps(loaded) == json.dumps(twin.loaded)
        assert groups_of(stored.index) == groups_of(twin.stored)


ORPHANS: Conversation = [{"role": "tool", "tool_call_id": "c0"} for _ in range(3)]


@given(before=MAYBE, after=MAYBE, skip_excluded=st.booleans(), turns=TURNS)
@example(  # saved after a run that failed, whose question alone had been sent
    before=TruncationStrategy(max_n=6, compact_to=3),
    after=None,
    skip_excluded=False,
    turns=[
        ([[user("")], [user("")], ORPHANS], None, False, False),
        ([[user("")], [user("")]], 1, False, True),
        ([[user("")]], None, False, False),
    ],
)
def test_promise_10_a_session_is_what_its_twin_is(
    before: Strategy | None,
    after: Strategy | None,
    turns: Lives,
    *,
    skip_excluded: bool,
) -> None:
    run(Life(before, after, skip_excluded=skip_excluded).live(0, turns))


@given(before=MAYBE, after=MAYBE, lives=st.lists(TURNS, min_size=2, max_size=4))
def test_sessions_that_share_providers_do_not_disturb_each_other(
    before: Strategy | None,
    after: Strategy | None,
    lives: list[Lives],
) -> None:
    async def all_at_once() -> None:
        life = Life(before, after, skip_excluded=True)
        sure = [[(steps, None, False, saved) for steps, _, _, saved in turns] for turns in lives]
        await asyncio.gather(*(life.live(number, turns) for number, turns in enumerate(sure)))

    run(all_at_once())


@given(before=STRATEGIES, steps=STEPS)
def test_promise_4_no_message_of_a_session_is_changed(
    before: Strategy, steps: list[Conversation]
) -> None:
    async def two_turns() -> None:
        session = Session()
        providers: list[ContextProvider] = [
            InMemoryHistoryProvider(),
            CompactionProvider(before, before),
        ]
        kept = copy.deepcopy(steps)
        for number in range(2):
            async with session.run(providers, [user(f"Question {number}?")]) as turn:
                for step in steps:
                    sent = await turn.messages()
                    turn.extend(step)
                    sent.clear()
            assert steps == kept
        session.to_dict()
        assert steps == kept

    run(two_turns())

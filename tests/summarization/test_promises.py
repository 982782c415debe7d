"""The promises hold at every step, with a summarizer that fails, lies, and is cancelled."""

import asyncio
import copy
import os
import random
from collections.abc import Iterable
from contextlib import suppress

import pytest

from chatfold import MessageIndex, SummarizationStrategy
from chatfold.summarization import Breaker
from summarization.chaos import Chaos, Talk, canaries, covered, options
from summarization.stubs import Message, run

SEEDS = range(max(4, int(os.environ.get("CHATFOLD_EXAMPLES", "100")) // 20))
TURNS = 120


class Conversation:
    """A conversation that is summarized after each turn, and what must be true of it."""

    def __init__(self, seed: int, *, timeout: float | None = 0.02) -> None:
        self.rng = random.Random(seed)  # noqa: S311 (a test that can be repeated)
        self.client = Chaos(self.rng)
        self.options = {**options(self.rng), "timeout": timeout}
        self.minutes = 0
        breaker = Breaker(
            failures=self.rng.choice([3, 10**6]), longest=300, clock=lambda: 60.0 * self.minutes
        )
        self.strategy = SummarizationStrategy(client=self.client, breaker=breaker, **self.options)
        self.talk = Talk(self.rng)
        self.index = MessageIndex()
        self.copies: list[Message] = []
        self.client.meanwhile = self.talk_on

    def talk_on(self) -> None:
        self.take(self.talk.turn())

    def take(self, messages: Iterable[Message]) -> None:
        for message in messages:
            self.copies.append(copy.deepcopy(message))
            self.index.append(message)

    def wait_for_the_next_day(self) -> None:
        """Go on with what was saved; late results bring back no more than they have to."""
        if self.rng.random() < 0.1:
            self.index = MessageIndex.from_state(self.index.to_state(), self.index.messages)
        for result in self.talk.late_result():
            before = self.index.included_byte_count
            self.take([result])
            group = next(
                each for each in self.index.groups if len(self.index) - 1 in each.positions
            )
            limit = 8 * self.options["max_summary_tokens"]
            assert not group.excluded
            assert self.index.included_byte_count < before + group.byte_count + limit

    async def go_on(self) -> None:
        for _ in range(TURNS):
            self.talk_on()
            self.wait_for_the_next_day()
            await self.step()

    async def step(self) -> None:
        self.minutes += 1
        before, known = self.index.included_messages(), len(self.index)
        bytes_before, state = self.index.included_byte_count, self.index.to_state()
        task = asyncio.ensure_future(self.index.acompact(self.strategy))
        self.client.task = task
        report = None
        with suppress(Exception, asyncio.CancelledError):
            report = await task
        if report is None or not report.changed:
            # Promises 5 and 10: what did not work has not happened.
            after = self.index.included_messages()
            assert after[: len(before)] == before
            assert after[len(before) :] == self.index.messages[known:]
            if len(self.index) == known:
                assert same_but_for_counts(self.index.to_state(), state)
        elif len(self.index) == known:
            # Promise 6: no step makes the history longer.
            assert self.index.included_byte_count < bytes_before
        self.check(before)

    def check(self, before: list[Message]) -> None:
        index, kept = self.index, self.index.included_messages()
        pairs_are_closed(kept)
        # Promise 2: the user's own objects, in input order.
        places = {id(message): at for at, message in enumerate(index.messages)}
        own = [places[id(message)] for message in kept if id(message) in places]
        assert own == sorted(own)
        # Promise 3: what every strategy keeps.
        included = set(own)
        for at, message in enumerate(index.messages):
            assert at in included or message["role"] != "system"
        assert set(last_user(index.messages)) <= included
        # A late result belongs to the place of its call, so the newest message may be of an old group.
        newest = [each for each in index.groups if each.positions and each.kind != "system"][-1:]
        assert not any(each.excluded for each in newest)
        # Promise 4: nothing of the caller's is changed.
        assert index.messages == self.copies
        # Promise 8: what was gone stays gone.
        had = {id(message) for message in before}
        appeared = [message for message in kept if id(message) in places and id(message) not in had]
        assert all(places[id(message)] >= len(index) - 60 for message in appeared)
        # One summary at any time, no larger than it may be, and all that is gone was shown.
        summaries = [group for group in index.included_groups if group.kind == "summary"]
        assert len(summaries) <= 1
        limit = self.options["max_summary_tokens"]
        assert all(group.token_count <= limit for group in summaries)
        if self.options["on_failure"] != "digest":
            lost = canaries(covered(index)) - canaries([{"shown": "".join(self.client.shown)}])
            assert lost == set()
        # Promise 9: counts are those of counting everything.
        assert index.included_token_count == MessageIndex(kept).included_token_count


def same_but_for_counts(one: dict[str, object], other: dict[str, object]) -> bool:
    """Compare two saved states: a failed attempt may have counted, and remembers nothing else."""
    names = ("fingerprint", "groups", "stand_ins")
    without = [
        [{**each, "tokens": None} if isinstance(each, dict) else each for each in state[name]]  # type: ignore[attr-defined]
        for state in (one, other)
        for name in names[1:]
    ]
    return one["fingerprint"] == other["fingerprint"] and without[:2] == without[2:]


def pairs_are_closed(messages: list[Message]) -> None:
    """Promise 1: no result without its call, and no answered call without its result."""
    called: set[str] = set()
    for message in messages:
        if message["role"] == "tool":
            assert message["tool_call_id"] in called
        called |= {call["id"] for call in message.get("tool_calls") or ()}


def last_user(messages: list[Message]) -> list[int]:
    return [at for at, message in enumerate(messages) if message["role"] == "user"][-1:]


@pytest.mark.parametrize("seed", SEEDS)
def test_promises_hold_over_hundreds_of_turns(seed: int) -> None:
    run(Conversation(seed).go_on())


@pytest.mark.parametrize("seed", SEEDS[:3])
def test_the_same_input_gives_the_same_output(seed: int) -> None:
    outputs = []
    for _ in range(2):
        conversation = Conversation(seed, timeout=None)
        # What depends on how fast the machine is can't be the same.
        conversation.client.late = conversation.client.cut_off = conversation.client.dead  # type: ignore[method-assign]
        run(conversation.go_on())
        outputs.append(conversation.index.included_messages())
    assert outputs[0] == outputs[1]

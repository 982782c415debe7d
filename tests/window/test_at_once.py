"""Several calls of one window at once, as from the requests of one user to a server."""

import asyncio
import random
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from chatfold import ChatfoldError, ContextWindow
from chatfold.window import PreparedContext
from summarization.stubs import Held, Stub, run
from validity import faults
from window.test_going_back import said
from window.test_prepare import chat, contents, window

Message = dict[str, Any]


def test_each_call_gets_the_answer_for_its_own_list() -> None:
    async def both() -> None:
        held = Held()
        made = window(client=held)
        first, second = chat(13), [*chat(4), said("user", "edited", 5)]
        waits = asyncio.create_task(made.prepare(first))
        await held.asked.wait()
        forks = asyncio.create_task(made.prepare(second))
        await asyncio.sleep(0)
        held.free.set()
        one, other = await asyncio.gather(waits, forks)
        assert contents(one.messages)[0] == "[Summary] The gist"
        assert one.messages[-1] is first[-1]
        assert one.report.target_met
        # The list that goes back has no summary of what it does not have.
        assert other.messages == second
        assert made.index.messages == second

    run(both())


def test_lists_of_many_calls_are_taken_one_after_the_other() -> None:
    async def all_of_them() -> None:
        source = random.Random(3)  # noqa: S311 (no secret)
        made = window(client=Stub(lambda call: f"Gist {call}."))
        lists = [chat(source.randrange(1, 40)) for _ in range(30)]
        prepared = await asyncio.gather(*(made.prepare(each) for each in lists))
        for given, each in zip(lists, prepared, strict=True):
            assert each.messages[-1] is given[-1]
            assert each.report.target_met
            assert faults(each.messages) == []

    run(all_of_them())


def test_a_list_is_taken_as_it_was_when_the_call_was_made() -> None:
    async def both() -> None:
        held = Held()
        made = window(client=held, messages=chat(13))
        waits = asyncio.create_task(made.prepare())
        await held.asked.wait()
        messages = chat(14)
        late = asyncio.create_task(made.prepare(messages))
        await asyncio.sleep(0)
        messages.clear()
        held.free.set()
        await waits
        assert contents((await late).messages)[-1] == "Answer 13"

    run(both())


def test_messages_that_come_meanwhile_are_for_the_next_call() -> None:
    async def live() -> None:
        held = Held()
        made = window(client=held, messages=chat(13))
        waits = asyncio.create_task(made.prepare())
        await held.asked.wait()
        made.append(said("user", "later", 3))
        held.free.set()
        assert (await waits).report.target_met
        assert (await made.prepare()).messages[-1] == said("user", "later", 3)

    run(live())


def test_what_would_change_the_list_under_a_call_is_refused_in_words() -> None:
    async def live() -> None:
        held = Held()
        made = window(client=held, messages=chat(13))
        state = made.to_state()
        waits = asyncio.create_task(made.prepare())
        await held.asked.wait()
        with pytest.raises(ChatfoldError, match=r"pass the list to prepare\(messages\)"):
            made.sync(chat(4))
        with pytest.raises(ChatfoldError, match="being prepared by another call; await it first"):
            made.load_state(state, chat(13))
        held.free.set()
        assert (await waits).report.target_met
        made.sync(chat(4))
        assert len(made.index) == 8

    run(live())


def test_a_call_that_is_cancelled_lets_the_next_one_in() -> None:
    async def live() -> None:
        held = Held()
        made = window(client=held)
        waits = asyncio.create_task(made.prepare(chat(13)))
        await held.asked.wait()
        forks = asyncio.create_task(made.prepare(chat(3)))
        await asyncio.sleep(0)
        waits.cancel()
        assert contents((await forks).messages) == contents(chat(3))

    run(live())


def test_threads_with_loops_of_their_own_wait_for_each_other() -> None:
    made = ContextWindow(
        {"reserveRatio": 0}, max_context_tokens=1_000, summarizer=Stub(lambda call: f"Gist {call}.")
    )

    def live(seed: int) -> None:
        source = random.Random(seed)  # noqa: S311 (no secret)

        async def turn(messages: list[Message]) -> PreparedContext:
            return await made.prepare(messages)

        for _ in range(40):
            messages = chat(source.randrange(1, 30))
            prepared = asyncio.run(turn(messages))
            assert prepared.messages[-1] is messages[-1]
            assert prepared.report.target_met

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(live, seed) for seed in range(4)]:
            done.result()

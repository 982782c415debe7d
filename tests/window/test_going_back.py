"""A window over a list that goes back: what fits is there again, and nothing of what is gone."""

import asyncio
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatfold import ContextWindow
from summarization.stubs import run
from validity import faults
from window.day import CONFIG, Scripted, turns
from window.test_promises import kept_by_the_twin, triggers

Message = dict[str, Any]


def said(role: str, text: str, times: int = 60) -> Message:
    return {"role": role, "content": f"{text} " * times}


def talk(number: int) -> list[Message]:
    roles = ("user", "assistant")
    return [said(role, f"{role[0]}{turn}") for turn in range(number) for role in roles]


@pytest.mark.parametrize("left", range(1, 12))
def test_what_was_dropped_and_fits_now_is_there_again(left: int) -> None:
    messages = talk(6)
    window = ContextWindow({"reserveRatio": 0}, max_context_tokens=200)
    assert len(run(window.prepare(messages)).messages) < len(messages)
    prepared = run(window.prepare(messages[:left]))
    assert prepared.messages == kept_by_the_twin(messages[:left], 200)


def test_a_shorter_newest_message_makes_room_for_older_ones() -> None:
    messages = [*talk(4), said("user", "long", 150)]
    window = ContextWindow({"reserveRatio": 0}, max_context_tokens=250)
    assert len(run(window.prepare(messages)).messages) == 2
    edited = [*messages[:-1], said("user", "short", 2)]
    assert run(window.prepare(edited)).messages == kept_by_the_twin(edited, 250)


def test_a_summary_of_what_is_gone_goes_with_it() -> None:
    window = ContextWindow(
        {"reserveRatio": 0, "retainRecent": {"turns": 1}},
        max_context_tokens=400,
        summarizer=Scripted(5),
    )
    messages = talk(8)
    prepared = run(window.prepare(messages))
    assert prepared.messages[0]["content"].startswith("[Summary]")
    edited = [*messages[:4], said("user", "edited", 5)]
    assert run(window.prepare(edited)).messages == edited


@pytest.mark.parametrize("times", [1, 9])
def test_another_system_message_while_a_summary_that_failed_is_due(times: int) -> None:
    async def fail(_: list[Message]) -> str:
        raise RuntimeError("no model today")

    async def live() -> None:
        window = ContextWindow(
            {"reserveRatio": 0, "retainRecent": {"turns": 1}},
            max_context_tokens=300,
            summarizer=fail,
        )
        messages = talk(8)
        for minute in range(12):
            system: Message = {"role": "system", "content": f"It is {minute} past noon. " * times}
            prepared = await window.prepare([system, *messages])
            assert prepared.messages[0] is system
            assert prepared.messages[-1] is messages[-1]
            assert prepared.report.target_met
            messages += talk(1)

    run(live())


def test_a_saved_window_goes_back_as_well() -> None:
    messages = talk(6)
    window = ContextWindow({"reserveRatio": 0}, max_context_tokens=200)
    run(window.prepare(messages))
    loaded = ContextWindow({"reserveRatio": 0}, max_context_tokens=200)
    loaded.load_state(window.to_state(), messages)
    assert run(loaded.prepare(messages[:3])).messages == messages[:3]


def edited(source: random.Random, messages: list[Message], more: list[list[Message]]) -> None:
    """Change a list as a person does who goes back, says it anew, and goes on."""
    places = [at for at, each in enumerate(messages) if each["role"] == "user"]
    match source.choice(("on", "on", "cut", "edit", "regenerate", "clock", "newest")):
        case "cut" if places:
            del messages[source.choice(places) + 1 :]
        case "edit" if places:
            at = source.choice(places)
            messages[at:] = [said("user", f"edited {at}", source.randrange(1, 90))]
        case "regenerate" if places:
            del messages[places[-1] + 1 :]
        case "clock" if messages and messages[0]["role"] == "system":
            messages[0] = said("system", "Now", source.randrange(1, 30))
        case "newest" if messages:
            messages[-1] = {**messages[-1], "content": "newer " * source.randrange(1, 60)}
        case _ if more:
            messages += more.pop(0)
        case _:
            pass


@given(
    number=st.integers(1, 6),
    seed=st.integers(0, 2**16),
    limit=st.integers(700, 9_000),
    trigger=triggers,
    recent=st.integers(0, 3),
    summarizer=st.sampled_from([None, "works", "fails"]),
    pruning=st.booleans(),
)
def test_promises_1_and_3_hold_through_edits(
    *,
    number: int,
    seed: int,
    limit: int,
    trigger: dict[str, Any] | None,
    recent: int,
    summarizer: str | None,
    pruning: bool,
) -> None:
    """Pairs, floor, and a window that is missed only where the floor alone fills it."""
    source = random.Random(seed)  # noqa: S311 (no secret)
    scripted = Scripted(40)

    async def write(messages: list[Message]) -> str:
        if summarizer == "fails" and source.random() < 0.5:
            raise RuntimeError("no model today")
        return await scripted(messages)

    async def live() -> None:
        config = {**CONFIG, "trigger": trigger, "retainRecent": {"turns": recent}}
        config["contextPruning"] = {"enabled": pruning, "minPrunableToolChars": 500}
        window = ContextWindow(
            config, max_context_tokens=limit, summarizer=write if summarizer else None
        )
        more = [step for turn in turns(number, seed) for step in turn]
        messages = [said("system", "Be brief.", 3), *more.pop(0)]
        for _ in range(2 * len(more) + 6):
            edited(source, messages, more)
            prepared = await window.prepare(list(messages))
            sent = prepared.messages
            assert faults(sent) == []
            users = [each for each in messages if each["role"] == "user"]
            assert any(each is users[-1] for each in sent)
            assert any(each is messages[0] for each in sent)
            assert sent[-1] is messages[-1] or sent[-1]["role"] == "tool"
            assert sum(each["role"] == "user" for each in sent) <= len(users)
            room = limit - window.usage.reserved
            assert prepared.report.target_met == (window.usage.tokens <= room)
            if window.usage.tokens > room:
                kinds = [group.kind for group in window.index.included_groups]
                assert len([kind for kind in kinds if kind != "system"]) <= 3
            of = {at for group in window.index.groups for at in group.positions}
            assert of == set(range(len(messages)))

    asyncio.run(live())

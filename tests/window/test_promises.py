"""Random days in random windows keep the promises, and drop what a plain twin drops."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from chatfold import ContextWindow, MessageIndex
from summarization.stubs import run
from validity import faults
from window.day import CONFIG, Scripted, turns

Message = dict[str, Any]

days = st.builds(
    lambda number, seed: [step for turn in turns(number, seed) for step in turn],
    st.integers(1, 8),
    st.integers(0, 2**16),
)
triggers = st.sampled_from(
    [
        None,
        {"type": "token_ratio", "value": 0.5},
        {"type": "remaining_tokens", "value": 2_000},
        {"type": "messages_to_refine", "value": 6},
    ]
)


def kept_by_the_twin(messages: list[Message], room: int) -> list[Message]:
    """Leave out the oldest groups until the rest fits, one after the other, counting all."""
    index = MessageIndex(messages)
    groups = list(index.groups)
    users = [group for group in groups if group.kind == "user"]
    floor = {groups[-1], users[-1], *(group for group in groups if group.kind == "system")}
    gone: set[Any] = set()
    for group in groups:
        if sum(each.token_count for each in groups if each not in gone) <= room:
            break
        if group not in floor:
            gone.add(group)
    places = sorted(at for group in groups if group not in gone for at in group.positions)
    return [messages[at] for at in places]


@given(days, st.integers(500, 12_000))
def test_what_is_dropped_is_what_the_twin_drops(day: list[list[Message]], limit: int) -> None:
    window = ContextWindow({"reserveRatio": 0}, max_context_tokens=limit)
    messages = [message for step in day for message in step]
    prepared = run(window.prepare(messages))
    assert prepared.messages == kept_by_the_twin(messages, limit)
    assert prepared.report.target_met == (window.usage.tokens <= limit)


@given(days, st.integers(1_500, 12_000), triggers, st.integers(0, 4), st.booleans())
def test_promises_1_2_3_and_7_hold_turn_after_turn(
    day: list[list[Message]],
    limit: int,
    trigger: dict[str, Any] | None,
    recent: int,
    pruning: bool,  # noqa: FBT001
) -> None:
    """Pairs, order, floor, and a second run that changes nothing."""

    async def live() -> None:
        config = {**CONFIG, "trigger": trigger, "retainRecent": {"turns": recent}}
        config["contextPruning"] = {"enabled": pruning, "minPrunableToolChars": 500}
        window = ContextWindow(config, max_context_tokens=limit, summarizer=Scripted(60))
        given: list[Message] = []
        for step in day:
            window.extend(step)
            given += step
            prepared = await window.prepare()
            messages = prepared.messages
            assert faults(messages) == []
            places = [at for at, each in enumerate(given) if any(each is one for one in messages)]
            own = [one for one in messages if any(each is one for each in given)]
            assert [given[at] for at in places] == own
            assert messages[-1] is given[-1] or messages[-1]["role"] == "tool"
            users = [each for each in given if each["role"] == "user"]
            assert any(one is users[-1] for one in messages)
            room = limit - window.usage.reserved
            assert prepared.report.target_met == (window.usage.tokens <= room)
            again = await window.prepare()
            assert not again.report.changed or again.report.summary is not None

    run(live())

"""A window that is saved goes on as if it had not been."""

import json
from typing import Any

import pytest

from chatfold import ContextWindow, StateError
from chatfold.window import Prices
from summarization.stubs import Stub, run
from window.day import CONFIG, Scripted, turns, window_of
from window.test_prepare import chat, window

State = dict[str, Any]


def a_day_in(turns_lived: int, *, saved_after: int | None) -> list[list[dict[str, Any]]]:
    """Live through some turns; where asked, through a saved state in the middle."""

    async def live() -> list[list[dict[str, Any]]]:
        made, sent = window_of(Scripted()), []
        messages: list[dict[str, Any]] = []
        for number, steps in enumerate(turns(turns_lived, seed=3)):
            if number == saved_after:
                state = json.loads(json.dumps(made.to_state()))
                made = window_of(Stub(lambda call: f"Summary: {call} " + "more " * 300))
                made.load_state(state, messages)
            for step in steps:
                made.extend(step)
                messages += step
                prepared = await made.prepare()
                sent.append([_comparable(message) for message in prepared.messages])
        return sent

    return run(live())


def _comparable(message: dict[str, Any]) -> dict[str, Any]:
    summary = (message["content"] or "").startswith("[Summary]")
    return {"role": "summary"} if summary else message


def test_a_saved_window_sends_what_the_other_sends_until_the_next_summary() -> None:
    whole = a_day_in(12, saved_after=None)
    halves = a_day_in(12, saved_after=11)
    assert whole[-1] == halves[-1]


def test_everything_is_in_the_state() -> None:
    made = window(client=Stub(), messages=chat(11), prices=Prices(1.0, 1.0))
    prepared = run(made.prepare())
    made.record_usage(input_tokens=260, output_tokens=10)
    state = json.loads(json.dumps(made.to_state()))
    again = window(client=Stub())
    again.load_state(state, chat(11))
    assert again.usage == made.usage
    assert again.calibration == made.calibration
    assert run(again.prepare()).messages == prepared.messages


def test_what_was_dropped_is_remembered_for_a_summary() -> None:
    config = {"reserveRatio": 0, "trigger": {"type": "messages_to_refine", "value": 5}}
    made = window(client=Stub(), messages=chat(12), config=config)
    assert run(made.prepare()).report.dropped == 4
    client = Stub()
    again = window(client=client, config=config)
    again.load_state(made.to_state(), chat(12))
    again.extend(chat(1, start=12))
    run(again.prepare())
    assert all(f"Question {number}." in client.shown[0] for number in range(11))


def saved() -> State:
    made = window(messages=chat(2))
    run(made.prepare())
    made.record_usage(input_tokens=100)
    return made.to_state()


DAMAGED: list[tuple[State, str]] = [
    ({"format": "else"}, "this is no saved state of a window"),
    ({"version": 9}, "the state has version 9 and this chatfold reads version 1"),
    ({"version": 10**5_000}, "the state has version <int that is too large to show> and"),
    ({"calibration": "1.0"}, "damaged: calibration is '1.0' and should be a number from 0.5 to 2"),
    ({"calibration": 70}, "the state is damaged: calibration is 70 and should be"),
    ({"calibration": 10**400}, "the state is damaged: calibration is 1000"),
    ({"calibration": float("nan")}, "the state is damaged: calibration is nan"),
    (
        {"calls": [[1, 2, 3]]},
        r"damaged: calls\[0\] is \[1, 2, 3\] and should be a list of 4 values",
    ),
    ({"calls": [[1, -2, 3, None]]}, r"damaged: calls\[0\]\[1\] is -2 and should be a whole number"),
    ({"calls": [[1, 2, 3, 1e999]]}, r"damaged: calls\[0\]\[3\] is inf and should be a number"),
    ({"calls": [[9, 2, 3, None]]}, "damaged: a call was made with 9 messages, and there are 4"),
    ({"calls": 3}, "the state is damaged: calls is 3 and should be a list; load one that was"),
    ({"sent": "all"}, "the state is damaged: sent is 'all' and should be a whole number"),
    ({"index": 3}, "the state is damaged: index is 3 and should be a mapping"),
]


@pytest.mark.parametrize(("damage", "message"), DAMAGED)
def test_a_damaged_state_is_refused_and_changes_nothing(damage: State, message: str) -> None:
    made = window(messages=chat(1))
    before = (made.usage, made.index.included_messages())
    with pytest.raises(StateError, match=message):
        made.load_state({**saved(), **damage}, chat(2))
    assert (made.usage, made.index.included_messages()) == before


def test_a_state_of_other_messages_is_refused() -> None:
    with pytest.raises(StateError, match="saved for other messages than these 6"):
        window().load_state(saved(), chat(3))


def test_a_window_shows_how_much_is_kept() -> None:
    made = ContextWindow(CONFIG, max_context_tokens=16_000)
    made.extend(chat(3))
    assert repr(made) == "<ContextWindow of 16,000 tokens: 6 of 6 messages kept>"

"""A damaged state of a window is refused in words, or the window goes on as it must."""

import json
from typing import Any

from hypothesis import given

from chatfold import StateError
from damaging import Damage, assert_in_words, damaged, damages, places
from summarization.stubs import Stub, run
from window.test_prepare import chat, window


def lived_in() -> dict[str, Any]:
    made = window(client=Stub("The gist."), messages=chat(11))
    for at in range(11, 14):
        run(made.prepare())
        made.record_usage(input_tokens=400, output_tokens=20, cost=0.25)
        made.extend(chat(1, start=at))
    saved: dict[str, Any] = json.loads(json.dumps(made.to_state()))
    return saved


SAVED = lived_in()
PLACES = places(SAVED)
OWN = [path for path in PLACES if path and path[0] != "index"]


@given(damage=damages(OWN * 5 + PLACES[1:]))
def test_a_damaged_state_is_refused_in_words_or_makes_a_sound_window(damage: Damage) -> None:
    made = window(client=Stub("The gist."), messages=chat(2))
    before = (made.usage, made.to_state())
    try:
        made.load_state(damaged(SAVED, damage), chat(14))
    except StateError as error:
        assert_in_words(error)
        assert (made.usage, made.to_state()) == before
        return
    prepared = run(made.prepare())
    assert prepared.report.target_met
    made.record_usage(input_tokens=300)
    assert made.usage.cost is None or made.usage.cost >= 0
    again = window(client=Stub("The gist."))
    again.load_state(json.loads(json.dumps(made.to_state(), allow_nan=False)), chat(14))
    assert again.usage == made.usage

"""A damaged state of an index is refused in words, or makes an index that is sound."""

import copy

import pytest
from hypothesis import given

from chatfold import MessageIndex, StateError, ToolResultCompactionStrategy
from conversations import Conversation
from damaging import Damage, Path, assert_in_words, damaged, damages, places
from product import build_strategy
from state_in_another_process import seen_of
from test_state import LATER, restore_all, session, through_json, worked_on

WORKED_ON = worked_on(session()).to_state()
PLACES = [path for path in places(WORKED_ON) if path and path[0] != "fingerprint"]


@given(damage=damages(PLACES))
def test_a_damaged_state_is_refused_in_words_or_makes_a_sound_index(damage: Damage) -> None:
    messages = session()
    state = damaged(WORKED_ON, damage)
    try:
        index = MessageIndex.from_state(state, messages)
    except StateError as error:
        assert_in_words(error)
        return
    assert_sound(index, messages)


def assert_sound(index: MessageIndex, messages: Conversation) -> None:
    """Use an index in every way, and see that it ends as it must."""
    seen_of(index)
    index.extend(copy.deepcopy(LATER))
    index.compact(build_strategy({"kind": "truncation", "max_n": 9}, index.tokenizer))
    index.compact(ToolResultCompactionStrategy(keep_last_tool_call_groups=0))
    seen_of(index)
    through_json(index, [*messages, *LATER])
    restore_all(index)
    assert index.included_messages() == [*messages, *LATER]
    assert index.included_message_count == len(messages) + len(LATER)
    assert index.sync(messages) <= len(messages)


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        (("tokens", 0), -1, r"tokens\[0\] is -1 and should be a whole number from 0 to 4294967295"),
        (("tokens",), {}, r"tokens is \{\} and should be a list"),
        (("groups", 0), [1, 2], r"groups\[0\] is \[1, 2\] and should be a list of 5 values"),
        (("groups", 0, 3), "yes", r"groups\[0\]\[3\] is 'yes' and should be true or false"),
        (("groups", 0, 2), "\ud800", r"groups\[0\]\[2\] is '.*' and has a lone surrogate"),
        (("stand_ins", 0), 7, r"stand_ins\[0\] is 7 and should be a mapping"),
        (("stand_ins", 0), {"role": "user"}, r"stand_ins\[0\]\.content is missing"),
        (("stand_ins", 0, "role"), "tool", r"\.role is 'tool' and should be assistant or user"),
        (("stand_ins", 0, "content"), [10**5_000], r"\.content is <list that is too large to show"),
        (("settled", 0, "options"), "x", r"settled\[0\]\.options is 'x' and should be 32 hexadec"),
        (("settled", 0, "stages"), [[]], r"\.stages is \[\[\]\] and should be a list of 2 values"),
        (
            ("settled", 0, "stages", 1),
            [1, 2, 3],
            r"\.stages\[1\] has 3 values and should have a sta",
        ),
        (("finished",), [None], r"finished\[0\] is None and should be 32 hexadecimal digits"),
        (("overhead",), None, "overhead is None and should be a mapping"),
        (("overhead", "image"), "x" * 500, r"overhead: image is 'x+'; pass a whole number"),
        (("overhead", "images"), 3, "its keys are per_message, per_history, image, audio, file"),
    ],
)
def test_what_is_damaged_is_named_with_its_value(path: Path, value: object, told: str) -> None:
    state = damaged(WORKED_ON, [(path, "set", value)])
    with pytest.raises(StateError, match=f"^the state is damaged: .*{told}.*; load one that was"):
        MessageIndex.from_state(state, session())

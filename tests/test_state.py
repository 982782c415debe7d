"""The state of an index travels as JSON, and what is no state of it is refused in words."""

import copy
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatfold import (
    ContextPruningStrategy,
    MessageIndex,
    ObservationMaskingStrategy,
    Overhead,
    StateError,
    ToolResultCompactionStrategy,
    TruncationStrategy,
)
from chatfold.tokenizers import CharacterEstimatorTokenizer
from conversations import CONVERSATIONS, LONG_RESULTS, Conversation
from product import Spec, build_strategy
from state_in_another_process import seen_of
from states import of_version_2
from strategy_specs import CLAMPINGS, CONTEXT_PRUNINGS, MASKINGS, STRATEGIES, composed
from work import Work

PROGRAM = Path(__file__).with_name("state_in_another_process.py")


def in_another_process(given: dict[str, Any]) -> Any:  # noqa: ANN401 (plain JSON)
    done = subprocess.run(  # noqa: S603 (our own interpreter and program)
        [sys.executable, str(PROGRAM)],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def through_json(index: MessageIndex, messages: Conversation, **options: Any) -> MessageIndex:  # noqa: ANN401
    state = json.loads(json.dumps(index.to_state()))
    return MessageIndex.from_state(state, messages, **options)


def session() -> Conversation:
    messages: Conversation = [{"role": "system", "content": "Be brief. \ud800"}]
    for turn in range(12):
        call = {"id": f"c{turn}", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        messages += [
            {"role": "user", "content": f"Question {turn}? 東京"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{turn}", "content": f"Result {turn}. " * 9},
            {"role": "assistant", "content": f"Answer {turn}."},
        ]
    return messages


def worked_on(messages: Conversation, tokenizer: str | None = "o200k_base") -> MessageIndex:
    """Make an index with exclusions, digests, a summary of digests, and restored groups."""
    index = MessageIndex(messages, tokenizer=tokenizer)
    index.compact(ToolResultCompactionStrategy(style="names", keep_last_tool_call_groups=2))
    index.compact(TruncationStrategy(max_n=35, compact_to=32))
    included = index.included_groups
    index.replace(included[3:6], "[Summary] little", reason="my reason", role="user")
    index.exclude(index.included_groups[5], reason="dull")
    index.restore(next(group for group in index.groups if group.exclude_reason == "truncation"))
    index.compact(ContextPruningStrategy(min_prunable_tool_chars=10, keep_last_assistants=1))
    assert index.total_token_count > 0
    return index


def restore_all(index: MessageIndex) -> None:
    for position in range(len(index)):
        index.restore(index.group_of(position))


LATER = [{"role": "user", "content": "And now?"}, {"role": "assistant", "content": "Now this."}]
SPEC: Spec = {"kind": "truncation", "max_n": 20, "compact_to": 10, "preserve_system": False}


@pytest.mark.parametrize("tokenizer", ["o200k_base", "cl100k_base", None])
def test_another_process_goes_on_where_this_one_was(tokenizer: str | None) -> None:
    messages = session()
    index = worked_on(messages, tokenizer)
    state = index.to_state()
    done = in_another_process({"state": state, "messages": messages, "later": LATER, "spec": SPEC})
    assert done["counted"] == 0
    assert done["loaded"] == seen_of(index)
    index.extend(LATER)
    index.compact(build_strategy(SPEC, index.tokenizer))
    assert done["later"] == seen_of(index)
    assert done["state"] == json.loads(json.dumps(index.to_state()))


def test_a_state_is_plain_json_without_the_messages() -> None:
    messages = session()
    state = worked_on(messages).to_state()
    text = json.dumps(state)
    assert json.loads(text) == state
    assert "Question" not in text
    assert "Result 3" not in text


def test_a_loaded_state_saves_as_the_same_state() -> None:
    messages = session()
    index = worked_on(messages)
    assert through_json(index, messages).to_state() == index.to_state()


def test_what_was_replaced_can_be_restored_from_a_state() -> None:
    messages = session()
    index = through_json(worked_on(messages), messages)
    restore_all(index)
    assert index.included_messages() == messages
    assert all(
        ours is theirs for ours, theirs in zip(index.included_messages(), messages, strict=True)
    )


def test_a_stand_in_that_is_gone_stays_gone() -> None:
    messages = session()
    index = worked_on(messages)
    gone = [group for group in index.groups if group.kind == "summary"]
    restore_all(index)
    assert not any(index.restore(group) for group in gone)
    assert index.included_messages() == messages


def test_a_state_keeps_its_overhead() -> None:
    messages, overhead = session(), Overhead(per_message=3, per_history=7, image=10)
    index = MessageIndex(messages, overhead=overhead)
    loaded = through_json(index, messages)
    assert loaded.overhead == overhead
    assert loaded.total_token_count == index.total_token_count


@given(
    messages=CONVERSATIONS,
    specs=st.lists(STRATEGIES, max_size=3),
    later=CONVERSATIONS,
    then=STRATEGIES,
    counted=st.booleans(),
)
def test_any_index_is_the_same_after_a_round_trip(
    messages: Conversation, specs: list[Spec], later: Conversation, then: Spec, *, counted: bool
) -> None:
    index = MessageIndex(messages, tokenizer="o200k_base")
    for spec in specs:
        index.compact(build_strategy(spec, "o200k_base"))
    loaded = through_json(index, messages)
    if counted:
        assert seen_of(loaded) == seen_of(index)
    for each in (index, loaded):
        each.extend(later)
        each.compact(build_strategy(then, "o200k_base"))
    assert seen_of(loaded) == seen_of(index)


def readings(lengths: list[int]) -> Conversation:
    """Give turns whose results have so many words."""
    turns = (session()[1 + 4 * turn : 5 + 4 * turn] for turn in range(len(lengths)))
    return [
        {**message, "content": "word " * length} if message["role"] == "tool" else message
        for turn, length in zip(turns, lengths, strict=True)
        for message in turn
    ]


READINGS = st.lists(st.integers(1, 200), min_size=3, max_size=12).map(readings)
SHORTENING = st.one_of(MASKINGS, CONTEXT_PRUNINGS, CLAMPINGS, composed(MASKINGS))


@given(CONVERSATIONS, STRATEGIES, st.integers(1, 6))
def test_promise_8_an_index_that_is_saved_after_each_turn_goes_on_as_one_that_lives(
    messages: Conversation, spec: Spec, turn: int
) -> None:
    assert_goes_on(messages, spec, turn)


@given(st.one_of(READINGS, LONG_RESULTS), SHORTENING, st.integers(1, 6))
def test_promise_8_what_is_settled_is_so_after_loading(
    messages: Conversation, spec: Spec, turn: int
) -> None:
    assert_goes_on(messages, spec, turn)


def assert_goes_on(messages: Conversation, spec: Spec, turn: int) -> None:
    live = loaded = MessageIndex(tokenizer=len)
    strategy = build_strategy(spec, len)
    for start in range(0, len(messages), turn):
        loaded = through_json(loaded, messages[:start], tokenizer=len)
        for index in (live, loaded):
            index.extend(messages[start : start + turn])
            index.compact(strategy)
        assert seen_of(loaded) == seen_of(live)


def test_what_masking_left_to_a_result_stays_after_loading_though_its_share_shrinks() -> None:
    masking = ObservationMaskingStrategy(token_budget=400, min_chars=80)
    messages = session()[:9]
    messages[3] = {**messages[3], "content": "Result. " * 300}
    index = MessageIndex(messages)
    assert index.compact(masking).changed
    before = index.included_messages()[3]["content"]
    loaded = through_json(index, messages)
    for each in (index, loaded):
        each.extend(session()[9:])
        each.compact(masking)
        assert each.included_messages()[3]["content"] == before


def test_a_state_from_before_it_said_what_is_settled_is_read() -> None:
    messages = session()
    state = worked_on(messages).to_state()
    loaded = MessageIndex.from_state(of_version_2(state), messages)
    again = loaded.to_state()
    assert of_version_2(again) == of_version_2(state)
    assert again["settled"] == []


@given(messages=CONVERSATIONS, spec=STRATEGIES)
def test_no_text_is_counted_again(messages: Conversation, spec: Spec) -> None:
    index = MessageIndex(messages, tokenizer="o200k_base")
    index.compact(build_strategy(spec, "o200k_base"))
    expected = index.total_token_count, index.included_token_count
    loaded, work = through_json(index, messages), Work()
    assert (loaded.total_token_count, loaded.included_token_count) == expected
    assert work.done.texts_counted == 0


@pytest.mark.parametrize("tokenizer", [len, "cl100k_base", CharacterEstimatorTokenizer()], ids=str)
def test_another_tokenizer_counts_anew(tokenizer: Any) -> None:  # noqa: ANN401 (whatever counts)
    messages = session()
    index = worked_on(messages)
    loaded = through_json(index, messages, tokenizer=tokenizer)
    assert loaded.total_token_count == sum(group.token_count for group in loaded.groups)
    unsaved = MessageIndex(messages, tokenizer=tokenizer)
    counts = {group.positions: group.token_count for group in unsaved.groups}
    for group in loaded.groups:
        if group.kind != "summary":
            assert group.token_count == counts[group.positions]
    assert loaded.included_messages() == index.included_messages()


def test_a_tokenizer_of_ones_own_must_be_given_again() -> None:
    messages = session()
    index = MessageIndex(messages, tokenizer=len)
    assert index.total_token_count > 0
    loaded = through_json(index, messages, tokenizer=len)
    assert loaded.total_token_count == index.total_token_count
    told = refused(index.to_state(), messages)
    assert told == (
        "the state was saved with the tokenizer CallableTokenizer(len), which is not built in; pass "
        "it to from_state as tokenizer=..., or another one to count everything anew"
    )


@pytest.mark.parametrize("cjk_aware", [False, True])
@pytest.mark.parametrize("chars_per_token", [1, 4, 7])
def test_an_estimator_is_known_from_its_options(*, chars_per_token: int, cjk_aware: bool) -> None:
    estimator = CharacterEstimatorTokenizer(chars_per_token=chars_per_token, cjk_aware=cjk_aware)
    messages = session()
    index = MessageIndex(messages, tokenizer=estimator)
    loaded = through_json(index, messages)
    assert loaded.tokenizer == estimator
    assert loaded.total_token_count == index.total_token_count


def refused(state: Any, messages: Conversation) -> str:  # noqa: ANN401 (whatever is no state)
    with pytest.raises(StateError) as caught:
        MessageIndex.from_state(state, messages)
    return str(caught.value)


def test_other_messages_are_refused() -> None:
    messages = session()
    state = worked_on(messages).to_state()
    other = copy.deepcopy(messages)
    other[2]["tool_calls"][0]["function"]["arguments"] = "{ }"
    for each in (other, messages[:-1], [*messages, *LATER], [], messages[::-1]):
        assert "other messages" in refused(state, each)


def test_another_version_is_refused() -> None:
    messages = session()
    for version in (0, 5, "2", None, 10**30, [1]):
        text = refused({**worked_on(messages).to_state(), "version": version}, messages)
        assert repr(version) in text
        assert "reads version 4" in text


@pytest.mark.parametrize("state", [{}, [], None, "state", 1, {"format": "other"}], ids=repr)
def test_what_is_no_state_is_refused(state: object) -> None:
    assert "no saved state" in refused(state, session())

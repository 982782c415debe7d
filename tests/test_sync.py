"""Sync makes an index one about another list, and keeps what still holds."""

import copy
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat_messages import ASSISTANTS, CALLERS, RESULTS, SYSTEMS, USERS
from chatfold import (
    MessageError,
    MessageIndex,
    OversizeClampingStrategy,
    ToolResultCompactionStrategy,
    TruncationStrategy,
)
from conversations import CONVERSATIONS, Conversation
from product import Spec, build_strategy
from states import groups_of, included_totals, totals
from strategy_specs import STRATEGIES
from work import Work


def talk(turns: int) -> Conversation:
    messages: Conversation = [{"role": "system", "content": "Be brief."}]
    for turn in range(turns):
        call = {"id": f"c{turn}", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        messages += [
            {"role": "user", "content": f"Question {turn}?"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{turn}", "content": f"Result {turn}. " * 9},
            {"role": "assistant", "content": f"Answer {turn}."},
        ]
    return messages


def state_of(index: MessageIndex) -> tuple[object, ...]:
    """Give all that can be seen of an index."""
    kept = [id(message) for message in index.included_messages()]
    messages = [id(message) for message in index.messages]
    stand_ins = sum(group.kind == "summary" for group in index.groups)
    return groups_of(index), messages, totals(index), included_totals(index), kept[stand_ins:]


def assert_like_a_new_one(index: MessageIndex, messages: Conversation) -> None:
    fresh = MessageIndex(messages, tokenizer=index.tokenizer)
    assert [id(message) for message in index.messages] == [id(message) for message in messages]
    assert groups_of(index) == groups_of(fresh)
    assert included_totals(index) == included_totals(fresh)
    assert totals(index) == totals(fresh)
    assert index.included_messages() == fresh.included_messages()


def test_the_same_objects_are_known_and_not_read_again() -> None:
    messages = talk(20)
    index = MessageIndex(messages, tokenizer=len)
    before, work = state_of(index), Work()
    assert index.sync(messages) == len(messages)
    assert work.done.messages_read == 0
    assert state_of(index) == before


def test_equal_messages_are_known_and_handed_out_as_the_new_objects() -> None:
    index = MessageIndex(talk(20), tokenizer=len)
    assert index.total_token_count > 0
    again, work = talk(20), Work()
    assert index.sync(again) == len(again)
    assert work.done.messages_read == 0
    assert_like_a_new_one(index, again)
    assert all(
        ours is theirs for ours, theirs in zip(index.included_messages(), again, strict=True)
    )


def test_a_longer_list_reads_what_is_new() -> None:
    index = MessageIndex(talk(20), tokenizer=len)
    longer, work = talk(22), Work()
    assert index.sync(longer) == len(talk(20))
    assert work.done.messages_read == 2 * 4
    assert_like_a_new_one(index, longer)


def test_a_shorter_list_forgets_what_is_gone() -> None:
    index = MessageIndex(talk(20), tokenizer=len)
    shorter = talk(20)[:-3]
    assert index.sync(shorter) == len(shorter)
    assert_like_a_new_one(index, shorter)


def test_a_message_that_changed_in_the_middle() -> None:
    index = MessageIndex(talk(20), tokenizer=len)
    changed = talk(20)
    changed[9] = {"role": "user", "content": "Something else entirely?"}
    assert index.sync(changed) == 9
    assert_like_a_new_one(index, changed)


@pytest.mark.parametrize("at", [0, 1, 5, 40])
def test_messages_that_came_or_went_in_the_middle(at: int) -> None:
    for edit in (slice(at, at), slice(at, at + 1)):
        index = MessageIndex(talk(20), tokenizer=len)
        changed = talk(20)
        changed[edit] = [{"role": "user", "content": "In between."}]
        assert index.sync(changed) == at
        assert_like_a_new_one(index, changed)


def test_the_newest_message_that_grew_in_place() -> None:
    messages = talk(3)
    index = MessageIndex(messages, tokenizer=len)
    assert index.included_token_count > 0
    for _ in range(5):
        messages[-1]["content"] += " And more."
        assert index.sync(messages) == len(messages) - 1
        assert_like_a_new_one(index, messages)


def test_the_newest_message_that_grew_in_place_while_others_came() -> None:
    messages = talk(3)
    index = MessageIndex(messages, tokenizer=len)
    messages[-1]["content"] += " And more."
    messages.append({"role": "user", "content": "Thanks."})
    assert index.sync(messages) == len(messages) - 2
    assert_like_a_new_one(index, messages)


def test_a_call_that_was_added_in_place_to_the_newest_message() -> None:
    messages = talk(3)
    index = MessageIndex(messages, tokenizer=len)
    messages[-1]["tool_calls"] = [{"id": "x", "function": {"name": "f", "arguments": ""}}]
    messages.append({"role": "tool", "tool_call_id": "x", "content": "Result."})
    index.sync(messages)
    assert_like_a_new_one(index, messages)


def test_the_newest_message_that_was_written_anew_in_place_at_the_same_length() -> None:
    messages = talk(3)
    index = MessageIndex(messages)
    assert index.included_token_count > 0
    messages[-1]["content"] = "".join(
        chr(33 + at % 90) for at in range(len(messages[-1]["content"]))
    )
    assert index.sync(messages) == len(messages) - 1
    assert_like_a_new_one(index, messages)


def test_a_call_that_got_its_id_in_place() -> None:
    call = {"id": "", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    messages = [*talk(3), {"role": "assistant", "content": None, "tool_calls": [call]}]
    indexes = [MessageIndex(messages), MessageIndex(messages[:-1]), MessageIndex(messages[:-1])]
    indexes[1].append(messages[-1])
    indexes[2].sync(messages)
    call["id"] = "x"
    messages.append({"role": "user", "content": "Quick."})
    messages.append({"role": "tool", "tool_call_id": "x", "content": "Result."})
    for index in indexes:
        assert index.sync(messages) == len(messages) - 3
        assert_like_a_new_one(index, messages)


def test_a_list_of_other_messages() -> None:
    index = MessageIndex(talk(20), tokenizer=len)
    other: Conversation = [{"role": "user", "content": "Hello."}]
    assert index.sync(other) == 0
    assert_like_a_new_one(index, other)


def test_to_and_from_an_empty_list() -> None:
    index = MessageIndex(talk(3), tokenizer=len)
    empty: Conversation = []
    assert index.sync(empty) == 0
    assert_like_a_new_one(index, empty)
    messages = talk(2)
    assert index.sync(messages) == 0
    assert_like_a_new_one(index, messages)


def test_an_iterator_is_a_list_too() -> None:
    messages = talk(3)
    index = MessageIndex(messages[:5], tokenizer=len)
    assert index.sync(iter(messages)) == 5
    assert_like_a_new_one(index, messages)


def test_what_was_excluded_before_the_change_stays_so() -> None:
    messages = talk(20)
    index = MessageIndex(messages[:70], tokenizer=len)
    index.compact(ToolResultCompactionStrategy(style="names", keep_last_tool_call_groups=3))
    index.compact(TruncationStrategy(max_n=50, compact_to=40))
    kept = index.included_messages()
    index.extend(messages[70:])
    index.compact(TruncationStrategy(max_n=20))
    changed = [*messages[:70], {"role": "user", "content": "Something else."}]
    assert index.sync(changed) == 70
    assert index.included_messages() == [*kept, changed[-1]]


def test_what_was_counted_before_the_change_is_not_counted_again() -> None:
    asked: list[str] = []

    def count(text: str) -> int:
        asked.append(text)
        return len(text)

    messages = talk(20)
    index = MessageIndex(messages, tokenizer=count)
    assert index.total_token_count > 0
    asked.clear()
    index.sync([*messages[:40], {"role": "user", "content": "New."}])
    assert index.total_token_count > 0
    assert asked == ["New."]


@pytest.mark.parametrize("role", ["system", "developer"])
def test_another_system_message_leaves_all_else_as_it_was(role: str) -> None:
    """Many agents tell the time of day in it, so that it is another one in every call."""
    index = MessageIndex(talk(20), tokenizer=len)
    index.compact(ToolResultCompactionStrategy(keep_last_tool_call_groups=2, max_chars=64))
    index.compact(TruncationStrategy(max_n=50))
    before = index.included_messages()
    again = talk(20)
    again[0] = {"role": role, "content": "Be brief. It is noon."}
    assert index.sync(again) == len(again)
    assert index.included_messages() == [again[0], *before[1:]]
    assert index.included_messages()[0] is again[0]
    assert sum(group.excluded for group in index.groups) > 20
    fresh = MessageIndex(again, tokenizer=len)
    assert index.group_of(0).token_count == fresh.group_of(0).token_count
    assert index.group_of(0).byte_count == fresh.group_of(0).byte_count


def test_another_system_message_is_not_shown_as_the_one_before_it_was_clamped() -> None:
    clamping = OversizeClampingStrategy(max_context_window_tokens=100, clamp=["system"])
    index = MessageIndex([{"role": "system", "content": "Rule. " * 99}, *talk(2)], tokenizer=len)
    assert index.compact(clamping).changed
    for words in ("Another rule. ", "Yet another. "):
        again = [{"role": "system", "content": words * 50}, *talk(2)]
        index.sync(again)
        assert index.included_messages()[0] is again[0]
        assert index.compact(clamping).changed
        assert index.included_messages()[0]["content"].startswith(words)


def test_another_system_message_in_the_middle_and_at_the_end() -> None:
    messages = [*talk(3), {"role": "system", "content": "Now in French."}, *talk(3)]
    index = MessageIndex(messages, tokenizer=len)
    index.exclude(index.group_of(5), reason="mine")
    again = [{**message} for message in messages]
    again[len(talk(3))]["content"] = "Now in Quechua, please."
    again.append({"role": "system", "content": "Almost done."})
    assert index.sync(again) == len(messages)
    assert [group.exclude_reason for group in index.groups if group.excluded] == ["mine"]
    last = [*again[:-1], {"role": "system", "content": "Done."}]
    assert index.sync(last) == len(last)
    assert index.included_messages()[-1] is last[-1]
    assert index.total_token_count == MessageIndex(last, tokenizer=len).total_token_count


def test_what_is_no_system_message_does_not_take_the_place_of_one() -> None:
    index = MessageIndex(talk(3), tokenizer=len)
    for other in ({"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hi"}):
        changed = [other, *talk(3)[1:]]
        assert index.sync(changed) == 0
        assert_like_a_new_one(index, changed)
        back = talk(3)
        assert index.sync(back) == 0
        assert_like_a_new_one(index, back)


def test_a_system_message_that_cannot_be_read_leaves_all_as_it_was() -> None:
    index = MessageIndex(talk(3), tokenizer=len)
    before = state_of(index)
    with pytest.raises(MessageError, match="message 0 can't be read"):
        index.sync([{"role": "system", "content": 7}, *talk(3)[1:]])
    assert state_of(index) == before


def test_texts_that_another_system_message_leaves_alone_are_not_counted_again() -> None:
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return len(text)

    index = MessageIndex(talk(9), tokenizer=count)
    _ = index.total_token_count
    counted.clear()
    again = talk(9)
    again[0]["content"] = "It is noon."
    index.sync(again)
    assert index.total_token_count == MessageIndex(again, tokenizer=len).total_token_count
    assert counted == ["It is noon."]


@pytest.mark.parametrize("position", [0, 7, 12, 13, 20])
def test_an_unreadable_message_leaves_all_as_it_was(position: int) -> None:
    messages = talk(3)
    index = MessageIndex(messages, tokenizer=len)
    index.compact(TruncationStrategy(max_n=6, compact_to=4))
    before = state_of(index)
    unreadable: list[Any] = talk(6)
    unreadable[position] = {"role": "wizard", "content": "?"}
    with pytest.raises(MessageError) as caught:
        index.sync(unreadable)
    assert caught.value.position == position
    assert state_of(index) == before
    index.append({"role": "user", "content": "Go on."})


def test_a_list_that_raises_leaves_all_as_it_was() -> None:
    class Rude(dict[str, Any]):
        def __eq__(self, other: object) -> bool:
            raise RuntimeError("don't compare me")

        __hash__ = None

    messages = talk(3)
    index = MessageIndex(messages, tokenizer=len)
    before = state_of(index)
    with pytest.raises(RuntimeError, match="don't compare me"):
        index.sync([*messages[:5], Rude(messages[5]), *messages[6:]])
    assert state_of(index) == before


class Edit(NamedTuple):
    """One change of a list; `at` is a share of a thousand."""

    kind: str
    at: int
    messages: Conversation

    def apply(self, messages: Conversation) -> None:
        at = self.at * (len(messages) + 1) // 1000
        match self.kind:
            case "append":
                messages.extend(copy.deepcopy(self.messages))
            case "insert":
                messages[at:at] = copy.deepcopy(self.messages)
            case "replace":
                messages[at : at + 1] = copy.deepcopy(self.messages)
            case "cut":
                del messages[at:]
            case "copy":
                messages[:] = copy.deepcopy(messages)
            case "grow" if messages and isinstance(messages[-1].get("content"), str):
                messages[-1]["content"] += " more"
            case _:
                pass


MESSAGES = st.lists(st.one_of(USERS, ASSISTANTS, SYSTEMS, CALLERS, RESULTS, RESULTS), max_size=3)
KINDS = st.sampled_from(["append", "append", "insert", "replace", "cut", "copy", "grow", "same"])
EDITS = st.lists(st.builds(Edit, KINDS, st.integers(0, 999), MESSAGES), max_size=5)


@given(messages=CONVERSATIONS, edits=EDITS)
def test_after_any_edits_it_is_like_a_new_index(messages: Conversation, edits: list[Edit]) -> None:
    messages = copy.deepcopy(messages)
    index = MessageIndex(messages, tokenizer=len)
    for edit in edits:
        edit.apply(messages)
        assert 0 <= index.sync(messages) <= len(messages)
        assert_like_a_new_one(index, messages)


@given(messages=CONVERSATIONS, specs=st.lists(STRATEGIES, max_size=2), edits=EDITS)
def test_promise_8_what_was_excluded_stays_excluded_while_no_message_goes(
    messages: Conversation, specs: list[Spec], edits: list[Edit]
) -> None:
    """Where one goes, what is taken back with it is told in test_going_back.py."""
    messages = copy.deepcopy(messages)
    index = MessageIndex(messages, tokenizer=len)
    for spec in specs:
        index.compact(build_strategy(spec, len))
    for edit in edits:
        edit.apply(messages)
        before = len(index)
        states = {tuple(state.positions): state for state in groups_of(index) if state.excluded}
        if index.sync(messages) < before:
            continue
        for now in groups_of(index):
            was = states.get(tuple(now.positions))
            if was is not None and was.positions:
                assert (now.excluded, now.reason) == (was.excluded, was.reason)

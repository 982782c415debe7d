"""Lists that go back: what was decided with messages that are gone is taken back with them."""

import asyncio
import copy
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatfold import (
    ContextPruningStrategy,
    HardClear,
    MessageGroup,
    MessageIndex,
    SlidingWindowStrategy,
    SummarizationStrategy,
    ToolResultCompactionStrategy,
    TruncationStrategy,
)
from conversations import CONVERSATIONS, VALID_CONVERSATIONS, Conversation
from product import Spec, build_strategy
from recount import assert_figures_are_right
from reference import History, answered, changed, group_messages, run
from states import (
    PART_TOKENS,
    groups_of,
    groups_of_twin,
    included_totals,
    of_version_2,
    totals,
)
from strategy_specs import STRATEGIES
from validity import faults


def said(role: str, text: str, times: int = 60) -> dict[str, Any]:
    return {"role": role, "content": f"{text} " * times}


def talk(turns: int) -> Conversation:
    return [
        message
        for turn in range(turns)
        for message in (said("user", f"u{turn}"), said("assistant", f"a{turn}"))
    ]


def tool_talk(turns: int) -> Conversation:
    messages: Conversation = []
    for turn in range(turns):
        call = {"id": f"c{turn}", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        messages += [
            said("user", f"u{turn}", 1),
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{turn}", "content": f"r{turn} " * 2_000},
            said("assistant", f"a{turn}", 1),
        ]
    return messages


def names(index: MessageIndex) -> list[str]:
    return [str(message["content"]).split()[0] for message in index.included_messages()]


async def summarize(messages: list[dict[str, Any]]) -> str:
    return f"told of {len(messages)}"


SUMMARIZATION = SummarizationStrategy(client=summarize, target_count=4, threshold=2)


@pytest.mark.parametrize("left", range(1, 10))
def test_what_a_window_left_out_is_back_where_the_list_goes_back_before_it(left: int) -> None:
    messages = talk(6)
    index = MessageIndex(messages)
    window = SlidingWindowStrategy(keep_last_turns=2)
    index.compact(window)
    assert names(index) == ["u4", "a4", "u5", "a5"]
    assert index.sync(messages[:left]) == left
    assert index.included_messages() == messages[:left]
    index.compact(window)
    turns = (left + 1) // 2
    assert index.included_messages() == messages[max(0, 2 * turns - 4) : left]


def test_a_new_newest_message_in_the_place_of_another_leaves_all_as_it_was() -> None:
    """Many clients add something to the newest message, for one call only."""
    messages = talk(6)[:-1]
    index = MessageIndex(messages)
    index.compact(TruncationStrategy(max_n=9, compact_to=4))
    assert names(index) == ["a3", "u4", "a4", "u5"]
    again = [*messages[:-1], said("user", "again")]
    index.sync(again)
    assert names(index) == ["a3", "u4", "a4", "again"]
    assert not index.compact(TruncationStrategy(max_n=9, compact_to=4)).changed


@pytest.mark.parametrize("role", ["user", "system"])
def test_what_is_added_to_a_question_for_one_call_takes_nothing_back(role: str) -> None:
    """Many agents look something up for each question, and send it beside that."""
    messages, kept = talk(6), TruncationStrategy(max_n=9, compact_to=5)
    index = MessageIndex([*messages[:10], said(role, "found"), messages[10]])
    index.compact(kept)
    known = names(index)
    assert "a4" in known
    index.sync([*messages, said(role, "other"), said("user", "u6")])
    expected = [name for name in known if name not in {"found", "u5"}]
    assert names(index) == [*expected, "u5", "a5", "other", "u6"]


def test_many_messages_of_users_alone_go_back_as_well() -> None:
    messages = [said("user", f"u{number}") for number in range(30)]
    index = MessageIndex(messages)
    index.compact(TruncationStrategy(max_n=3))
    index.sync(messages[:20])
    assert index.included_messages() == messages[:20]


def test_what_was_decided_before_the_place_stays() -> None:
    messages = talk(6)
    index = MessageIndex(messages[:7])
    index.compact(TruncationStrategy(max_n=3))
    index.extend(messages[7:])
    index.compact(TruncationStrategy(max_n=3))
    assert names(index) == ["a4", "u5", "a5"]
    index.sync(messages[:8])
    assert names(index) == ["u2", "a2", "u3", "a3"]


@pytest.mark.parametrize(
    ("left", "kept"),
    [
        (11, ["[Summary]", "u4", "a4", "u5"]),
        (10, ["[Summary]", "u4", "a4"]),
        (9, ["u0", "a0", "u1", "a1", "u2", "a2", "u3", "a3", "u4"]),
        (8, ["u0", "a0", "u1", "a1", "u2", "a2", "u3", "a3"]),
        (5, ["u0", "a0", "u1", "a1", "u2"]),
    ],
)
def test_a_summary_stays_with_half_of_what_followed_it(left: int, kept: list[str]) -> None:
    messages = talk(6)
    index = MessageIndex(messages)
    asyncio.run(index.acompact(SUMMARIZATION))
    assert names(index) == ["[Summary]", "u4", "a4", "u5", "a5"]
    index.sync(messages[:left])
    assert names(index) == kept


def test_of_two_summaries_the_one_that_tells_of_what_is_gone_goes() -> None:
    messages = talk(9)
    index = MessageIndex(messages[:12])
    asyncio.run(index.acompact(SUMMARIZATION))
    index.extend(messages[12:])
    asyncio.run(index.acompact(SUMMARIZATION))
    assert names(index) == ["[Summary]", "u7", "a7", "u8", "a8"]
    first = next(group for group in index.groups if group.summarizes)
    text = first.messages[0]["content"]
    index.sync(messages[:13])
    assert names(index) == ["[Summary]", "u4", "a4", "u5", "a5", "u6"]
    assert index.included_messages()[0]["content"] == text


def test_a_digest_of_a_result_that_is_another_now_goes() -> None:
    messages = tool_talk(3)
    index = MessageIndex(messages)
    index.compact(ToolResultCompactionStrategy(max_chars=100))
    assert [group.kind for group in index.included_groups].count("summary") == 2
    again = copy.deepcopy(messages)
    again[6]["content"] = "something else"
    assert index.sync(again) == 6
    assert index.included_messages() == again
    index.compact(ToolResultCompactionStrategy(max_chars=100))
    assert "something else" in str(index.included_messages())


PRUNING = ContextPruningStrategy(
    keep_last_assistants=1,
    min_prunable_tool_chars=0,
    soft_trim_ratio=0.01,
    hard_clear=HardClear(enabled=False),
)


def test_shortened_results_are_whole_again() -> None:
    messages = tool_talk(4)
    index = MessageIndex(messages)
    assert index.compact(PRUNING).changed
    assert index.included_messages()[2] != messages[2]
    again = copy.deepcopy(messages)
    again[6]["content"] = "r1 " * 1_999
    assert index.sync(again) == 6
    assert index.included_messages() == again


def test_a_shortening_of_before_stays_byte_for_byte() -> None:
    messages = tool_talk(8)
    index = MessageIndex(messages[:20])
    assert index.compact(PRUNING).changed
    kept = index.included_messages()
    index.extend(messages[20:])
    clear = ContextPruningStrategy(
        keep_last_assistants=1,
        min_prunable_tool_chars=0,
        soft_trim_ratio=0.01,
        hard_clear_ratio=0.01,
    )
    assert index.compact(clear).changed
    assert index.included_messages()[2] not in (kept[2], messages[2])
    index.sync(messages[:20])
    assert index.included_messages() == kept


def test_what_the_caller_left_out_stays_out() -> None:
    messages = talk(6)
    index = MessageIndex(messages)
    index.exclude(index.group_of(1), reason="dull")
    index.compact(TruncationStrategy(max_n=3))
    index.sync(messages[:5])
    assert names(index) == ["u0", "u1", "a1", "u2"]
    index.sync(messages[:2])
    assert names(index) == ["u0", "a0"]


def test_what_a_strategy_of_ones_own_left_out_comes_back() -> None:
    messages = talk(6)

    def oldest(index: MessageIndex) -> bool:
        for group in index.included_groups[:7]:
            index.exclude(group, reason="old")
        return True

    index = MessageIndex(messages)
    index.compact(oldest)
    index.sync(messages[:5])
    assert index.included_messages() == messages[:5]


def test_an_abandoned_call_waits_again() -> None:
    messages = [*tool_talk(2)[:6], said("user", "never mind"), *talk(4)]
    index = MessageIndex(messages)
    index.exclude(index.group_of(5), reason="abandoned")
    index.sync(messages[:6])
    assert index.group_of(5).pending
    assert names(index) == ["u0", "None", "r0", "a0", "u1", "None"]


def test_the_state_says_when_something_was_decided() -> None:
    messages = talk(6)
    index = MessageIndex(messages[:7])
    index.compact(TruncationStrategy(max_n=3))
    index.extend(messages[7:])
    index.compact(TruncationStrategy(max_n=3))
    loaded = MessageIndex.from_state(index.to_state(), messages)
    for each in (index, loaded):
        each.sync(messages[:8])
    assert names(loaded) == names(index) == ["u2", "a2", "u3", "a3"]
    assert groups_of(loaded) == groups_of(index)


def test_an_older_state_is_taken_back_as_a_whole() -> None:
    messages = tool_talk(6)
    index = MessageIndex(messages)
    index.compact(ToolResultCompactionStrategy(style="names"))
    index.compact(TruncationStrategy(max_n=8))
    loaded = MessageIndex.from_state(of_version_2(index.to_state()), messages)
    assert groups_of(loaded) == groups_of(index)
    loaded.sync(messages[:9])
    assert loaded.included_messages() == messages[:9]


def floor_of(messages: Conversation) -> set[int]:
    groups = group_messages(messages)
    floor = [group for group in groups if group.pending]
    floor += [group for group in groups if group.kind != "system"][-1:]
    floor += users_of(groups)[-1:]
    return {at for group in floor for at in group.positions}


def users_of(groups: list[Any]) -> list[Any]:
    """Give the groups of the user; none where the newest may have been written by compaction."""
    said = [group for group in groups if group.messages[0]["role"] == "user"]
    return said if said and said[-1].kind == "user" else []


def included_positions(index: MessageIndex) -> set[int]:
    return {at for group in index.included_groups for at in group.positions}


class Step:
    """Something that happens to a conversation; numbers are shares of a thousand."""

    def __init__(self, kind: str, at: int, length: int, spec: Spec, more: Conversation) -> None:
        self.kind, self.at, self.length, self.spec, self.more = kind, at, length, spec, more

    def place(self, length: int) -> int:
        return self.at * (length + 1) // 1000

    def group_of(self, index: MessageIndex) -> MessageGroup | None:
        groups = list(index.groups)
        return groups[self.at * len(groups) // 1000] if groups else None

    def some(self, groups: list[Any]) -> list[Any]:
        start = self.at * len(groups) // 1000
        return groups[start : start + 1 + self.length]

    def __repr__(self) -> str:
        return f"Step({self.kind!r}, {self.at}, {self.length}, {self.spec!r}, {self.more!r})"


def steps(kinds: list[str]) -> st.SearchStrategy[list[Step]]:
    step = st.builds(
        Step,
        st.sampled_from(kinds),
        st.integers(0, 999),
        st.integers(0, 5),
        STRATEGIES,
        st.lists(st.one_of(VALID_CONVERSATIONS), max_size=1).map(
            lambda found: [message for each in found for message in each[:6]]
        ),
    )
    return st.lists(step, min_size=2, max_size=7)


def spec_keeps_floor(spec: Spec) -> bool:
    return all(
        spec.get(name) is not False for name in ("preserve_last_user_group", "preserve_system")
    ) and all(map(spec_keeps_floor, spec.get("strategies", [])))


KINDS = ["compact", "compact", "fork", "fork", "grow", "summarize", "exclude"]


def lists_of(messages: Conversation, each: list[Step]) -> Iterator[tuple[Step, Conversation]]:
    for step in each:
        if step.kind == "fork":
            messages = copy.deepcopy(messages[: step.place(len(messages))]) + step.more
        elif step.kind == "grow":
            messages = messages + step.more
        yield step, messages


@given(CONVERSATIONS, steps(KINDS))
def test_promise_8_what_stays_where_a_list_goes_back_is_what_the_twin_says(
    messages: Conversation, life: list[Step]
) -> None:
    index, history = MessageIndex(messages, tokenizer=len), History(messages, len, PART_TOKENS)
    for step, now in lists_of(messages, life):
        match step.kind:
            case "compact":
                index.compact(build_strategy(step.spec, len))
                run(history, step.spec)
            case "summarize":
                compact_both(index, history, step)
            case "exclude":
                group = step.some(included(index))[:1]
                for mine, twin in zip(group, twins_of(history, group), strict=True):
                    index.exclude(mine, reason="mine")
                    history.exclude(twin, "mine", by_caller=True)
            case _:
                known = index.sync(now)
                after = changed(history, now, known)
                if after is None:
                    return
                history = after
        states = [str(each) for each in groups_of(index)]
        assert sorted(states) == sorted(map(str, groups_of_twin(history)))
        assert index.included_messages() == history.projection()
        assert included_totals(index) == history.included_totals()


def included(index: MessageIndex) -> list[MessageGroup]:
    groups = [group for group in index.groups if not group.excluded]
    return [group for group in groups if group.kind != "system" and not group.pending]


def twins_of(history: History, groups: list[MessageGroup]) -> list[Any]:
    def name(group: Any) -> tuple[Any, ...]:  # noqa: ANN401 (a group of either)
        inner = group.summarizes if isinstance(group, MessageGroup) else group.stands_for
        return tuple(group.positions), tuple(map(name, inner))

    by_name = {name(group): group for group in history.groups}
    return [by_name[name(group)] for group in groups]


def compact_both(index: MessageIndex, history: History, step: Step) -> None:
    """Write a summary of some groups, by a strategy or by the caller."""
    groups = step.some(included(index))
    twins = twins_of(history, groups)
    text = f"[Summary] {step.at}"
    by_caller = step.length % 2 == 0
    if not groups:
        return
    made = []

    def write(index: MessageIndex) -> bool:
        made.append(index.replace(groups, text, reason="summarized"))
        return True

    at = 0 if by_caller else answered(history)
    if by_caller:
        write(index)
    else:
        index.compact(write)
    if made[0] is not None:
        history.replace_all(twins, text, "summarized", made_at=at, written=True)


@given(VALID_CONVERSATIONS, steps([*KINDS, "restore", "protect", "unprotect", "save"]))
def test_promise_3_the_floor_is_there_wherever_the_list_goes_back_to(
    messages: Conversation, life: list[Step]
) -> None:
    """And promises 1 and 10: pairs, and figures that are right."""
    index = MessageIndex(messages, tokenizer=len)
    for step, now in lists_of(messages, life):
        group = step.group_of(index)
        match step.kind:
            case "compact" if spec_keeps_floor(step.spec):
                index.compact(build_strategy(step.spec, len))
            case "summarize":
                asyncio.run(index.acompact(SUMMARIZATION))
            case "restore" if group:
                index.restore(group)
            case "protect" if group and group.positions:
                index.protect(group)
            case "unprotect" if group and group.positions:
                index.unprotect(group)
            case "save":
                index = MessageIndex.from_state(index.to_state(), index.messages, tokenizer=len)
            case "fork" | "grow":
                index.sync(now)
            case _:
                pass
        assert floor_of(now) <= included_positions(index)
        assert bool(index.included_messages()) == bool(now)
        if not faults(now):
            assert faults(index.included_messages()) == []
        assert_figures_are_right(index)
        fresh = MessageIndex(now, tokenizer=len)
        assert index.total_turn_count == fresh.total_turn_count
        assert totals(index).messages >= totals(fresh).messages

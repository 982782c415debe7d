"""Lists that go back: what was decided with messages that are gone is taken back with them."""

import asyncio
import copy
from typing import Any

import pytest

from chatfold import (
    ContextPruningStrategy,
    HardClear,
    MessageIndex,
    SlidingWindowStrategy,
    SummarizationStrategy,
    ToolResultCompactionStrategy,
    TruncationStrategy,
)
from conversations import Conversation
from states import groups_of, of_version_2


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

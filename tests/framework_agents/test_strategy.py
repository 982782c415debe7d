"""A strategy of chatfold as one of the framework's, on lists of its messages."""

import asyncio
import copy
from collections.abc import Callable
from typing import Any

import pytest
from agent_framework import (
    CompactionStrategy,
    Content,
    Message,
    annotate_message_groups,
    apply_compaction,
    included_messages,
)

import chatfold
from chatfold import (
    ExtractiveSummarizer,
    MessageError,
    MessageIndex,
    PipelineCompactionStrategy,
    SelectiveToolCallCompactionStrategy,
    SlidingWindowStrategy,
    SummarizationStrategy,
    ToolResultCompactionStrategy,
    TruncationStrategy,
    work_done,
)
from chatfold.integrations.agent_framework import as_compaction_strategy
from framework_agents.scripted import conversation, pairs_closed, run, texts, tool_round

STRATEGIES: list[Callable[[], chatfold.Strategy]] = [
    lambda: TruncationStrategy(max_n=12, compact_to=8),
    lambda: TruncationStrategy(max_n=300, compact_to=200, tokenizer="o200k_base"),
    lambda: SlidingWindowStrategy(keep_last_groups=5),
    lambda: SlidingWindowStrategy(keep_last_turns=2),
    lambda: SelectiveToolCallCompactionStrategy(keep_last_tool_call_groups=1),
    lambda: ToolResultCompactionStrategy(keep_last_tool_call_groups=1, max_chars=80),
    lambda: SummarizationStrategy(client=ExtractiveSummarizer(), target_count=4),
]


def shape(message: Message) -> tuple[object, ...]:
    contents = [(each.type, each.call_id, each.text or each.result) for each in message.contents]
    return message.role, contents


def compacted(messages: list[Message], strategy: CompactionStrategy) -> list[Message]:
    return run(apply_compaction(messages, strategy=strategy))


@pytest.mark.parametrize("make", STRATEGIES)
def test_it_keeps_what_the_index_keeps(make: Callable[[], chatfold.Strategy]) -> None:
    messages = conversation(6)
    chat = [
        {
            "role": message.role,
            "content": [
                {"type": "tool_result", "tool_call_id": each.call_id, "content": each.result}
                if each.type == "function_result"
                else {"type": "text", "text": each.text}
                for each in message.contents
                if each.type != "function_call"
            ],
            "tool_calls": [
                {
                    "id": each.call_id,
                    "function": {"name": each.name, "arguments": each.arguments},
                }
                for each in message.contents
                if each.type == "function_call"
            ],
        }
        for message in messages
    ]
    own = list(messages)
    index = MessageIndex(chat)
    run(index.acompact(make()))
    kept = compacted(messages, as_compaction_strategy(make()))
    numbers = {id(message): at for at, message in enumerate(own)}
    expected = [
        next((at for at, each in enumerate(chat) if each is message), message["content"])
        for message in index.included_messages()
    ]
    assert [numbers.get(id(message), message.text) for message in kept] == expected
    assert len(kept) < len(own)
    assert pairs_closed(kept)


@pytest.mark.parametrize("make", STRATEGIES)
def test_promise_4_messages_stay_as_they_were_but_for_annotations(
    make: Callable[[], chatfold.Strategy],
) -> None:
    messages = conversation(6)
    own, before = list(messages), [shape(copy.deepcopy(each)) for each in messages]
    compacted(messages, as_compaction_strategy(make()))
    assert [shape(message) for message in own] == before
    assert [message for message in messages if message in own] == own
    allowed = {"_group", "_excluded", "_exclude_reason"}
    assert all(set(message.additional_properties) <= allowed for message in messages)


@pytest.mark.parametrize("make", STRATEGIES)
def test_promise_7_a_second_call_changes_nothing(make: Callable[[], chatfold.Strategy]) -> None:
    messages = conversation(6)
    strategy = as_compaction_strategy(make())
    annotate_message_groups(messages)
    assert run(strategy(messages)) is True
    before = [(message, copy.deepcopy(message.additional_properties)) for message in messages]
    assert run(strategy(messages)) is False
    # Nor does that of another process, which only has the annotations.
    assert run(as_compaction_strategy(make())(messages)) is False
    assert [(message, message.additional_properties) for message in messages] == before


def test_promise_5_where_the_trigger_is_false_nothing_is_written() -> None:
    messages = conversation(2)
    strategy = as_compaction_strategy(TruncationStrategy(max_n=1000, compact_to=10))
    assert run(strategy(messages)) is False
    assert all(not message.additional_properties for message in messages)
    assert strategy.last_report is not None
    assert not strategy.last_report.changed
    assert run(strategy([])) is False


def test_a_digest_is_linked_both_ways() -> None:
    messages = conversation(3)
    strategy = as_compaction_strategy(
        ToolResultCompactionStrategy(keep_last_tool_call_groups=1, max_chars=80)
    )
    kept = compacted(messages, strategy)
    digests = [message for message in messages if message.text.startswith("[Tool results: ")]
    assert len(digests) == 2
    for digest in digests:
        group = digest.additional_properties["_group"]
        covered = [m for m in messages if m.message_id in group["_summary_of_message_ids"]]
        assert [message.role for message in covered] == ["assistant", "tool"]
        for message in covered:
            properties = message.additional_properties
            assert properties["_group"]["_summarized_by_summary_id"] == digest.message_id
            assert properties["_group"]["id"] in group["_summary_of_group_ids"]
            assert properties["_excluded"] is True
            assert properties["_exclude_reason"] == "tool_result_compaction"
        assert messages.index(digest) + 1 == messages.index(covered[0])
        assert digest in kept


def test_the_origins_of_what_a_digest_stands_for_go_with_it() -> None:
    messages = conversation(2)
    messages[2].additional_properties["_attribution"] = {"origin_session_ids": ["a", "b"]}
    messages[3].additional_properties["_attribution"] = {"origin_session_ids": ["b", "c"]}
    strategy = as_compaction_strategy(ToolResultCompactionStrategy(max_chars=80))
    compacted(messages, strategy)
    digest = next(each for each in messages if each.text.startswith("[Tool results: "))
    origins = digest.additional_properties["_attribution"]["origin_session_ids"]
    assert origins == ["a", "b", "c"]


def test_a_summary_of_digests_is_linked_through_them() -> None:
    messages = conversation(6)
    pipeline = PipelineCompactionStrategy(
        ToolResultCompactionStrategy(keep_last_tool_call_groups=1, max_chars=80),
        SummarizationStrategy(client=ExtractiveSummarizer(), target_count=4),
    )
    kept = compacted(messages, as_compaction_strategy(pipeline))
    summary = next(each for each in kept if each.text.startswith("[Summary]"))
    by_id = {message.message_id: message for message in messages}
    assert len(by_id) == len(messages)
    covered = [
        by_id[each] for each in summary.additional_properties["_group"]["_summary_of_message_ids"]
    ]
    assert any(each.text.startswith("[Tool results: ") for each in covered)
    assert all(each.additional_properties["_excluded"] for each in covered)
    assert kept[:2] == [messages[0], summary]


def test_a_second_summary_takes_the_place_of_the_first() -> None:
    messages = conversation(4)
    strategy = as_compaction_strategy(
        SummarizationStrategy(client=ExtractiveSummarizer(), target_count=4)
    )
    compacted(messages, strategy)
    first = next(each for each in messages if each.text.startswith("[Summary]"))
    messages += conversation(4)[1:]
    kept = compacted(messages, strategy)
    found = [each for each in kept if each.text.startswith("[Summary]")]
    assert len(found) == 1
    assert found[0] is not first
    group = found[0].additional_properties["_group"]
    assert first.message_id in group["_summary_of_message_ids"]
    assert first.additional_properties["_excluded"] is True


def test_a_group_whose_messages_are_apart_goes_and_stays_whole() -> None:
    call, result = tool_round(1, "late " * 30)
    messages = [
        Message("user", ["Order it."]),
        call,
        Message("user", ["What is it about?"]),
        Message("assistant", ["A whale."]),
        result,
        Message("user", ["Thanks."]),
        Message("assistant", ["Fine."]),
    ]
    kept = compacted(messages, as_compaction_strategy(SlidingWindowStrategy(keep_last_groups=4)))
    assert call not in kept
    assert result not in kept
    assert texts(kept) == ["What is it about?", "A whale.", "Thanks.", "Fine."]


def test_a_late_result_brings_its_group_back() -> None:
    call, result = tool_round(1, "late")
    messages = [Message("user", ["Order it."]), call, Message("user", ["And?"])]
    messages += [Message("assistant", ["Wait."]), Message("user", ["Still?"])]
    strategy = as_compaction_strategy(SlidingWindowStrategy(keep_last_groups=2))
    assert call not in compacted(messages, strategy)
    wide = as_compaction_strategy(SlidingWindowStrategy(keep_last_groups=20))
    assert call not in compacted(messages, wide)
    messages.append(result)
    kept = compacted(messages, wide)
    assert [kept.index(call), kept.index(result)] == [0, len(kept) - 1]
    assert call.additional_properties["_excluded"] is False


def test_what_is_excluded_but_has_lost_its_summary_is_included_again() -> None:
    messages = conversation(3)
    strategy = as_compaction_strategy(ToolResultCompactionStrategy(max_chars=80))
    compacted(messages, strategy)
    left = [each for each in messages if not each.text.startswith("[Tool results: ")]
    wide = as_compaction_strategy(ToolResultCompactionStrategy(keep_last_tool_call_groups=9))
    assert compacted(left, wide) == left
    assert len(left) == len(conversation(3))


def test_what_has_lost_its_summary_and_goes_again_says_why_it_went() -> None:
    messages = conversation(3)
    compacted(messages, as_compaction_strategy(ToolResultCompactionStrategy(max_chars=80)))
    left = [each for each in messages if not each.text.startswith("[Tool results: ")]
    lost = [m for m in left if m.additional_properties["_excluded"]]
    assert len(lost) == 4
    assert all("_summarized_by_summary_id" in m.additional_properties["_group"] for m in lost)
    kept = compacted(left, as_compaction_strategy(TruncationStrategy(max_n=5)))
    assert not any(m in kept for m in lost)
    assert {m.additional_properties["_exclude_reason"] for m in lost} == {"truncation"}
    assert not any("_summarized_by_summary_id" in m.additional_properties["_group"] for m in lost)


def test_what_another_strategy_did_meanwhile_counts() -> None:
    messages = conversation(4)
    strategy = as_compaction_strategy(TruncationStrategy(max_n=15, compact_to=14))
    compacted(messages, strategy)
    gone = len(messages) - len(included_messages(messages))
    assert gone
    for message in messages:
        if message.role == "assistant" and message.text:
            message.additional_properties["_excluded"] = True
            message.additional_properties["_exclude_reason"] = "mine"
    assert run(strategy(messages)) is False
    for message in messages:
        message.additional_properties["_excluded"] = False
    assert run(strategy(messages)) is True
    assert len(messages) - len(included_messages(messages)) == gone


def test_each_message_is_read_once_however_many_calls() -> None:
    messages = conversation(50)
    strategy = as_compaction_strategy(
        PipelineCompactionStrategy(
            ToolResultCompactionStrategy(max_chars=80),
            TruncationStrategy(max_n=600, compact_to=400, tokenizer="o200k_base"),
        )
    )
    compacted(messages, strategy)
    for _ in range(20):
        messages += conversation(1)[1:]
        before = work_done()
        assert pairs_closed(compacted(messages, strategy))
        assert work_done().messages_read - before.messages_read == 4


def test_copies_of_a_list_are_known_as_the_framework_makes_them_for_each_run() -> None:
    messages = conversation(20)
    strategy = as_compaction_strategy(ToolResultCompactionStrategy(max_chars=80))
    compacted(messages, strategy)
    copies = [copy.copy(message) for message in messages]
    for message in copies:
        message.additional_properties = dict(message.additional_properties)
    copies += conversation(1)[1:]
    before = work_done()
    kept = compacted(copies, strategy)
    assert work_done().messages_read - before.messages_read == 4
    assert all(any(message is each for each in copies) for message in kept)
    # The copy has one digest more, and the list that it was made from does not know of it.
    assert sum(message.text.startswith("[Tool results: ") for message in copies) == 20
    assert len(messages) == len(copies) - 5
    assert all("_excluded" in message.additional_properties for message in messages)


def test_promise_10_after_a_failure_or_a_cancellation_the_list_is_as_it_was() -> None:
    async def breaks(_: MessageIndex) -> bool:
        raise RuntimeError("boom")

    async def hangs(_: MessageIndex) -> bool:
        await asyncio.sleep(3600)
        return True

    def annotations(messages: list[Message]) -> list[Any]:
        return [(message, copy.deepcopy(message.additional_properties)) for message in messages]

    async def check() -> None:
        messages = conversation(4)
        annotate_message_groups(messages)
        before = annotations(messages)
        first = TruncationStrategy(max_n=8, compact_to=4)
        strategy = as_compaction_strategy(PipelineCompactionStrategy(first, breaks))
        with pytest.raises(RuntimeError, match="boom"):
            await strategy(messages)
        assert annotations(messages) == before
        waiting = as_compaction_strategy(PipelineCompactionStrategy(first, hangs))
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(waiting(messages), 0.01)
        assert annotations(messages) == before
        assert await as_compaction_strategy(first)(messages)

    run(check())


def test_many_lists_at_once_do_not_meet() -> None:
    strategy = as_compaction_strategy(
        SummarizationStrategy(client=ExtractiveSummarizer(), target_count=4)
    )

    async def check() -> None:
        lists = [conversation(4 + at % 3) for at in range(40)]
        await asyncio.gather(*(strategy(messages) for messages in lists))
        await asyncio.gather(*(strategy(messages) for messages in lists))
        for messages in lists:
            kept = included_messages(messages)
            assert sum(each.text.startswith("[Summary]") for each in kept) == 1
            assert pairs_closed(kept)

    run(check())


def test_the_same_list_from_two_tasks_at_once_is_compacted_once() -> None:
    async def slow(messages: list[dict[str, str]]) -> str:
        await asyncio.sleep(0.01)
        return f"It was {len(messages)}."

    strategy = as_compaction_strategy(SummarizationStrategy(client=slow, target_count=4))

    async def check() -> None:
        messages = conversation(5)
        await asyncio.gather(strategy(messages), strategy(messages))
        kept = included_messages(messages)
        assert sum(each.text.startswith("[Summary]") for each in kept) == 1
        assert pairs_closed(kept)

    run(check())


def test_a_list_that_can_not_be_read_names_the_position() -> None:
    messages = conversation(1)
    messages[2].contents[0].call_id = 7  # type: ignore[assignment]
    kept = compacted(messages, as_compaction_strategy(SlidingWindowStrategy(keep_last_groups=9)))
    assert kept == messages
    with pytest.raises(MessageError, match="message 1"):
        compacted(
            [Message("user", ["hi"]), Message("user", [Content("text", text=3)])],  # type: ignore[arg-type]
            as_compaction_strategy(SlidingWindowStrategy(keep_last_groups=1)),
        )


def test_it_is_a_strategy_of_the_framework_and_named_for_its_log() -> None:
    strategy = as_compaction_strategy(SlidingWindowStrategy(keep_last_groups=2))
    assert isinstance(strategy, CompactionStrategy)
    assert strategy.__name__ == "SlidingWindowStrategy"
    assert repr(strategy) == ("as_compaction_strategy(SlidingWindowStrategy(keep_last_groups=2))")
    with pytest.raises(chatfold.OptionTypeError, match="one of the framework's already"):
        as_compaction_strategy(strategy)  # type: ignore[arg-type]
    with pytest.raises(chatfold.OptionTypeError, match="strategy"):
        as_compaction_strategy(3)  # type: ignore[arg-type]

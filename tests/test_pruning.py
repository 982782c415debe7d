"""Context pruning: as recorded, as the twin has it, and what users see of it."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import example, given

from chatfold import (
    ContextPruningStrategy,
    HardClear,
    MessageIndex,
    PipelineCompactionStrategy,
    PruningLimits,
    SoftTrim,
    ToolResultCompactionStrategy,
    compact,
    work_done,
)
from conversations import LONG_RESULTS, Conversation
from golden_vectors import Vector, load_vectors
from product import Spec, build_strategy
from reference import History, run
from states import PART_TOKENS, groups_of, groups_of_twin, included_totals, totals
from strategy_specs import CONTEXT_PRUNINGS

VECTORS = [
    pytest.param(vector, id=str(number))
    for number, vector in enumerate(load_vectors("context_pruning"))
    if vector["contextPruning"]["enabled"]
]
PLACEHOLDER = "[Old tool result content cleared]"


def recorded_strategy(options: dict[str, Any]) -> ContextPruningStrategy:
    trim, clear = options["softTrim"], options["hardClear"]
    return ContextPruningStrategy(
        keep_last_assistants=options["keepLastAssistants"],
        soft_trim_ratio=options["softTrimRatio"],
        hard_clear_ratio=options["hardClearRatio"],
        min_prunable_tool_chars=options["minPrunableToolChars"],
        soft_trim=SoftTrim(trim["maxChars"], trim["headChars"], trim["tailChars"]),
        hard_clear=HardClear(enabled=clear["enabled"], placeholder=clear["placeholder"]),
    )


@pytest.mark.parametrize("vector", VECTORS)
def test_what_is_pruned_is_that_of_the_vector(vector: Vector) -> None:
    messages, options = vector["messages"], vector["contextPruning"]
    kept = compact(messages, recorded_strategy(options))
    actions = []
    for before, after in zip(messages, kept, strict=True):
        cleared = after["content"] == options["hardClear"]["placeholder"]
        actions.append("keep" if after is before else "hard_clear" if cleared else "soft_trim")
        if after is not before:
            assert {**after, "content": None} == {**before, "content": None}
            assert len(after["content"].encode()) < len(before["content"].encode())
    expected = vector["expected"]
    assert actions == expected["actions"]
    counts = (actions.count("soft_trim"), actions.count("hard_clear"))
    assert counts == (expected["softTrimmed"], expected["hardCleared"])


EMPTY_RESULT = [
    {"role": "user", "content": "Look."},
    {"role": "tool", "tool_call_id": "c1", "content": ""},
    *({"role": "user", "content": str(number)} for number in range(8)),
]
CLEARS_ALL = {
    "kind": "context_pruning",
    "min_prunable_tool_chars": 0,
    "placeholder": "-",
    "soft_trim": None,
}


@example(EMPTY_RESULT, CLEARS_ALL)
@given(LONG_RESULTS, CONTEXT_PRUNINGS)
def test_promise_9_pruning_is_that_of_looking_at_everything(
    messages: Conversation, spec: Spec
) -> None:
    history = History(messages, len, PART_TOKENS)
    index, strategy = MessageIndex(messages, tokenizer=len), build_strategy(spec, len)
    run(history, spec)
    index.compact(strategy)
    assert index.included_messages() == history.projection()
    assert groups_of(index) == groups_of_twin(history)
    assert included_totals(index) == history.included_totals()
    assert totals(index) == history.totals()


@given(LONG_RESULTS, CONTEXT_PRUNINGS)
def test_promise_4_and_8_messages_stay_and_come_back(messages: Conversation, spec: Spec) -> None:
    copy, strategy = deepcopy(messages), build_strategy(spec, len)
    index = MessageIndex(messages, tokenizer=len)
    before = groups_of(index)
    report = index.compact(strategy)
    assert messages == copy
    kept = index.included_messages()
    assert report.changed == any(one is not own for one, own in zip(kept, messages, strict=True))
    loaded = MessageIndex.from_state(index.to_state(), messages, tokenizer=len)
    assert loaded.included_messages() == kept
    assert groups_of(loaded) == groups_of(index)
    for group in list(index.groups):
        index.restore(group)
    assert groups_of(index) == before
    assert all(one is own for one, own in zip(index.included_messages(), messages, strict=True))


@given(LONG_RESULTS, CONTEXT_PRUNINGS)
def test_promise_8_a_grown_index_prunes_more_and_changes_nothing_back(
    messages: Conversation, spec: Spec
) -> None:
    index, strategy = MessageIndex(tokenizer=len), build_strategy(spec, len)
    shortened: dict[int, int] = {}
    for message in messages:
        index.append(message)
        index.compact(strategy)
        for position, kept in enumerate(index.included_messages()):
            size = len(str(kept.get("content")).encode(errors="replace"))
            if kept is not messages[position]:
                assert size <= shortened.get(position, size)
                shortened[position] = size
            else:
                assert position not in shortened


def turns(count: int, result: str) -> Iterator[dict[str, Any]]:
    for number in range(count):
        function = {"name": "read_file", "arguments": "{}"}
        call = {"id": f"c{number}", "type": "function", "function": function}
        yield {"role": "user", "content": f"question {number}"}
        yield {"role": "assistant", "content": None, "tool_calls": [call]}
        yield {"role": "tool", "tool_call_id": f"c{number}", "content": result, "custom": number}
        yield {"role": "assistant", "content": f"answer {number}"}


def test_a_long_lived_index_looks_at_each_result_twice_and_no_more() -> None:
    strategy = ContextPruningStrategy(min_prunable_tool_chars=0)
    messages = list(turns(40, "line\n" * 2_000))
    index = MessageIndex(messages[:8])
    reports = []
    for at in range(8, len(messages), 4):
        index.extend(messages[at : at + 4])
        reports.append(index.compact(strategy))
    steps = [step for report in reports for step in report.steps]
    assert sum(step.shortened for step in steps) <= 2 * 40
    assert max(step.shortened for step in steps) <= 4
    assert index.included_messages()[2] == {**messages[2], "content": PLACEHOLDER}
    assert index.included_messages()[2] is index.included_messages()[2]


def test_promise_9_only_the_texts_of_candidates_are_counted() -> None:
    messages = list(turns(30, "line\n" * 20_000))
    before = work_done()
    index = MessageIndex(messages, tokenizer="o200k_base")
    index.compact(ContextPruningStrategy())
    assert work_done().texts_counted == before.texts_counted


def test_min_tokens_freed_waits_until_pruning_pays() -> None:
    index = MessageIndex(list(turns(10, "x" * 8_000)), tokenizer=len)
    options: dict[str, Any] = {"min_prunable_tool_chars": 0, "keep_last_assistants": 0}
    report = index.compact(ContextPruningStrategy(min_tokens_freed=60_000, **options))
    assert not report.changed
    report = index.compact(ContextPruningStrategy(min_tokens_freed=40_000, **options))
    assert report.steps[0].tokens_freed >= 40_000
    assert report.first_changed == 2
    assert "ContextPruningStrategy 7 messages shortened" in str(report)


def test_tools_have_limits_of_their_own_and_a_placeholder_names_the_tool() -> None:
    messages = list(turns(4, "x" * 900))
    strategy = ContextPruningStrategy(
        keep_last_assistants=1,
        min_prunable_tool_chars=10**6,
        hard_clear=HardClear(placeholder="[{tool}: cleared]"),
        tool_limits={"read_*": PruningLimits(min_prunable_tool_chars=800)},
    )
    kept = compact(messages, strategy)
    assert kept[2]["content"] == "[read_file: cleared]"
    denied = ContextPruningStrategy(
        keep_last_assistants=1, min_prunable_tool_chars=0, deny=["read_*"]
    )
    assert compact(messages, denied) == messages


def test_utilisation_trims_the_oldest_until_the_window_is_used_less() -> None:
    messages = list(turns(6, "x" * 1_000))
    strategy = ContextPruningStrategy(
        basis="utilisation",
        max_context_tokens=10_000,
        keep_last_assistants=1,
        min_prunable_tool_chars=0,
        soft_trim=SoftTrim(max_chars=500, head_chars=100, tail_chars=100),
    )
    index = MessageIndex(messages, tokenizer=len)
    index.compact(strategy)
    assert 2_000 <= index.included_token_count < 3_000
    kept = [message["content"] for message in index.included_messages()[2::4]]
    assert [len(content) < 1_000 for content in kept] == [True] * 5 + [False]


def test_a_tail_of_nothing_ends_with_the_marker() -> None:
    strategy = ContextPruningStrategy(
        keep_last_assistants=0,
        min_prunable_tool_chars=0,
        hard_clear=HardClear(enabled=False),
        soft_trim=SoftTrim(max_chars=100, head_chars=10, tail_chars=0),
    )
    kept = compact(list(turns(2, "0123456789" * 20)), strategy)
    assert kept[2]["content"] == "0123456789\n[... kept 10 of 200 characters ...]"


def test_limits_can_be_counted_in_tokens() -> None:
    strategy = ContextPruningStrategy(
        unit="tokens",
        keep_last_assistants=0,
        min_prunable_tool_chars=500,
        hard_clear=HardClear(enabled=False),
        soft_trim=SoftTrim(max_chars=100, head_chars=40, tail_chars=20),
        tokenizer="o200k_base",
    )
    index = MessageIndex(list(turns(2, "word " * 1_000)), tokenizer="o200k_base")
    before = index.groups[1].token_count
    index.compact(strategy)
    content = index.included_messages()[2]["content"]
    assert content.startswith("word word")
    assert content.endswith("word ")
    assert "of 1001 tokens" in content
    assert index.groups[1].token_count < before - 900


def test_a_digest_is_written_of_what_results_hold() -> None:
    strategy = PipelineCompactionStrategy(
        ContextPruningStrategy(
            keep_last_assistants=1,
            min_prunable_tool_chars=0,
            hard_clear=HardClear(placeholder="gone " * 20),
        ),
        ToolResultCompactionStrategy(keep_last_tool_call_groups=1, max_chars=64),
    )
    kept = compact(list(turns(4, "x" * 900)), strategy)
    assert kept[1]["content"] == "[Tool results: read_file: gone gone gone gone go... [truncated]]"


def test_models_are_copied_with_other_texts() -> None:
    from openai.types.chat import ChatCompletionMessage  # noqa: PLC0415 (slow)

    messages: list[Any] = list(turns(4, "x" * 900))
    messages[1] = ChatCompletionMessage.model_validate(messages[1])
    messages[2]["content"] = [
        {"type": "text", "text": "y" * 900, "cache_control": {"type": "ephemeral"}},
        {"type": "hologram", "payload": 3},
    ]
    strategy = ContextPruningStrategy(keep_last_assistants=1, min_prunable_tool_chars=0)
    kept = compact(messages, strategy)
    assert kept[1] is messages[1]
    assert kept[2]["content"] == [
        {"type": "text", "text": PLACEHOLDER, "cache_control": {"type": "ephemeral"}},
        {"type": "hologram", "payload": 3},
    ]
    assert messages[2]["content"][0]["text"] == "y" * 900


def test_a_result_with_an_image_is_left_alone() -> None:
    messages = list(turns(4, "x" * 900))
    image = {"type": "image_url", "image_url": {"url": "data:;base64,QQ=="}}
    messages[2]["content"] = [{"type": "text", "text": "y" * 900}, image]
    strategy = ContextPruningStrategy(keep_last_assistants=1, min_prunable_tool_chars=0)
    kept = compact(messages, strategy)
    assert kept[2] is messages[2]
    assert kept[6]["content"] == PLACEHOLDER


def test_a_state_of_before_messages_could_be_shortened_still_loads() -> None:
    messages = list(turns(2, "result"))
    state = MessageIndex(messages).to_state()
    del state["shortened"]
    index = MessageIndex.from_state({**state, "version": 1}, messages)
    assert index.included_messages() == messages

"""Oversize clamping: as the twin has it, and what users see of it."""

import json
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatfold import (
    MessageIndex,
    OptionError,
    OptionTypeError,
    OversizeClampingStrategy,
    PipelineCompactionStrategy,
    ToolResultCompactionStrategy,
    compact,
    work_done,
)
from conversations import LONG_RESULTS, Conversation
from product import Spec, build_strategy
from reference import History, run
from reported_faults import case, pairs_are_closed
from states import PART_TOKENS, groups_of, groups_of_twin, included_totals
from strategy_specs import CLAMPINGS, SIMPLE, composed

TEXT = st.one_of(
    st.text(max_size=8),
    st.tuples(st.sampled_from(["line\n", 'a "b" \\', "é🎈", "\t\x01x"]), st.integers(1, 60)).map(
        lambda drawn: drawn[0] * drawn[1]
    ),
)
VALUES = st.recursive(
    st.one_of(TEXT, st.integers(), st.booleans(), st.none(), st.floats(allow_nan=False)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXT, inner, max_size=4)),
    max_leaves=6,
)
LONG = st.tuples(
    st.sampled_from(["line\n", 'a "b" \\', "é🎈", "\t\x01x"]), st.integers(20, 90)
).map(lambda drawn: drawn[0] * drawn[1])
FILES = st.fixed_dictionaries({"path": TEXT, "text": LONG}, optional={"more": VALUES, "old": LONG})
JSON = st.tuples(st.one_of(FILES, FILES, VALUES), st.booleans(), st.sampled_from([None, 2])).map(
    lambda drawn: json.dumps(drawn[0], ensure_ascii=drawn[1], indent=drawn[2])
)
ARGUMENTS = st.one_of(
    JSON,
    JSON,
    st.tuples(JSON, TEXT).map("".join),
    st.sampled_from(
        ['{"a": "' + "\\ud83d" * 40 + '", "b": "' + "x" * 200 + '"}', "[NaN" + " " * 200]
    ),
)


@st.composite
def with_long_arguments(draw: st.DrawFn) -> Conversation:
    """Draw a conversation with calls whose arguments are worth shortening."""
    messages = []
    for message in draw(LONG_RESULTS):
        calls = [with_arguments(call, draw(ARGUMENTS)) for call in message.get("tool_calls") or []]
        messages.append({**message, "tool_calls": calls} if calls else message)
    return messages


def with_arguments(call: dict[str, Any], arguments: str) -> dict[str, Any]:
    if "function" not in call:
        return call
    return {**call, "function": {**call["function"], "arguments": arguments}}


CHATS = with_long_arguments()


@given(CHATS, st.one_of(CLAMPINGS, composed(st.one_of(CLAMPINGS, SIMPLE))))
def test_promise_9_clamping_is_that_of_looking_at_everything(
    messages: Conversation, spec: Spec
) -> None:
    history = History(messages, len, PART_TOKENS)
    index = MessageIndex(messages, tokenizer=len)
    run(history, spec)
    index.compact(build_strategy(spec, len))
    assert index.included_messages() == history.projection()
    assert groups_of(index) == groups_of_twin(history)
    assert included_totals(index) == history.included_totals()


@given(CHATS, CLAMPINGS)
def test_promise_4_and_8_messages_stay_and_come_back(messages: Conversation, spec: Spec) -> None:
    copy, index = deepcopy(messages), MessageIndex(messages, tokenizer=len)
    before = groups_of(index)
    report = index.compact(build_strategy(spec, len))
    kept = index.included_messages()
    assert messages == copy
    assert report.changed == any(one is not own for one, own in zip(kept, messages, strict=True))
    loaded = MessageIndex.from_state(index.to_state(), messages, tokenizer=len)
    assert loaded.included_messages() == kept
    assert groups_of(loaded) == groups_of(index)
    for group in list(index.groups):
        index.restore(group)
    assert groups_of(index) == before
    assert all(one is own for one, own in zip(index.included_messages(), messages, strict=True))


@given(CHATS, CLAMPINGS)
def test_promise_5_to_7_only_long_texts_change_and_a_second_run_changes_nothing(
    messages: Conversation, spec: Spec
) -> None:
    strategy = build_strategy({**spec, "target": ["never"]}, len)
    most = int(spec["max_context_window_tokens"] * spec.get("max_share", 0.25) * 4)
    kept = compact(messages, strategy)
    for one, own in zip(kept, messages, strict=True):
        if one is own:
            continue
        assert size(one) < size(own)
        assert size(own) > most
        assert {**one, "content": 0, "tool_calls": 0} == {**own, "content": 0, "tool_calls": 0}
        for new, old in zip(one.get("tool_calls") or [], own.get("tool_calls") or [], strict=True):
            if new != old:
                assert shape(new["function"]["arguments"]) == shape(old["function"]["arguments"])
                assert with_arguments(new, "") == with_arguments(old, "")
    assert compact(kept, strategy) == kept


def size(message: dict[str, Any]) -> int:
    calls = [call.get("function") for call in message.get("tool_calls") or []]
    return len(repr((message.get("content"), calls)))


def shape(arguments: str) -> object:
    """Give the JSON with the length of no string value in it."""

    def of(value: object) -> object:
        if isinstance(value, dict):
            return {key: of(each) for key, each in value.items()}
        if isinstance(value, list):
            return [of(each) for each in value]
        return "" if isinstance(value, str) else value

    return of(json.loads(arguments))


@given(CHATS, CLAMPINGS)
def test_promise_8_a_grown_index_changes_nothing_back(messages: Conversation, spec: Spec) -> None:
    index, strategy = MessageIndex(tokenizer=len), build_strategy(spec, len)
    clamped: dict[int, int] = {}
    for message in messages:
        index.append(message)
        index.compact(strategy)
        for position, kept in enumerate(index.included_messages()):
            if kept is messages[position]:
                assert position not in clamped
            else:
                assert size(kept) <= clamped.get(position, size(kept))
                clamped[position] = size(kept)


def test_c50_arguments_stay_json_with_the_same_keys() -> None:
    messages = case("C50")
    before = deepcopy(messages)
    clamping = OversizeClampingStrategy(max_context_window_tokens=200)
    assert compact(messages, clamping) == messages
    clamping = OversizeClampingStrategy(max_context_window_tokens=200, clamp=["arguments"])
    small = compact(messages, clamping)
    assert messages == before
    assert pairs_are_closed(small)
    written, bad = small[1]["tool_calls"]
    assert len(written["function"]["arguments"]) <= 200
    arguments = json.loads(written["function"]["arguments"])
    assert list(arguments) == ["path", "mode", "content", "tags"]
    assert (arguments["path"], arguments["mode"]) == ("notes.md", "w")
    assert arguments["tags"] == ["a", "b"]
    assert arguments["content"].startswith("line \\nline ")
    assert " of 6300 characters ...]" in arguments["content"]
    assert (written["id"], written["function"]["name"]) == ("c1", "write_file")
    assert bad == before[1]["tool_calls"][1]


def test_c45_no_clamped_text_is_over_the_limit() -> None:
    messages = case("C45")
    small = compact(messages, OversizeClampingStrategy(max_context_window_tokens=64))
    assert len(small[1]["content"]) <= 64
    assert small[2:] == messages[2:]


def test_c49_cuts_are_at_code_points() -> None:
    messages = case("C49")
    for window in range(1990, 2011):
        for message in compact(
            messages, OversizeClampingStrategy(max_context_window_tokens=window)
        ):
            if message not in messages:
                content = message["content"]
                assert isinstance(content, str)
                assert "[... kept " in content
                assert content.encode().decode() == content
                assert len(content) <= window


def result(content: str) -> list[dict[str, Any]]:
    call = {"id": "c", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    return [
        {"role": "user", "content": "Read it. " * 20},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": content},
    ]


def test_one_newest_result_over_the_window_fits_and_a_protected_one_stays() -> None:
    messages = result("word " * 100_000)
    strategy = OversizeClampingStrategy(max_context_window_tokens=1000, clamp=["results"])
    index = MessageIndex(messages)
    report = index.compact(strategy)
    assert report.steps[0].shortened == 1
    assert len(index.included_messages()[2]["content"]) <= 1000
    assert index.included_messages()[0] is messages[0]
    index = MessageIndex(messages)
    index.protect(index.group_of(2))
    assert not index.compact(strategy).changed


def test_promise_9_each_text_is_looked_at_once_and_none_is_counted() -> None:
    strategy = OversizeClampingStrategy(max_context_window_tokens=1000)
    index = MessageIndex(result("word " * 10_000), tokenizer="o200k_base")
    before, shortened = work_done(), []
    for _ in range(20):
        index.extend([{"role": "assistant", "content": "A word."}, *result("word " * 10_000)])
        shortened.append(sum(step.shortened for step in index.compact(strategy).steps))
    assert shortened == [2, *[1] * 19]
    assert work_done().texts_counted == before.texts_counted


def test_arguments_of_a_call_that_waits_stay_whole_until_it_is_answered() -> None:
    messages = result("done")
    messages[1]["tool_calls"][0]["function"]["arguments"] = json.dumps({"text": "x" * 500})
    strategy = OversizeClampingStrategy(max_context_window_tokens=100, clamp=["arguments"])
    index = MessageIndex(messages[:2])
    assert not index.compact(strategy).changed
    index.append(messages[2])
    assert index.compact(strategy).changed
    arguments = index.included_messages()[1]["tool_calls"][0]["function"]["arguments"]
    assert len(arguments) <= 100
    assert list(json.loads(arguments)) == ["text"]


def test_a_wrong_option_is_named() -> None:
    with pytest.raises(OptionError, match="which is 40 characters; pass a share and a window"):
        OversizeClampingStrategy(max_context_window_tokens=40)
    with pytest.raises(OptionError, match="max_share is 2; pass a number over 0 and up to 1"):
        OversizeClampingStrategy(max_context_window_tokens=400, max_share=2)
    with pytest.raises(OptionError, match=r"clamp\[0\] is 'result'; pass 'results' or 'arguments'"):
        OversizeClampingStrategy(max_context_window_tokens=400, clamp=["result"])  # type: ignore[list-item]
    with pytest.raises(OptionError, match=r"clamp is \[\]; pass at least one of results"):
        OversizeClampingStrategy(max_context_window_tokens=400, clamp=[])
    with pytest.raises(OptionTypeError, match="clamp is 'results'; pass a list"):
        OversizeClampingStrategy(max_context_window_tokens=400, clamp="results")  # type: ignore[arg-type]


def test_a_digest_tells_of_results_and_not_of_a_clamped_text_beside_them() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    result = {"type": "tool_result", "tool_call_id": "c1", "content": "sunny"}
    beside = {"type": "text", "text": "word " * 500}
    messages = [
        {"role": "user", "content": "Weather?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "content": [result, beside]},
        {"role": "assistant", "content": "Sunny."},
        {"role": "user", "content": "Thanks."},
    ]
    clamping = OversizeClampingStrategy(max_context_window_tokens=64)
    collapse = ToolResultCompactionStrategy(keep_last_tool_call_groups=0)
    index = MessageIndex(messages)
    index.compact(PipelineCompactionStrategy(clamping, collapse))
    assert index.included_messages()[1]["content"] == "[Tool results: look: sunny]"

"""The framework's strategies beside chatfold's: within its pipelines, and on the same histories."""

from collections.abc import Callable
from typing import Any

import agent_framework as theirs
import pytest
from agent_framework import Content, Message, annotate_message_groups, apply_compaction
from hypothesis import given
from hypothesis import strategies as st

import chatfold
from chatfold import MessageIndex, PipelineCompactionStrategy
from chatfold.integrations.agent_framework import (
    as_compaction_strategy,
    as_tokenizer,
    from_compaction_strategy,
)
from chatfold.integrations.agent_framework.messages import from_chat
from framework_agents.scripted import conversation, pairs_closed, run

Pair = tuple[Callable[[], Any], Callable[[], chatfold.Strategy]]

TOKENIZER = as_tokenizer(len)

# Long enough for a digest with all of the results to be shorter than calls and results.
ARGUMENTS = '{"query": "something to look for"}'

# The same options, but that chatfold keeps the last user message unless told not to.
PAIRS: dict[str, Callable[[int], Pair]] = {
    "messages": lambda n: (
        lambda: theirs.TruncationStrategy(max_n=n + 3, compact_to=n),
        lambda: chatfold.TruncationStrategy(
            max_n=n + 3, compact_to=n, preserve_last_user_group=False
        ),
    ),
    "first user": lambda n: (
        lambda: theirs.TruncationStrategy(
            max_n=n + 1, compact_to=n, preserve_first_user_group=True
        ),
        lambda: chatfold.TruncationStrategy(
            max_n=n + 1,
            compact_to=n,
            preserve_first_user_group=True,
            preserve_last_user_group=False,
        ),
    ),
    "tokens": lambda n: (
        lambda: theirs.TruncationStrategy(max_n=100 * n, compact_to=50 * n, tokenizer=TOKENIZER),
        lambda: chatfold.TruncationStrategy(
            max_n=100 * n, compact_to=50 * n, tokenizer=len, preserve_last_user_group=False
        ),
    ),
    "window": lambda n: (
        lambda: theirs.SlidingWindowStrategy(keep_last_groups=n),
        lambda: chatfold.SlidingWindowStrategy(keep_last_groups=n, preserve_last_user_group=False),
    ),
    "calls": lambda n: (
        lambda: theirs.SelectiveToolCallCompactionStrategy(keep_last_tool_call_groups=n),
        lambda: chatfold.SelectiveToolCallCompactionStrategy(keep_last_tool_call_groups=n),
    ),
    "results": lambda n: (
        lambda: theirs.ToolResultCompactionStrategy(keep_last_tool_call_groups=n),
        lambda: chatfold.ToolResultCompactionStrategy(keep_last_tool_call_groups=n),
    ),
}


@st.composite
def histories(draw: st.DrawFn) -> list[Message]:
    """Draw a history as agents have it: turns of tool rounds, all calls answered."""
    messages = [Message("system", ["Be brief."])] if draw(st.booleans()) else []
    number = 0
    for turn in range(draw(st.integers(1, 6))):
        messages.append(Message("user", [f"question {turn} " * draw(st.integers(1, 9))]))
        for _ in range(draw(st.integers(0, 3))):
            number += 1
            ids = [f"c{number}_{at}" for at in range(draw(st.integers(1, 3)))]
            words = "some of the words that it returns " * draw(st.integers(4, 9))
            results = [Content.from_function_result(each, result=words + each) for each in ids]
            calls = [Content.from_function_call(each, "f", arguments=ARGUMENTS) for each in ids]
            thought = [Content.from_text_reasoning(text="Hmm.")]
            shape = draw(st.integers(0, 3))
            if shape == 1:
                messages.append(Message("assistant", thought))
            messages.append(Message("assistant", thought + calls if shape == 2 else calls))
            if shape == 3:
                messages += [Message("tool", [result]) for result in results]
            else:
                messages.append(Message("tool", results))
        # The newest group is a call at times: both sides keep it.
        if draw(st.integers(0, 4)):
            messages.append(Message("assistant", [f"answer {turn} " * draw(st.integers(1, 9))]))
    return messages


def copies(messages: list[Message]) -> list[Message]:
    return [Message(message.role, message.contents) for message in messages]


def excluded(messages: list[Message], own: list[Message]) -> tuple[list[bool], list[str]]:
    """Tell what is excluded of a list, and which texts are new in what is left."""
    new = [m.text for m in messages if not any(m is each for each in own)]
    return [bool(m.additional_properties.get("_excluded")) for m in own], new


@pytest.mark.parametrize("name", PAIRS)
@given(history=histories(), n=st.integers(1, 12))
def test_where_options_mean_the_same_the_same_is_excluded(
    name: str, history: list[Message], n: int
) -> None:
    make_theirs, make_ours = PAIRS[name](n)
    first, second = copies(history), copies(history)
    own_first, own_second = list(first), list(second)
    tokenizer = TOKENIZER if name == "tokens" else None
    run(apply_compaction(first, strategy=make_theirs(), tokenizer=tokenizer))
    run(apply_compaction(second, strategy=as_compaction_strategy(make_ours())))
    assert excluded(second, own_second) == excluded(first, own_first)


@pytest.mark.parametrize("name", PAIRS)
@given(history=histories(), n=st.integers(1, 12))
def test_theirs_within_an_index_excludes_what_it_excludes_alone(
    name: str, history: list[Message], n: int
) -> None:
    make_theirs, _ = PAIRS[name](n)
    first, second = copies(history), copies(history)
    own_first, own_second = list(first), list(second)
    tokenizer = TOKENIZER if name == "tokens" else None
    run(apply_compaction(first, strategy=make_theirs(), tokenizer=tokenizer))
    wrapped = from_compaction_strategy(make_theirs(), tokenizer=tokenizer)
    run(apply_compaction(second, strategy=as_compaction_strategy(wrapped)))
    assert excluded(second, own_second) == excluded(first, own_first)


CHAT: list[dict[str, Any]] = [{"role": "system", "content": "Be brief."}]
for turn in range(6):
    CHAT.append({"role": "user", "content": f"question {turn}"})
    CHAT.append(
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": f"c{turn}",
                    "type": "function",
                    "function": {"name": "f", "arguments": ARGUMENTS},
                }
            ],
        }
    )
    CHAT.append({"role": "tool", "tool_call_id": f"c{turn}", "content": "result " * 30})


def test_one_of_theirs_works_on_plain_chat_messages() -> None:
    index = MessageIndex(CHAT)
    strategy = PipelineCompactionStrategy(
        from_compaction_strategy(theirs.ToolResultCompactionStrategy(keep_last_tool_call_groups=2)),
        from_compaction_strategy(theirs.SlidingWindowStrategy(keep_last_groups=5)),
    )
    report = run(index.acompact(strategy))
    assert [step.strategy for step in report.steps] == [
        "ToolResultCompactionStrategy",
        "SlidingWindowStrategy",
    ]
    kept = index.included_messages()
    assert kept[0] is CHAT[0]
    assert [each["content"][:13] if each["content"] else None for each in kept] == [
        "Be brief.",
        "[Tool results",
        "question 4",
        None,
        "result result",
        "question 5",
        None,
        "result result",
    ]
    digest = next(group for group in index.groups if group.kind == "summary" and not group.excluded)
    assert [group.positions for group in digest.summarizes] == [(11, 12)]
    assert pairs_closed([from_chat(each) for each in kept])


def test_a_summary_of_theirs_becomes_a_stand_in_where_it_is_shorter() -> None:
    class Client:
        def __init__(self, text: str) -> None:
            self.text = text

        async def get_response(self, *_: object, **__: object) -> "Client":
            return self

    for text, summaries in (("They ask.", 1), ("They ask and ask. " * 200, 0)):
        index = MessageIndex(CHAT)
        strategy = theirs.SummarizationStrategy(client=Client(text), target_count=4)  # type: ignore[arg-type]
        report = run(index.acompact(from_compaction_strategy(strategy)))
        found = [group for group in index.included_groups if group.kind == "summary"]
        assert len(found) == summaries
        assert report.changed == bool(summaries)
        assert index.included_message_count < len(CHAT) or not summaries


def test_a_summary_of_theirs_is_known_as_one() -> None:
    messages = conversation(4)

    class Client:
        async def get_response(self, *_: object, **__: object) -> "Client":
            return self

        text = "They asked, and got results."

    strategy = theirs.SummarizationStrategy(client=Client(), target_count=4)  # type: ignore[arg-type]
    run(apply_compaction(messages, strategy=strategy))
    shown: list[str] = []

    async def model(calls: list[dict[str, str]]) -> str:
        shown.append(calls[-1]["content"])
        return "More of it."

    messages += conversation(3)[1:]
    ours = as_compaction_strategy(chatfold.SummarizationStrategy(client=model, target_count=4))
    kept = run(apply_compaction(messages, strategy=ours))
    assert "They asked, and got results." in shown[0]
    assert [m.text for m in kept][:2] == ["Be brief.", "[Summary] More of it."]
    assert pairs_closed(kept)


def test_an_error_of_theirs_leaves_the_list_as_it_was() -> None:
    async def breaks(messages: list[Message]) -> bool:
        messages.clear()
        raise RuntimeError("boom")

    messages = conversation(3)
    annotate_message_groups(messages)
    before = [(m, dict(m.additional_properties)) for m in messages]
    strategy = as_compaction_strategy(
        PipelineCompactionStrategy(
            chatfold.SlidingWindowStrategy(keep_last_groups=2), from_compaction_strategy(breaks)
        )
    )
    with pytest.raises(RuntimeError, match="boom"):
        run(strategy(messages))
    assert [(m, m.additional_properties) for m in messages] == before


def test_what_is_no_strategy_is_refused() -> None:
    for wrong in (3, theirs.SlidingWindowStrategy):
        with pytest.raises(chatfold.OptionTypeError, match="strategy is"):
            from_compaction_strategy(wrong)  # type: ignore[arg-type]

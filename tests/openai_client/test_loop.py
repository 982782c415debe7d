"""Tool loops: the whole list again each time, each message read once."""

import asyncio
import copy
import itertools
import json
from collections.abc import Callable
from typing import Any

import openai
import pytest

from chatfold import (
    MessageIndex,
    PipelineCompactionStrategy,
    Strategy,
    SummarizationStrategy,
    ToolResultCompactionStrategy,
    TruncationStrategy,
    triggers,
)
from chatfold.integrations.openai import with_compaction
from conversations import Conversation
from openai_client.clients import (
    compacting,
    over_the_wire,
    plain_async_client,
    said,
    sent,
    words,
)
from summarization.server import Behaviour, Request, answers, answers_by, completion, serving
from validity import faults
from work import Work

ROUNDS = 50
DIGESTS = PipelineCompactionStrategy(
    ToolResultCompactionStrategy(
        keep_last_tool_call_groups=3, trigger=triggers.tokens_exceed(150), max_chars=120
    ),
    TruncationStrategy(max_n=300, compact_to=200, tokenizer=words),
)
OPENING: Conversation = [
    {"role": "system", "content": "You look files up."},
    {"role": "user", "content": "Which file has the answer?"},
]


def model_with_tools() -> Behaviour:
    """Ask for a file each time, and answer after so many rounds."""
    asked = 0

    def answer(request: Request) -> bytes:
        nonlocal asked
        asked += 1
        assert faults(request["messages"]) == []
        if asked > ROUNDS:
            return completion("The last one.")
        function = {"name": "read_file", "arguments": json.dumps({"number": asked})}
        calls = [{"id": f"call_{asked}", "type": "function", "function": function}]
        return completion(None, "tool_calls", tool_calls=calls)

    return answers_by(answer)


def run_tools(client: openai.OpenAI, *, as_dicts: bool) -> list[Any]:
    """Do what an agent does: call, append, answer the calls, call again."""
    messages: list[Any] = list(OPENING)
    while True:
        given = list(messages)
        answer = client.chat.completions.create(model="m", messages=messages)
        assert messages == given
        message = answer.choices[0].message
        messages.append(message.model_dump(exclude_none=True) if as_dicts else message)
        if not message.tool_calls:
            return messages
        for call in message.tool_calls:
            text = f"file {call.id}: " + "line of text " * 15
            messages.append({"role": "tool", "tool_call_id": call.id, "content": text})


def expected(messages: list[Any], strategy: Strategy) -> list[Conversation]:
    """Give what an index of one's own would keep before each call."""
    index = MessageIndex(tokenizer=words)
    kept = []
    for end in range(2, len(messages), 2):
        index.sync(messages[:end])
        index.compact(strategy)
        kept.append(over_the_wire(index.included_messages()))
    return kept


@pytest.mark.parametrize("as_dicts", [True, False])
def test_a_tool_loop_sends_what_an_index_of_its_own_keeps(*, as_dicts: bool) -> None:
    with compacting(model_with_tools(), strategy=DIGESTS, tokenizer=words) as (client, server):
        messages = run_tools(client, as_dicts=as_dicts)
    assert len(server.requests) == ROUNDS + 1
    assert len(messages) == 2 + 2 * ROUNDS + 1
    assert [[each["role"] for each in got] for got in sent(server)] == [
        [each["role"] for each in kept] for kept in expected(messages, DIGESTS)
    ]
    texts = [[each.get("content") for each in got] for got in sent(server)]
    assert texts == [[each.get("content") for each in kept] for kept in expected(messages, DIGESTS)]
    assert all(sum(words(text or "") for text in call) <= 300 for call in texts)
    assert any("[Tool results: read_file: file call_1: line" in str(got) for got in sent(server))


def test_each_message_of_a_loop_is_read_and_counted_once() -> None:
    work = Work()
    with compacting(model_with_tools(), strategy=DIGESTS, tokenizer=words) as (client, _):
        messages = run_tools(client, as_dicts=True)
    # The newest message is looked at again, since it may have grown.
    assert work.done.messages_read == len(messages) - 1
    # Results, calls and digests: a few texts for each round, whatever the length of the list.
    assert work.done.texts_counted <= 8 * ROUNDS


def test_promise_8_a_request_starts_as_the_one_before_until_a_strategy_is_due() -> None:
    rare = TruncationStrategy(max_n=600, compact_to=200, tokenizer=words)
    changes: list[bool] = []
    with compacting(
        model_with_tools(), strategy=rare, on_report=lambda report: changes.append(report.changed)
    ) as (client, server):
        run_tools(client, as_dicts=True)
    pairs = itertools.pairwise(sent(server))
    steady = [later[: len(earlier)] == earlier for earlier, later in pairs]
    assert steady == [not changed for changed in changes[1:]]
    assert 2 <= changes.count(True) <= ROUNDS / 8


def test_lists_that_are_built_anew_each_time_are_recognised_by_content() -> None:
    strategy = TruncationStrategy(max_n=6)

    def history(turns: int) -> Conversation:
        messages: Conversation = [{"role": "system", "content": "Be brief."}]
        for turn in range(turns):
            messages.append({"role": "user", "content": f"Question {turn}?"})
            messages.append({"role": "assistant", "content": "Yes."})
        return messages

    work = Work()
    with compacting(answers("Yes."), strategy=strategy) as (client, server):
        for turns in range(1, 20):
            client.chat.completions.create(model="m", messages=history(turns))  # type: ignore[arg-type]
    assert work.done.messages_read == len(history(19))

    index = MessageIndex()
    for turns, got in enumerate(sent(server), 1):
        index.sync(history(turns))
        index.compact(strategy)
        assert got == index.included_messages()


@pytest.mark.parametrize("anew", [copy.deepcopy, list])
def test_a_system_message_that_tells_the_time_costs_no_further_summary(
    anew: Callable[[list[Any]], list[Any]],
) -> None:
    asked = 0

    async def summarize(_: list[Any]) -> str:
        nonlocal asked
        asked += 1
        return "The gist."

    async def main() -> list[Conversation]:
        strategy = SummarizationStrategy(
            client=summarize, trigger=triggers.messages_exceed(20), minimum_preserved=4
        )
        with serving(answers("Yes.")) as server:
            async with plain_async_client(server) as plain:
                client = with_compaction(plain, strategy)
                for end in range(21, 30):
                    told: Any = {"role": "system", "content": f"It is {end} past noon."}
                    messages = [told, *anew(said(end))]
                    await client.chat.completions.create(model="m", messages=messages)
            return sent(server)

    requests = asyncio.run(main())
    assert asked == 1
    for end, got in enumerate(requests, 21):
        assert got[0]["content"] == f"It is {end} past noon."
        assert got[1]["content"] == "[Summary] The gist."
        assert got[2:] == said(end)[17:]

"""A context window: what else a call takes is taken off, and the count may be corrected."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import openai
import pytest
from pydantic import BaseModel

from chatfold import (
    OPENAI_CHAT_OVERHEAD,
    MessageIndex,
    Overhead,
    ToolResultCompactionStrategy,
    compact,
    triggers,
)
from chatfold.integrations.openai import with_compaction
from chatfold.integrations.openai.window import Window
from chatfold.tokenizers import resolve
from openai_client.clients import compacting, plain_async_client, said, sent
from summarization.server import Behaviour, answers, answers_by, completion, serving, streams
from summarization.stubs import tool_round

ENCODING = resolve("o200k_base")
TOOLS: Any = [
    {
        "type": "function",
        "function": {
            "name": "look_up",
            "description": "Looks a word up. " * 20,
            "parameters": {"type": "object", "properties": {"word": {"type": "string"}}},
        },
    }
]
MESSAGES = said(200)
PLAIN = Overhead()


class Word(BaseModel):
    word: str
    meaning: str


def tokens(messages: list[Any], overhead: Overhead = OPENAI_CHAT_OVERHEAD) -> int:
    return MessageIndex(messages, tokenizer=ENCODING, overhead=overhead).total_token_count


def schema(value: object) -> int:
    return ENCODING.count_tokens(json.dumps(value, separators=(",", ":")))


def fitting(budget: int, overhead: Overhead = OPENAI_CHAT_OVERHEAD) -> list[Any]:
    """Give the newest messages that fit, found the slow way."""
    start = next(at for at in range(200) if tokens(MESSAGES[at:], overhead) <= budget)
    # The newest user message stays, and here it is among the newest two.
    return MESSAGES[start:]


@pytest.mark.parametrize(
    ("options", "taken"),
    [
        ({}, 0),
        ({"max_tokens": 300}, 300),
        ({"max_completion_tokens": 300, "max_tokens": 100}, 300),
        ({"max_tokens": None}, 0),
        ({"max_tokens": openai.NOT_GIVEN, "tools": openai.NOT_GIVEN}, 0),
        ({"tools": TOOLS}, schema(TOOLS)),
        ({"functions": [TOOLS[0]["function"]]}, schema([TOOLS[0]["function"]])),
        (
            {"tools": TOOLS, "max_completion_tokens": 200, "response_format": {"type": "text"}},
            schema(TOOLS) + 200 + schema({"type": "text"}),
        ),
    ],
)
def test_what_a_call_takes_besides_is_taken_off(options: dict[str, Any], taken: int) -> None:
    with compacting(
        answers("Yes."), window=1_000, reserve=50, compact_to=1.0, tokenizer="o200k_base"
    ) as (client, server):
        client.chat.completions.create(model="m", messages=MESSAGES, **options)
    (got,) = sent(server)
    assert got == fitting(1_000 - 50 - taken)
    assert server.requests[0].get("tools") == (TOOLS if options.get("tools") else None)


def test_tools_from_an_iterator_are_counted_and_sent() -> None:
    with compacting(answers("Yes."), window=1_000, compact_to=1.0, tokenizer="o200k_base") as (
        client,
        server,
    ):
        client.chat.completions.create(model="m", messages=MESSAGES, tools=iter(TOOLS))
    assert sent(server) == [fitting(1_000 - schema(TOOLS))]
    assert server.requests[0]["tools"] == TOOLS


def test_the_model_of_a_parsed_answer_is_taken_off() -> None:
    answer = answers('{"word": "Lima", "meaning": "a city"}')
    with compacting(answer, window=1_000, compact_to=1.0, tokenizer="o200k_base") as (
        client,
        server,
    ):
        client.chat.completions.parse(model="m", messages=MESSAGES, response_format=Word)
    assert sent(server) == [fitting(1_000 - schema(Word.model_json_schema()))]


def test_a_cut_leaves_room_for_the_next_calls() -> None:
    with compacting(answers("Yes."), window=1_000, compact_to=0.5, tokenizer="o200k_base") as (
        client,
        server,
    ):
        for end in range(100, 130):
            client.chat.completions.create(model="m", messages=MESSAGES[:end])
    firsts = [MESSAGES.index(got[0]) for got in sent(server)]
    assert len(set(firsts)) < len(firsts) / 4
    assert all(tokens(got) <= 1_000 for got in sent(server))
    assert tokens(sent(server)[0]) <= 500


def test_the_strategy_runs_by_its_own_trigger_and_the_window_comes_after_it() -> None:
    messages: list[Any] = [{"role": "user", "content": "Read them all."}]
    for number in range(40):
        messages += tool_round(number, "line of text " * 20)
    strategy = ToolResultCompactionStrategy(
        keep_last_tool_call_groups=2, trigger=triggers.tokens_exceed(400), max_chars=80
    )
    with compacting(answers("Yes."), strategy=strategy, window=100_000, tokenizer="o200k_base") as (
        client,
        server,
    ):
        client.chat.completions.create(model="m", messages=messages)
    digested = compact(messages, strategy, tokenizer="o200k_base", overhead=OPENAI_CHAT_OVERHEAD)
    assert sent(server) == [digested]
    with compacting(answers("Yes."), strategy=strategy, window=600, tokenizer="o200k_base") as (
        client,
        server,
    ):
        client.chat.completions.create(model="m", messages=messages)
    (got,) = sent(server)
    assert tokens(got) <= 600 < tokens(digested)
    # The task, and the newest that fit.
    assert got == [digested[0], *digested[1 - len(got) :]]


def test_a_window_without_room_is_told_once_and_leaves_the_floor(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with compacting(answers("Yes."), window=100, tokenizer="o200k_base") as (client, server):
        for _ in range(2):
            client.chat.completions.create(model="m", messages=MESSAGES, max_tokens=4_096)
    assert [len(got) for got in sent(server)] == [2, 2]
    (told,) = caplog.messages
    assert told.startswith(
        "a context window of 100 tokens leaves none for messages: the answer may"
    )


def counting(factor: float) -> Behaviour:
    """Answer with a count that is so many times that of the encoding."""

    def answer(request: dict[str, Any]) -> bytes:
        counted = tokens(request["messages"], PLAIN) * factor
        return completion("Yes.", prompt_tokens=int(counted))

    return answers_by(answer)


@pytest.mark.parametrize(("factor", "counts"), [(1.5, 1.5), (0.8, 0.8), (9.0, 2.0), (0.01, 0.5)])
def test_reported_tokens_correct_the_count_within_bounds(factor: float, counts: float) -> None:
    ways: list[Callable[[openai.OpenAI], Any]] = [
        lambda client: client.chat.completions.create,
        lambda client: client.chat.completions.with_raw_response.create,
    ]
    for way in ways:
        with compacting(
            counting(factor),
            window=1_000,
            compact_to=1.0,
            calibrate=True,
            overhead=PLAIN,
            tokenizer="o200k_base",
        ) as (client, server):
            way(client)(model="m", messages=MESSAGES)
            # Another conversation, since what was cut stays cut.
            way(client)(model="m", messages=[MESSAGES[0], *MESSAGES])
            way(client)(model="other", messages=[MESSAGES[0], MESSAGES[0], *MESSAGES])
        first, second, other = map(tokens, sent(server), [PLAIN] * 3)
        assert 980 < first <= 1_000
        assert 980 < second * counts <= 1_010
        assert other == first


def test_reported_tokens_of_streams_correct_the_count() -> None:
    reported = streams("Yes.", prompt_tokens=1_980)
    options: Any = {
        "window": 1_000,
        "compact_to": 1.0,
        "calibrate": True,
        "tokenizer": "o200k_base",
    }

    def drained(client: Any) -> None:  # noqa: ANN401
        for _ in client.chat.completions.create(model="m", messages=MESSAGES, stream=True):
            pass

    def events(client: Any) -> None:  # noqa: ANN401
        with client.chat.completions.stream(model="m", messages=MESSAGES) as stream:
            stream.until_done()

    def raw(client: Any) -> None:  # noqa: ANN401
        completions = client.chat.completions.with_raw_response
        for _ in completions.create(model="m", messages=MESSAGES, stream=True).parse():
            pass

    for way in (drained, events, raw):
        with compacting(reported, **options) as (client, server):
            way(client)
            client.chat.completions.create(model="m", messages=[MESSAGES[0], *MESSAGES])
        first, second = map(tokens, sent(server))
        assert 980 < first <= 1_000
        assert 480 < second <= 510

    async def main() -> None:
        with serving(reported) as server:
            async with plain_async_client(server) as plain:
                client = with_compaction(plain, **options)
                create = client.chat.completions.create
                async for _ in await create(model="m", messages=MESSAGES, stream=True):
                    pass
                await create(model="m", messages=[MESSAGES[0], *MESSAGES])
        assert 480 < tokens(sent(server)[1]) <= 510

    asyncio.run(main())


def test_an_answer_without_usage_corrects_nothing() -> None:
    bare = json.loads(completion("Yes."))
    del bare["usage"]
    options: Any = {"window": 1_000, "compact_to": 1.0, "calibrate": True, "tokenizer": ENCODING}
    with compacting(answers_by(lambda _: json.dumps(bare).encode()), **options) as (client, server):
        client.chat.completions.create(model="m", messages=MESSAGES)
        client.chat.completions.with_raw_response.create(model="m", messages=MESSAGES[1:])
        with client.chat.completions.with_streaming_response.create(model="m", messages=MESSAGES):
            pass
        client.chat.completions.create(model="m", messages=MESSAGES[2:])
    assert {tokens(got) for got in sent(server)} == {tokens(fitting(1_000))}


def test_newer_counts_weigh_more_and_few_models_are_remembered() -> None:
    window = Window(1_000, reserve=0, compact_to=1, calibrate=True, tokenizer=ENCODING)
    window.learn("m", 100, 100)
    window.learn("m", 200, 100)
    assert window.ratio("m") == pytest.approx(250 / 150)
    for number in range(1_000):
        window.learn(number, 150, 100)
    assert window.ratio(999) == 1.5
    assert window.ratio("m") == 1.0
    window.learn("none", 0, 100)
    assert window.ratio("none") == 1.0

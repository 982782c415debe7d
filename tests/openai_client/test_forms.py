"""Each form of a call sends a compacted copy, and gives what the client gives."""

import asyncio
import copy
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import openai
import pytest
from openai.types.chat import ChatCompletion, ChatCompletionMessage
from pydantic import BaseModel

from chatfold import (
    MessageIndex,
    SlidingWindowStrategy,
    TruncationStrategy,
    apply_compaction,
    compact,
)
from chatfold.integrations.openai import with_compaction
from openai_client.clients import Option, compacting, plain_async_client, said, sent
from summarization.server import Behaviour, Server, answers, serving, streams

STRATEGY = TruncationStrategy(max_n=4)
MESSAGES = said(9)
SMALL = compact(MESSAGES, STRATEGY)


class City(BaseModel):
    name: str


@pytest.fixture
def messages() -> Iterator[list[Any]]:
    """Give a list, and see that it is the same one after the test."""
    given = said(9)
    held, before = list(given), copy.deepcopy(given)
    yield given
    assert given == before
    assert all(now is then for now, then in zip(given, held, strict=True))


def test_create(messages: list[Any]) -> None:
    with compacting(answers("Lima."), strategy=STRATEGY) as (client, server):
        answer = client.chat.completions.create(model="m", messages=messages, temperature=0.5)
    assert isinstance(answer, ChatCompletion)
    assert answer.choices[0].message.content == "Lima."
    assert sent(server) == [SMALL]
    assert (server.requests[0]["model"], server.requests[0]["temperature"]) == ("m", 0.5)


def test_create_of_the_beta_name(messages: list[Any]) -> None:
    with compacting(answers("Lima."), strategy=STRATEGY) as (client, server):
        client.beta.chat.completions.create(model="m", messages=messages)
    assert sent(server) == [SMALL]


def test_a_stream_of_chunks(messages: list[Any]) -> None:
    with compacting(streams("Li", "ma."), strategy=STRATEGY) as (client, server):
        chunks = client.chat.completions.create(model="m", messages=messages, stream=True)
        assert isinstance(chunks, openai.Stream)
        text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
    assert text == "Lima."
    assert sent(server) == [SMALL]


def test_parse_into_a_model(messages: list[Any]) -> None:
    with compacting(answers('{"name": "Lima"}'), strategy=STRATEGY) as (client, server):
        answer = client.chat.completions.parse(model="m", messages=messages, response_format=City)
    assert answer.choices[0].message.parsed == City(name="Lima")
    assert sent(server) == [SMALL]


def test_a_stream_of_events(messages: list[Any]) -> None:
    with compacting(streams('{"name"', ': "Lima"}'), strategy=STRATEGY) as (client, server):
        opened = client.chat.completions.stream(model="m", messages=messages, response_format=City)
        assert server.requests == []
        with opened as stream:
            kinds = {event.type for event in stream}
            final = stream.get_final_completion()
    assert "content.delta" in kinds
    assert final.choices[0].message.parsed == City(name="Lima")
    assert sent(server) == [SMALL]


def test_raw_responses(messages: list[Any]) -> None:
    with compacting(answers('{"name": "Lima"}'), strategy=STRATEGY) as (client, server):
        ways: list[Any] = [
            client.chat.completions.with_raw_response,
            client.chat.with_raw_response.completions,
            client.with_raw_response.chat.completions,
        ]
        for way in ways:
            raw = way.create(model="m", messages=messages)
            assert raw.http_response.status_code == 200
            assert raw.parse().choices[0].message.content == '{"name": "Lima"}'
        parsed = ways[0].parse(model="m", messages=messages, response_format=City)
        assert parsed.parse().choices[0].message.parsed == City(name="Lima")
    assert sent(server) == [SMALL] * 4


def test_streaming_responses(messages: list[Any]) -> None:
    with compacting(answers("Lima."), strategy=STRATEGY) as (client, server):
        ways: list[Any] = [
            client.chat.completions.with_streaming_response,
            client.chat.with_streaming_response.completions,
            client.with_streaming_response.chat.completions,
        ]
        for way in ways:
            with way.create(model="m", messages=messages) as response:
                assert response.status_code == 200
                assert response.parse().choices[0].message.content == "Lima."
    assert sent(server) == [SMALL] * 3


@asynccontextmanager
async def acompacting(
    *behaviours: Behaviour, strategy: Option = STRATEGY
) -> AsyncIterator[tuple[openai.AsyncOpenAI, Server]]:
    with serving(*behaviours) as server:
        async with plain_async_client(server) as client:
            yield with_compaction(client, strategy), server


def test_every_form_of_the_async_client(messages: list[Any]) -> None:
    async def main() -> None:
        async with acompacting(answers('{"name": "Lima"}')) as (client, server):
            completions = client.chat.completions
            answer = await completions.create(model="m", messages=messages)
            assert answer.choices[0].message.content == '{"name": "Lima"}'
            parsed = await completions.parse(model="m", messages=messages, response_format=City)
            assert parsed.choices[0].message.parsed == City(name="Lima")
            raw = await completions.with_raw_response.create(model="m", messages=messages)
            assert raw.parse().choices[0].message.content == '{"name": "Lima"}'
            streaming = completions.with_streaming_response
            async with streaming.create(model="m", messages=messages) as response:
                assert b"Lima" in await response.read()
        assert sent(server) == [SMALL] * 4

    asyncio.run(main())


def test_streams_of_the_async_client(messages: list[Any]) -> None:
    async def main() -> None:
        async with acompacting(streams("Li", "ma.")) as (client, server):
            completions = client.chat.completions
            chunks = await completions.create(model="m", messages=messages, stream=True)
            assert isinstance(chunks, openai.AsyncStream)
            texts = [chunk.choices[0].delta.content or "" async for chunk in chunks]
            assert "".join(texts) == "Lima."
            async with completions.stream(model="m", messages=messages) as stream:
                final = await stream.get_final_completion()
            assert final.choices[0].message.content == "Lima."
        assert sent(server) == [SMALL] * 2

    asyncio.run(main())


def test_an_async_strategy_is_awaited(messages: list[Any]) -> None:
    async def newest_four(index: MessageIndex) -> bool:
        await asyncio.sleep(0)
        return index.compact(STRATEGY).changed

    async def main() -> None:
        async with acompacting(answers("Lima."), strategy=newest_four) as (client, server):
            await client.chat.completions.create(model="m", messages=messages)
            async with client.chat.completions.stream(model="m", messages=messages):
                pass
        awaited = await apply_compaction(messages, strategy=newest_four)
        assert sent(server) == [awaited, awaited] == [SMALL, SMALL]

    asyncio.run(main())


def test_messages_may_come_from_an_iterator_and_be_models() -> None:
    answer = ChatCompletionMessage(role="assistant", content="Lima.")
    messages: list[Any] = [{"role": "user", "content": "Capital of Peru?"}, answer]
    with compacting(answers("Yes."), strategy=SlidingWindowStrategy(keep_last_groups=2)) as (
        client,
        server,
    ):
        client.chat.completions.create(model="m", messages=iter(messages))
    assert sent(server) == [[messages[0], {"role": "assistant", "content": "Lima."}]]


def test_what_is_wrong_without_compaction_is_wrong_with_it() -> None:
    with compacting(answers("Lima."), strategy=STRATEGY) as (client, _):
        create: Any = client.chat.completions.create
        with pytest.raises(TypeError, match="messages"):
            create(model="m")
        with pytest.raises(TypeError):
            create("m", MESSAGES)
        with pytest.raises(TypeError, match="model"):
            create(messages=MESSAGES)

"""All else is the client itself, and what can't work is refused at once."""

import asyncio
import copy
import logging
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import openai
import pytest
from openai.resources.chat import Chat
from openai.resources.chat.completions import Completions

from chatfold import (
    AsyncStrategyError,
    Overhead,
    SummarizationStrategy,
    TokenizerMismatchError,
    TruncationStrategy,
    compact,
)
from chatfold.integrations.openai import with_compaction
from openai_client.clients import (
    compacting,
    plain_async_client,
    plain_client,
    said,
    sent,
    words,
)
from summarization.server import answers, sends, serving

STRATEGY = TruncationStrategy(max_n=2)
SMALL = compact(said(5), STRATEGY)


def some_client() -> openai.OpenAI:
    return openai.OpenAI(api_key="key", base_url="http://127.0.0.1:1")


def some_async_client() -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(api_key="key", base_url="http://127.0.0.1:1")


async def ask(messages: list[Any]) -> str:
    return str(messages)


def test_it_is_one_of_the_client_s_class_and_so_are_its_parts() -> None:
    class Own(openai.OpenAI):
        motto = "own"

    client = with_compaction(Own(api_key="key", base_url="http://127.0.0.1:1"), STRATEGY)
    assert isinstance(client, Own)
    assert client.motto == "own"
    assert isinstance(client.chat, Chat)
    assert isinstance(client.chat.completions, Completions)
    assert isinstance(with_compaction(some_async_client(), STRATEGY), openai.AsyncOpenAI)


def test_it_may_be_wrapped_again_and_each_strategy_has_its_turn() -> None:
    with compacting(answers("x"), strategy=TruncationStrategy(max_n=6)) as (inner, server):
        client = with_compaction(inner, STRATEGY)
        assert isinstance(client, openai.OpenAI)
        assert isinstance(with_compaction(client, STRATEGY).chat.completions, Completions)
        client.chat.completions.create(model="m", messages=said(9))
        inner.chat.completions.create(model="m", messages=said(9, "Other. "))
    assert [len(messages) for messages in sent(server)] == [2, 6]


def test_a_shallow_copy_compacts_too_and_a_deep_one_is_refused_as_the_client_refuses() -> None:
    with compacting(answers("x"), strategy=STRATEGY) as (client, server):
        copied = copy.copy(client)
        assert isinstance(copied, openai.OpenAI)
        copied.chat.completions.create(model="m", messages=said(5))
        copied.max_retries = 7
        assert client.max_retries == 0
        for refuse in (copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match="make the client anew"):
                refuse(client)
    assert sent(server) == [SMALL]


def test_attributes_are_the_client_s() -> None:
    client = some_client()
    passing = with_compaction(client, STRATEGY)
    passing.api_key = "other"
    assert client.api_key == "other"
    client.organization = "org"
    assert passing.organization == "org"
    assert passing.models is client.models
    assert set(dir(client)) <= set(dir(passing))
    assert "with compaction" in repr(passing)
    with pytest.raises(AttributeError, match="nonsense"):
        _ = passing.nonsense  # type: ignore[attr-defined]
    del passing.organization
    assert "organization" not in vars(client)


def test_the_client_that_was_given_sends_what_it_is_given() -> None:
    with serving(answers("Lima.")) as server, plain_client(server) as client:
        passing = with_compaction(client, STRATEGY)
        passing.chat.completions.create(model="m", messages=said(5))
        client.chat.completions.create(model="m", messages=said(5))
    assert sent(server) == [SMALL, said(5)]


def test_other_calls_go_through() -> None:
    vectors = b'{"object": "list", "data": [], "model": "m"}'
    with compacting(sends(vectors), strategy=STRATEGY) as (client, server):
        assert client.embeddings.create(model="m", input="Lima", encoding_format="float").model
    assert server.requests[0]["input"] == "Lima"


def test_a_copy_compacts_too_and_knows_the_same_conversations() -> None:
    reports: list[Any] = []
    with compacting(answers("Lima."), strategy=STRATEGY, on_report=reports.append) as (
        client,
        server,
    ):
        messages = said(5)
        for each in (client, client.with_options(timeout=9), client.copy(max_retries=1)):
            each.chat.completions.create(model="m", messages=messages)
        assert client.with_options(timeout=9).timeout == 9
    assert sent(server) == [SMALL] * 3
    assert [report.changed for report in reports] == [True, False, False]


def test_it_closes_with_its_block() -> None:
    client = some_client()
    with with_compaction(client, STRATEGY) as passing:
        assert isinstance(passing, openai.OpenAI)
        assert passing.chat.completions.create is not client.chat.completions.create
    assert client.is_closed()

    async def main() -> None:
        client = some_async_client()
        async with with_compaction(client, STRATEGY) as passing:
            assert not passing.is_closed()
        assert client.is_closed()

    asyncio.run(main())


def test_a_history_that_the_service_keeps_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    answer = sends(b'{"id": "r", "object": "response", "output": [], "model": "m"}')
    with compacting(answer, strategy=STRATEGY) as (client, server):
        assert client.responses is not None
        assert caplog.messages == []
        for previous in ("r1", "r2"):
            client.responses.create(model="m", input="Hi", previous_response_id=previous)
        client.with_options(timeout=9).conversations.create()
        client.responses.with_raw_response.create(model="m", input="Hi")
    assert [request.get("previous_response_id") for request in server.requests][:2] == ["r1", "r2"]
    assert len(server.requests) == 4
    (told,) = caplog.messages
    assert told.startswith("compaction has no effect on Responses, where the service may keep")


STARTS: list[tuple[str, Callable[[openai.OpenAI], object]]] = [
    ("Threads", lambda client: client.beta.threads.create()),
    ("Threads", lambda client: client.beta.threads.create_and_run(assistant_id="a")),
    ("Runs", lambda client: client.beta.threads.runs.create("t", assistant_id="a")),
    (
        "RunsWithRawResponse",
        lambda client: client.beta.threads.with_raw_response.runs.create("t", assistant_id="a"),
    ),
    ("Messages", lambda client: client.beta.threads.messages.create("t", role="user", content="x")),
    ("Items", lambda client: client.conversations.items.create("c", items=[])),
    ("Responses", lambda client: client.beta.responses.create(model="m", input="Hi")),
    (
        "Sessions",
        lambda client: client.beta.chatkit.sessions.create(user="u", workflow={"id": "w"}),
    ),
]


@pytest.mark.parametrize(("name", "start"), STARTS)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_every_history_that_a_service_keeps_is_told(
    name: str, start: Callable[[openai.OpenAI], object], caplog: pytest.LogCaptureFixture
) -> None:
    with compacting(sends(b"{}"), strategy=STRATEGY) as (client, server):
        start(client)
    assert len(server.requests) == 1
    (told,) = caplog.messages
    assert told.startswith(f"compaction has no effect on {name}, where")


def test_the_async_client_tells_it_too(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        answer = sends(b'{"id": "r", "object": "response", "output": [], "model": "m"}')
        with serving(answer) as server:
            async with plain_async_client(server) as client:
                passing = with_compaction(client, STRATEGY)
                await passing.responses.create(model="m", input="Hi", previous_response_id="r1")

    asyncio.run(main())
    assert [record.levelno for record in caplog.records] == [logging.WARNING]


WRONG: list[tuple[Callable[[], object], type[Exception], str]] = [
    (lambda: with_compaction(None, STRATEGY), TypeError, "pass an openai.OpenAI or"),  # type: ignore[type-var]
    (lambda: with_compaction(some_client()), ValueError, "strategy and window were both left out"),
    (lambda: with_compaction(some_client(), 7), TypeError, "strategy is 7"),  # type: ignore[arg-type]
    (
        lambda: with_compaction(some_client(), SummarizationStrategy(client=ask)),
        AsyncStrategyError,
        "SummarizationStrategy must be awaited, and the client is an OpenAI; pass an openai.Async",
    ),
    (
        lambda: with_compaction(
            some_client(), TruncationStrategy(max_n=9, tokenizer=words), tokenizer=len
        ),
        TokenizerMismatchError,
        "the index counts with",
    ),
    (lambda: with_compaction(some_client(), window=0), ValueError, "window is 0"),
    (
        lambda: with_compaction(some_client(), window=100, reserve=100),
        ValueError,
        "reserve is 100 and window 100",
    ),
    (
        lambda: with_compaction(some_client(), STRATEGY, reserve=5),
        ValueError,
        "reserve is 5 without a window",
    ),
    (
        lambda: with_compaction(some_client(), STRATEGY, calibrate=True),
        ValueError,
        "calibrate is True without a window",
    ),
    (lambda: with_compaction(some_client(), window=9, compact_to=2), ValueError, "compact_to is 2"),
    (
        lambda: with_compaction(some_client(), STRATEGY, retry_when_too_long="yes"),  # type: ignore[arg-type]
        TypeError,
        "retry_when_too_long is 'yes'",
    ),
    (
        lambda: with_compaction(some_client(), STRATEGY, max_conversations=-1),
        ValueError,
        "max_conversations is -1",
    ),
    (
        lambda: with_compaction(some_client(), STRATEGY, on_report="print"),  # type: ignore[arg-type]
        TypeError,
        "on_report is 'print'; pass a function",
    ),
    (
        lambda: with_compaction(some_client(), STRATEGY, overhead=3),  # type: ignore[arg-type]
        TypeError,
        "overhead is 3",
    ),
]


@pytest.mark.parametrize(("make", "error", "message"), WRONG)
def test_wrong_options_are_refused_in_words(
    make: Callable[[], object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        make()


def test_an_async_strategy_goes_with_an_async_client() -> None:
    assert with_compaction(some_async_client(), SummarizationStrategy(client=ask)) is not None


def test_the_overhead_counts() -> None:
    strategy = TruncationStrategy(max_n=30, tokenizer=words)
    overhead = Overhead(per_message=10)
    with compacting(answers("Lima."), strategy=strategy, overhead=overhead) as (client, server):
        client.chat.completions.create(model="m", messages=said(5))
    assert sent(server) == [compact(said(5), strategy, overhead=overhead)]
    assert len(sent(server)[0]) == 1


def test_a_missing_package_names_the_line_that_installs_it() -> None:
    code = (
        "import sys; sys.modules['openai'] = None\n"
        "try: import chatfold.integrations.openai\n"
        "except ImportError as error: print(type(error).__name__, error)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603 (our own code)
    assert ran.stdout.startswith("MissingExtraError ")
    assert "pip install 'chatfold[openai]'" in ran.stdout

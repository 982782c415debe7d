"""The real OpenAI client against a server on the loopback."""

import asyncio
from collections.abc import Callable
from typing import Any

import openai
import pytest

from chatfold import (
    CompactionReport,
    MessageIndex,
    OpenAISummarizer,
    OptionError,
    OptionTypeError,
    SummarizationStrategy,
    SummarizerPausedError,
)
from chatfold.summarization import Breaker
from summarization.server import (
    Behaviour,
    Server,
    answers,
    completion,
    hangs_up,
    is_slow,
    resets,
    sends,
    serving,
    streams,
)
from summarization.stubs import Option, run, turns

LATER = sends(b'{"error": {"message": "slow down"}}', 429, retry_after="0.01")
BROKEN = sends(b'{"error": {"message": "oops"}}', 500)


def client_of(server: Server, max_retries: int = 0) -> openai.AsyncOpenAI:
    http = openai.DefaultAsyncHttpxClient(trust_env=False)
    return openai.AsyncOpenAI(
        api_key="key", base_url=server.url, max_retries=max_retries, http_client=http
    )


def summarized(
    server: Server, *, max_retries: int = 0, parameters: Option = None, **options: Option
) -> tuple[MessageIndex, CompactionReport]:
    index = MessageIndex(turns(6))

    async def main() -> CompactionReport:
        async with client_of(server, max_retries) as client:
            summarizer = OpenAISummarizer(client, model="small", parameters=parameters)
            return await index.acompact(SummarizationStrategy(client=summarizer, **options))

    return index, run(main())


def first(index: MessageIndex) -> str:
    text: str = index.included_messages()[0]["content"]
    return text


def test_a_right_answer_becomes_the_summary() -> None:
    with serving(answers("The gist.")) as server:
        index, report = summarized(server, parameters={"temperature": 0.1})
    assert first(index) == "[Summary] The gist."
    usage = report.summary_usage
    assert (usage.calls, usage.input_tokens, usage.output_tokens) == (1, 120, 9)
    assert usage.models == ("small-1",)
    request = server.requests[0]
    assert (request["model"], request["temperature"]) == ("small", 0.1)
    assert [message["role"] for message in request["messages"]] == ["system", "user"]
    assert request["authorization"] == "Bearer key"


def test_an_answer_may_be_streamed() -> None:
    with serving(streams("The ", "gist", ".")) as server:
        index, _ = summarized(server, parameters={"stream": True})
    assert first(index) == "[Summary] The gist."
    assert server.requests[0]["stream"] is True


def test_an_answer_that_the_limit_ended_is_said_to_be_cut() -> None:
    with serving(answers("The gi", "length")) as server:
        index, report = summarized(server)
    assert first(index) == "[Summary] The gi"
    assert report.summaries[0].cut


def test_after_429_the_client_comes_back_when_it_may() -> None:
    with serving(LATER, answers("The gist.")) as server:
        index, report = summarized(server, max_retries=1)
    assert first(index) == "[Summary] The gist."
    assert len(server.requests) == 2
    assert report.summary_usage.calls == 1


def test_after_500_the_client_tries_again() -> None:
    with serving(BROKEN, answers("The gist.")) as server:
        index, _ = summarized(server, max_retries=1)
    assert first(index) == "[Summary] The gist."


BAD: list[tuple[Behaviour, str, type[Exception]]] = [
    (LATER, "failed", openai.RateLimitError),
    (BROKEN, "failed", openai.InternalServerError),
    (sends(b'{"choices": [{"mess'), "failed", Exception),
    (sends(b"<html>gateway</html>", content_type="text/html"), "empty", Exception),
    (sends(b"{}"), "empty", Exception),
    (sends(b'{"choices": []}'), "empty", Exception),
    (sends(b'{"choices": [null]}'), "empty", Exception),
    (answers(""), "empty", Exception),
    (answers(None), "empty", Exception),
    (answers("I must not", "content_filter"), "failed", Exception),
    (is_slow, "timed out", TimeoutError),
    (resets, "failed", openai.APIConnectionError),
    (hangs_up, "failed", openai.APIConnectionError),
]


@pytest.mark.parametrize(("behaviour", "outcome", "error"), BAD)
def test_a_bad_answer_changes_nothing(
    behaviour: Behaviour, outcome: str, error: type[Exception]
) -> None:
    with serving(behaviour) as server:
        index, report = summarized(server, timeout=0.2)
    assert index.included_messages() == turns(6)
    assert [summary.outcome for summary in report.summaries] == [outcome]
    assert isinstance(report.summaries[0].error, error)


@pytest.mark.parametrize(
    "behaviour",
    [
        streams("The ", "gi", complete=False),
        sends(b"data: {broken\n\n", content_type="text/event-stream"),
        sends(b'data: {"choices": null}\n\n', content_type="text/event-stream"),
        sends(b'data: {"error": {"message": "x"}}\n\n', content_type="text/event-stream"),
        hangs_up,
        resets,
    ],
)
def test_a_stream_that_breaks_off_changes_nothing(behaviour: Behaviour) -> None:
    with serving(behaviour) as server:
        index, report = summarized(server, parameters={"stream": True})
    assert index.included_messages() == turns(6)
    assert [summary.outcome for summary in report.summaries] == ["failed"]


REFUSES = b'{"choices": [{"index": 0, "delta": {"refusal": "I won\'t."}, "finish_reason": "stop"}]}'


@pytest.mark.parametrize(
    ("behaviour", "stream"),
    [
        (sends(completion(None, refusal="I won't.")), False),
        (
            sends(b"data: " + REFUSES + b"\n\ndata: [DONE]\n\n", content_type="text/event-stream"),
            True,
        ),
    ],
)
def test_a_refusal_is_told_by_what_it_says(behaviour: Behaviour, stream: bool) -> None:  # noqa: FBT001 (a parameter of a test)
    with serving(behaviour) as server:
        index, report = summarized(server, parameters={"stream": stream})
    assert index.included_messages() == turns(6)
    assert str(report.summaries[0]) == "failed (SummaryError: small refused: I won't.)"


def test_a_cancelled_request_changes_nothing() -> None:
    index = MessageIndex(turns(6))

    async def main(server: Server) -> None:
        async with client_of(server) as client:
            summarizer = OpenAISummarizer(client, model="small")
            strategy = SummarizationStrategy(client=summarizer, on_failure="digest")
            task = asyncio.ensure_future(index.acompact(strategy))
            await asyncio.to_thread(server.asked.wait)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    with serving(is_slow) as server:
        run(main(server))
    assert index.included_messages() == turns(6)


def test_a_second_server_serves_as_fallback() -> None:
    index = MessageIndex(turns(6))

    async def main(*servers: Server) -> None:
        clients = [client_of(server) for server in servers]
        summarizers: list[Any] = [OpenAISummarizer(client, model="small") for client in clients]
        await index.acompact(SummarizationStrategy(client=summarizers))
        for client in clients:
            await client.close()

    with serving(BROKEN) as bad, serving(answers("The gist.")) as good:
        run(main(bad, good))
    assert first(index) == "[Summary] The gist."


def test_the_breaker_waits_as_long_as_the_server_says() -> None:
    limited = sends(b'{"error": {"message": "slow down"}}', 429, retry_after="500")
    breaker = Breaker(failures=1, cool_down=1)
    with serving(limited) as server:
        summarized(server, breaker=breaker)
    with pytest.raises(SummarizerPausedError, match=r"is tried in (49\d|500) s"):
        breaker.check()


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: OpenAISummarizer(None, model="m"), OptionTypeError, "pass an openai.AsyncOpenAI"),  # type: ignore[arg-type]
        (
            lambda: OpenAISummarizer(openai.OpenAI(api_key="key"), model="m"),  # type: ignore[arg-type]
            OptionTypeError,
            r"client is <openai\.OpenAI .*; pass an openai\.AsyncOpenAI",
        ),
        (lambda: _summarizer(model=None), OptionTypeError, "model is None; pass a text"),
        (
            lambda: _summarizer(model="m", parameters={"messages": []}),
            OptionError,
            "parameters has 'messages', which the summarizer sets itself",
        ),
        (
            lambda: SummarizationStrategy(client=_client()),  # type: ignore[arg-type]
            OptionTypeError,
            r"pass OpenAISummarizer\(client, model=...\) around it",
        ),
    ],
)
def test_wrong_options_are_refused_in_words(
    make: Callable[[], object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        make()


def _client() -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(api_key="key", base_url="http://127.0.0.1:1")


def _summarizer(**options: Option) -> OpenAISummarizer:
    return OpenAISummarizer(_client(), **options)


def test_it_shows_no_key() -> None:
    assert repr(_summarizer(model="small")) == "OpenAISummarizer(model='small')"

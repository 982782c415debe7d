"""A request that does not fit the server's window is sent once more, shorter; no other one is."""

import asyncio
import json
from typing import Any

import openai
import pytest

from chatfold import CompactionReport, TruncationStrategy, compact, triggers
from chatfold.integrations.openai import with_compaction
from openai_client.clients import (
    compacting,
    plain_async_client,
    plain_client,
    said,
    sent,
    words,
)
from summarization.server import (
    Behaviour,
    Handler,
    answers,
    hangs_up,
    resets,
    sends,
    serving,
    streams,
)

NOTHING = TruncationStrategy(max_n=10_000)
MESSAGES = said(40)


def refuses(message: str, code: str | None = None, status: int = 400, **more: object) -> Behaviour:
    error = {"message": message, "type": "invalid_request_error", "code": code, **more}
    return sends(json.dumps({"error": error}).encode(), status)


OF_OPENAI = refuses(
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 "
    "tokens. Please reduce the length of the messages.",
    "context_length_exceeded",
)
TOO_LONG = [
    OF_OPENAI,
    refuses("Input tokens exceed the configured limit.", "context_length_exceeded"),
    refuses(
        "This model's maximum context length is 4096 tokens. However, you requested 4500 tokens "
        "(4000 in the messages, 500 in the completion)."
    ),
    refuses("the request exceeds the available context size", type="exceed_context_size_error"),
    refuses("Prompt is too long: 9000 tokens > 8192 maximum"),
    refuses("Prompt contains 9000 tokens, too large for model with 8192 maximum context length"),
    refuses(
        "`inputs` tokens + `max_new_tokens` must be <= 2048. Inputs must have less than 1024"
        " input tokens: inputs tokens must have less than 1024",
        status=422,
    ),
    refuses("Your input exceeds the context window of this model. Please adjust it.", status=400),
]
OTHERS = [
    refuses("Rate limit: too many tokens per minute for the context length", status=429),
    refuses(
        "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 45000.",
        "rate_limit_exceeded",
        status=429,
    ),
    refuses("Invalid value for 'temperature': maximum is 2", "invalid_value"),
    refuses("max_tokens is too large: 99999. This model supports at most 4096 completion tokens."),
    refuses("An assistant message with 'tool_calls' must be followed by tool messages"),
    refuses("string too long. Expected a string with maximum length 1048576", "string_above_max"),
    refuses("no such model", "model_not_found", status=404),
    refuses("context length exceeded while we broke down", status=500),
]


@pytest.mark.parametrize("refusal", TOO_LONG)
def test_a_refused_request_is_sent_once_more_with_the_newer_half(refusal: Behaviour) -> None:
    reports: list[CompactionReport] = []
    with compacting(
        refusal,
        answers("Yes."),
        strategy=NOTHING,
        tokenizer=words,
        retry_when_too_long=True,
        on_report=reports.append,
    ) as (client, server):
        messages = said(40)
        answer = client.chat.completions.create(model="m", messages=messages)
        assert messages == MESSAGES
        client.chat.completions.create(model="m", messages=[*messages, *said(1, "Then: ")])
    assert answer.choices[0].message.content == "Yes."
    whole, half, later = sent(server)
    assert whole == MESSAGES
    total = sum(words(each["content"]) for each in MESSAGES)
    target = ~triggers.tokens_exceed(total // 2)
    strategy = TruncationStrategy(trigger=triggers.always, target=target, minimum_preserved=1)
    assert half == compact(MESSAGES, strategy, tokenizer=words)
    # What did not fit once stays out.
    assert later[:-1] == half
    assert [report.changed for report in reports] == [False, True, False]


def test_the_server_s_own_figures_say_how_much_must_go() -> None:
    refusal = refuses(
        "This model's maximum context length is 1,000 tokens. However, your messages resulted in "
        "10,000 tokens.",
        "context_length_exceeded",
    )
    with compacting(
        refusal, answers("Yes."), strategy=NOTHING, tokenizer=words, retry_when_too_long=True
    ) as (client, server):
        client.chat.completions.create(model="m", messages=MESSAGES)
    whole, small = (sum(words(each["content"]) for each in got) for got in sent(server))
    assert 0.07 * whole < small <= 0.09 * whole


@pytest.mark.parametrize("refusal", OTHERS)
def test_no_other_refusal_is_answered_with_a_shorter_request(refusal: Behaviour) -> None:
    with (
        compacting(refusal, answers("Yes."), strategy=NOTHING, retry_when_too_long=True) as (
            client,
            server,
        ),
        pytest.raises(openai.APIStatusError),
    ):
        client.chat.completions.create(model="m", messages=MESSAGES)
    assert len(server.requests) == 1


def test_nothing_is_sent_again_unless_asked_for() -> None:
    with (
        compacting(OF_OPENAI, answers("Yes."), strategy=NOTHING) as (client, server),
        pytest.raises(openai.BadRequestError, match="maximum context length"),
    ):
        client.chat.completions.create(model="m", messages=MESSAGES)
    assert len(server.requests) == 1


def test_there_is_one_further_request_and_no_third() -> None:
    with (
        compacting(OF_OPENAI, strategy=NOTHING, retry_when_too_long=True) as (client, server),
        pytest.raises(openai.BadRequestError, match="maximum context length"),
    ):
        client.chat.completions.create(model="m", messages=MESSAGES)
    assert len(server.requests) == 2


def test_what_cannot_get_shorter_is_not_sent_again() -> None:
    with (
        compacting(OF_OPENAI, strategy=NOTHING, retry_when_too_long=True) as (client, server),
        pytest.raises(openai.BadRequestError),
    ):
        client.chat.completions.create(model="m", messages=said(1))
    assert len(server.requests) == 1


@pytest.mark.parametrize("refusal", [resets, hangs_up])
def test_a_lost_connection_is_left_to_the_client(refusal: Behaviour) -> None:
    with (
        compacting(refusal, answers("Yes."), strategy=NOTHING, retry_when_too_long=True) as (
            client,
            server,
        ),
        pytest.raises(openai.APIConnectionError),
    ):
        client.chat.completions.create(model="m", messages=MESSAGES)
    assert len(server.requests) == 1


def test_the_client_s_own_retries_send_the_same_messages() -> None:
    strategy = TruncationStrategy(max_n=6)
    later = sends(b'{"error": {"message": "slow down"}}', 429, retry_after_ms="1")
    broken = sends(b'{"error": {"message": "oops"}}', 500, retry_after_ms="1")
    with compacting(later, broken, answers("Yes."), strategy=strategy) as (client, server):
        client.with_options(max_retries=2).chat.completions.create(model="m", messages=MESSAGES)
    assert sent(server) == [compact(MESSAGES, strategy)] * 3


def as_asked(handler: Handler) -> None:
    """Refuse what is long; else stream or answer, as asked for."""
    if len(handler.asked["messages"]) == len(MESSAGES):
        OF_OPENAI(handler)
    elif handler.asked.get("stream"):
        streams("Yes.")(handler)
    else:
        answers("Yes.")(handler)


def test_every_form_of_a_call_is_sent_once_more() -> None:
    options: Any = {"model": "m", "messages": MESSAGES}
    with serving(as_asked) as server, plain_client(server) as plain:

        def completions() -> Any:  # noqa: ANN401
            client = with_compaction(plain, NOTHING, retry_when_too_long=True)
            return client.chat.completions

        completions().with_raw_response.create(**options)
        with completions().with_streaming_response.create(**options) as response:
            assert response.status_code == 200
        assert list(completions().create(**options, stream=True))
        with completions().stream(**options) as stream:
            assert stream.get_final_completion().choices[0].message.content == "Yes."
    assert [len(got) for got in sent(server)] == [40, 19] * 4


def test_every_form_of_an_async_call_is_sent_once_more() -> None:
    options: Any = {"model": "m", "messages": MESSAGES}

    async def main() -> None:
        with serving(as_asked) as server:
            async with plain_async_client(server) as plain:

                def completions() -> Any:  # noqa: ANN401
                    client = with_compaction(plain, NOTHING, retry_when_too_long=True)
                    return client.chat.completions

                await completions().create(**options)
                async with completions().with_streaming_response.create(**options) as response:
                    assert response.status_code == 200
                async with completions().stream(**options) as stream:
                    final = await stream.get_final_completion()
                    assert final.choices[0].message.content == "Yes."
        assert [len(got) for got in sent(server)] == [40, 19] * 3

    asyncio.run(main())

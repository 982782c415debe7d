"""Threads, tasks and many conversations in one client."""

import asyncio
import random
import threading
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context
from typing import Any

import pytest

from chatfold import (
    CompactionReport,
    MessageIndex,
    SummarizationStrategy,
    TruncationStrategy,
    triggers,
)
from chatfold.integrations.openai import last_report, with_compaction
from openai_client.clients import compacting, plain_async_client, said, sent
from summarization.server import answers, resets, serving
from work import Work

STRATEGY = TruncationStrategy(max_n=6, compact_to=4)


def kept(messages: list[Any]) -> list[list[Any]]:
    """Give what each call of a conversation sends that grows by two messages each time."""
    index, requests = MessageIndex(), []
    for end in range(1, len(messages) + 1, 2):
        index.sync(messages[:end])
        index.compact(STRATEGY)
        requests.append(index.included_messages())
    return requests


def test_many_conversations_in_turns_are_told_apart() -> None:
    talks = [said(21, f"{number}: ") for number in range(30)]
    order = [number for number in range(30) for _ in range(11)]
    random.Random(1).shuffle(order)  # noqa: S311 (a seeded order)
    ends = dict.fromkeys(range(30), -1)
    work = Work()
    with compacting(answers("Yes."), strategy=STRATEGY) as (client, server):
        for number in order:
            ends[number] += 2
            client.chat.completions.create(model="m", messages=talks[number][: ends[number]])
    assert work.done.messages_read == 30 * 21
    for number, messages in enumerate(talks):
        got = [each for each in sent(server) if each[0]["content"].startswith(f"{number}: ")]
        assert got == kept(messages)


def test_conversations_that_open_alike_are_told_apart() -> None:
    opening: list[Any] = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hi"},
    ]
    talks = [[*opening, *said(20, f"{number}: ")] for number in range(5)]
    with compacting(answers("Yes."), strategy=TruncationStrategy(max_n=99)) as (client, server):
        for end in range(2, 23):
            for messages in talks:
                client.chat.completions.create(model="m", messages=messages[:end])
    assert sent(server) == [messages[:end] for end in range(2, 23) for messages in talks]


def test_threads_share_a_client() -> None:
    talks = [said(21, f"{number}: ") for number in range(8)]
    told: dict[int, list[CompactionReport | None]] = {}
    work = Work()
    with compacting(answers("Yes."), strategy=STRATEGY) as (client, server):

        def converse(number: int) -> None:
            reports = told.setdefault(number, [])
            for end in range(1, 22, 2):
                messages = talks[number][:end]
                client.chat.completions.create(model="m", messages=messages)
                reports.append(last_report())

        with ThreadPoolExecutor(8) as threads:
            list(threads.map(converse, range(8)))
    assert work.done.messages_read == 8 * 21
    for number, messages in enumerate(talks):
        got = [each for each in sent(server) if each[0]["content"].startswith(f"{number}: ")]
        assert got == kept(messages)
        after = [report.after.messages for report in told[number] if report is not None]
        assert after == [len(each) for each in got]


def test_the_same_conversation_from_many_threads_at_once() -> None:
    messages = said(21)
    start = threading.Barrier(8)
    work = Work()
    with compacting(answers("Yes."), strategy=STRATEGY) as (client, server):

        def call(_: int) -> None:
            start.wait()
            client.chat.completions.create(model="m", messages=messages)

        with ThreadPoolExecutor(8) as threads:
            list(threads.map(call, range(8)))
    assert sent(server) == [sent(server)[0]] * 8
    assert work.done.messages_read == 21


def test_last_report_is_that_of_the_task() -> None:
    async def main() -> None:
        with serving(answers("Yes.")) as server:
            async with plain_async_client(server) as plain:
                client = with_compaction(plain, STRATEGY)

                async def call(length: int) -> int:
                    assert last_report() is None
                    messages = said(length, f"{length}: ")
                    await client.chat.completions.create(model="m", messages=messages)
                    report = last_report()
                    assert report is not None
                    return report.before.messages

                lengths = list(range(7, 20))
                assert await asyncio.gather(*map(call, lengths)) == lengths
                assert last_report() is None

    # Without what other tests left in this thread.
    Context().run(asyncio.run, main())


def test_the_report_is_there_after_every_form_of_a_call() -> None:
    reports: list[CompactionReport] = []
    with compacting(answers("Yes."), strategy=STRATEGY, on_report=reports.append) as (client, _):
        completions = client.chat.completions
        completions.create(model="m", messages=said(8))
        assert last_report() is reports[-1]
        completions.with_raw_response.create(model="m", messages=said(10))
        assert last_report() is reports[-1]
        with completions.with_streaming_response.create(model="m", messages=said(12)):
            assert last_report() is reports[-1]
    assert [report.before.messages for report in reports] == [8, 6, 8]
    assert [report.after.messages for report in reports] == [4, 6, 4]


def test_a_summary_is_asked_for_once_for_calls_at_the_same_time() -> None:
    asked = 0

    async def summarize(messages: list[dict[str, Any]]) -> str:
        nonlocal asked
        asked += 1
        await asyncio.sleep(0.01)
        return f"{len(messages)} and {asked}"

    async def main() -> list[Any]:
        strategy = SummarizationStrategy(
            client=summarize, trigger=triggers.messages_exceed(10), minimum_preserved=4
        )
        with serving(answers("Yes.")) as server:
            async with plain_async_client(server) as plain:
                client = with_compaction(plain, strategy)
                calls = (
                    client.chat.completions.create(model="m", messages=said(20)) for _ in range(5)
                )
                await asyncio.gather(*calls)
            return sent(server)

    got = asyncio.run(main())
    assert got == [got[0]] * 5
    assert got[0][0]["content"] == "[Summary] 2 and 1"
    assert asked == 1


def test_a_summarizer_may_ask_through_the_client_itself() -> None:
    async def main() -> list[Any]:
        with serving(answers("The gist.")) as server:
            async with plain_async_client(server) as plain:

                async def summarize(messages: list[Any]) -> str:
                    answer = await client.chat.completions.create(model="s", messages=messages)
                    return answer.choices[0].message.content or ""

                strategy = SummarizationStrategy(client=summarize)
                client = with_compaction(plain, strategy)
                await client.chat.completions.create(model="m", messages=said(20))
            return server.requests

    asked, call = asyncio.run(main())
    assert (asked["model"], call["model"]) == ("s", "m")
    assert [each["role"] for each in asked["messages"]] == ["system", "user"]
    assert call["messages"][0]["content"] == "[Summary] The gist."


@pytest.mark.parametrize("most", [0, 3])
def test_no_more_conversations_are_kept_than_allowed(most: int) -> None:
    work = Work()
    with compacting(answers("Yes."), strategy=STRATEGY, max_conversations=most) as (client, server):
        for _ in range(2):
            for number in range(4):
                client.chat.completions.create(model="m", messages=said(9, f"{number}: "))
        again = work.done.messages_read
        client.chat.completions.create(model="m", messages=said(9, "3: "))
    assert len(server.requests) == 9
    assert again == 8 * 9
    assert work.done.messages_read - again == (9 if most == 0 else 0)


def test_a_cancelled_call_leaves_the_conversation_as_it_was() -> None:
    asked = asyncio.Event()
    slow = True

    async def summarize(_: list[dict[str, Any]]) -> str:
        asked.set()
        await asyncio.sleep(30 if slow else 0)
        return "The gist."

    async def main() -> list[Any]:
        nonlocal slow
        with serving(answers("Yes.")) as server:
            async with plain_async_client(server) as plain:
                client = with_compaction(plain, SummarizationStrategy(client=summarize))
                messages = said(20)
                call = client.chat.completions.create(model="m", messages=messages)
                task = asyncio.ensure_future(call)
                await asked.wait()
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
                assert server.requests == []
                slow = False
                work = Work()
                await client.chat.completions.create(model="m", messages=messages)
                assert work.done.messages_read == 0
            return sent(server)

    (got,) = asyncio.run(main())
    assert got[0]["content"] == "[Summary] The gist."


def test_a_dropped_connection_and_a_message_that_cannot_be_read_change_nothing() -> None:
    messages = said(9)
    bad: Any = {"role": "critic", "content": "No."}
    work = Work()
    with compacting(resets, answers("Yes."), strategy=STRATEGY) as (client, server):
        with pytest.raises(Exception, match="Connection error"):
            client.chat.completions.create(model="m", messages=messages)
        with pytest.raises(ValueError, match="message 9 can't be read: its role is 'critic'"):
            client.chat.completions.create(model="m", messages=[*messages, bad])
        before = work.done.messages_read
        client.chat.completions.create(model="m", messages=messages)
        assert work.done.messages_read == before
    assert sent(server) == [sent(server)[0]] * 2

"""Summaries that are prepared while the conversation goes on."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from chatfold import MessageIndex, SummarizationStrategy, triggers
from summarization.stubs import (
    Client,
    Failing,
    Held,
    Message,
    Option,
    Stub,
    exclude_one,
    run,
    texts,
    turns,
)


def prepared(client: Client, **options: Option) -> SummarizationStrategy:
    """Start at 8 messages, be due at more than 12."""
    start = triggers.messages_exceed(7)
    return SummarizationStrategy(
        client=client, target_count=4, threshold=8, start_summary=start, **options
    )


def test_a_summary_prepared_in_the_background_is_used_once_it_is_due() -> None:
    async def main() -> None:
        stub, history = Stub("Prepared."), turns(4)
        index, strategy = MessageIndex(history), prepared(stub)
        report = await index.acompact(strategy)
        assert [summary.outcome for summary in report.summaries] == ["preparing"]
        assert not report.changed
        await asyncio.sleep(0.01)
        assert len(stub.seen) == 1
        assert index.included_messages() == history
        index.extend(turns(3, first=4))
        report = await index.acompact(strategy)
        assert [summary.outcome for summary in report.summaries] == ["written"]
        assert report.summary_usage.calls == 1
        assert len(stub.seen) == 1
        assert texts(index)[0] == "[Summary] Prepared."
        assert index.included_message_count == 1 + 4 + 6

    run(main())


def test_one_that_is_not_done_yet_is_waited_for() -> None:
    async def main() -> None:
        client, index = Held(), MessageIndex(turns(4))
        strategy = prepared(client)
        await index.acompact(strategy)
        index.extend(turns(3, first=4))
        task = asyncio.ensure_future(index.acompact(strategy))
        await client.asked.wait()
        client.free.set()
        assert (await task).changed
        assert client.calls == 1

    run(main())


def test_one_is_prepared_at_a_time() -> None:
    async def main() -> None:
        stub, index = Stub(), MessageIndex(turns(4))
        strategy = prepared(stub)
        for number in range(4, 6):
            await index.acompact(strategy)
            await asyncio.sleep(0.01)
            index.extend(turns(1, first=number))
        assert len(stub.seen) == 1

    run(main())


def synchronise(index: MessageIndex) -> None:
    index.sync([{**message} for message in turns(8, first=1)])


@pytest.mark.parametrize("change", [exclude_one, synchronise])
def test_where_what_it_covers_has_changed_another_one_is_written(
    change: Callable[[MessageIndex], None],
) -> None:
    async def main() -> None:
        stub, index = Stub(lambda call: f"Number {call}."), MessageIndex(turns(4))
        strategy = prepared(stub)
        await index.acompact(strategy)
        change(index)
        index.extend(turns(3, first=9))
        report = await index.acompact(strategy)
        assert [summary.outcome for summary in report.summaries] == ["outdated", "written"]
        assert report.summary_usage.calls == 2
        assert texts(index)[0] == "[Summary] Number 2."

    run(main())


def test_where_it_failed_another_one_is_written() -> None:
    async def main() -> None:
        failing, stub = Failing(), Stub()
        clients: list[Any] = [failing]

        async def client(messages: list[Message]) -> str:
            answer: str = await clients[0](messages)
            return answer

        index, strategy = MessageIndex(turns(4)), prepared(client, on_failure="raise")
        await index.acompact(strategy)
        await asyncio.sleep(0.01)
        clients[0] = stub
        index.extend(turns(3, first=4))
        report = await index.acompact(strategy)
        assert [summary.outcome for summary in report.summaries] == ["failed", "written"]

    run(main())


def test_where_it_is_not_enough_the_rest_follows_in_an_update() -> None:
    async def main() -> None:
        stub = Stub(lambda call: f"Number {call}.")
        index, strategy = MessageIndex(turns(4)), prepared(stub)
        await index.acompact(strategy)
        await asyncio.sleep(0.01)
        index.extend(turns(10, first=4))
        report = await index.acompact(strategy)
        assert [summary.outcome for summary in report.summaries] == ["written", "written"]
        assert stub.shown[1].startswith("<chat-summary>\nNumber 1.\n</chat-summary>")
        assert index.included_message_count == 5

    run(main())


def test_one_of_a_loop_that_is_gone_is_given_up() -> None:
    index, strategy = MessageIndex(turns(4)), prepared(Stub())
    run(index.acompact(strategy))
    index.extend(turns(3, first=4))
    report = run(index.acompact(strategy))
    assert [summary.outcome for summary in report.summaries] == ["written"]

"""The conversation goes on while the model writes."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from chatfold import (
    ChatfoldError,
    MessageIndex,
    SummarizationStrategy,
    SummaryOutdatedError,
    TruncationStrategy,
    _run,
    triggers,
)
from summarization.stubs import (
    Client,
    Failing,
    Message,
    Option,
    Stub,
    assistant,
    run,
    texts,
    tool_round,
    turns,
    user,
)


class Held:
    """An async callable that answers when it is let go."""

    def __init__(self, answer: str = "The gist.") -> None:
        self.answer = answer
        self.asked, self.free = asyncio.Event(), asyncio.Event()
        self.calls = self.most = self.inside = 0

    async def __call__(self, messages: list[Message]) -> str:
        del messages
        self.calls += 1
        self.inside += 1
        self.most = max(self.most, self.inside)
        self.asked.set()
        await self.free.wait()
        self.inside -= 1
        return self.answer


def test_messages_appended_while_the_model_writes_come_after_the_summary() -> None:
    history, later = turns(6), turns(1, first=6)

    async def main() -> MessageIndex:
        client, index = Held(), MessageIndex(history)
        task = asyncio.ensure_future(index.acompact(SummarizationStrategy(client=client)))
        await client.asked.wait()
        index.extend(later)
        client.free.set()
        await task
        return index

    index = run(main())
    assert index.included_messages() == [assistant("[Summary] The gist."), *history[-4:], *later]


def exclude_one(index: MessageIndex) -> None:
    index.exclude(index.included_groups[0], reason="mine")


def answer_late(index: MessageIndex) -> None:
    index.append({"role": "tool", "tool_call_id": "late", "content": "here I am"})


@pytest.mark.parametrize("change", [exclude_one, answer_late])
@pytest.mark.parametrize("on_failure", ["keep", "digest"])
def test_a_change_to_what_is_covered_makes_the_summary_be_refused(
    change: Callable[[MessageIndex], None], on_failure: Option
) -> None:
    call = {"id": "late", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    abandoned = {"role": "assistant", "content": None, "tool_calls": [call]}

    async def main() -> None:
        client, index = Held(), MessageIndex([user("go"), abandoned, *turns(6)])
        strategy = SummarizationStrategy(client=client, on_failure=on_failure)
        task = asyncio.ensure_future(index.acompact(strategy))
        await client.asked.wait()
        change(index)
        changed = index.included_messages()
        client.free.set()
        report = await task
        assert [summary.outcome for summary in report.summaries] == ["outdated"]
        assert isinstance(report.summaries[0].error, SummaryOutdatedError)
        assert index.included_messages() == changed

    run(main())


def test_calls_on_one_index_are_made_one_after_the_other() -> None:
    async def main() -> None:
        client, index = Held(), MessageIndex(turns(6))
        strategy = SummarizationStrategy(client=client)
        tasks = [asyncio.ensure_future(index.acompact(strategy)) for _ in range(5)]
        await client.asked.wait()
        await asyncio.sleep(0.01)
        client.free.set()
        reports = await asyncio.gather(*tasks)
        assert client.most == client.calls == 1
        assert sum(report.changed for report in reports) == 1

    run(main())


def test_one_that_waits_can_be_cancelled() -> None:
    async def main() -> None:
        client, index = Held(), MessageIndex(turns(6))
        strategy = SummarizationStrategy(client=client)
        first, second = (asyncio.ensure_future(index.acompact(strategy)) for _ in range(2))
        await client.asked.wait()
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        client.free.set()
        assert (await first).changed

    run(main())


def test_after_a_cancelled_call_the_next_one_goes_on() -> None:
    async def main() -> None:
        client, index = Held(), MessageIndex(turns(6))
        strategy = SummarizationStrategy(client=client)
        first, second = (asyncio.ensure_future(index.acompact(strategy)) for _ in range(2))
        await client.asked.wait()
        first.cancel()
        client.free.set()
        assert (await second).changed

    run(main())


def test_calls_of_other_threads_wait_too() -> None:
    index, reports, inside, most = MessageIndex(turns(6)), [], [0], [0]

    async def client(messages: list[Message]) -> str:
        del messages
        inside[0] += 1
        most[0] = max(most[0], inside[0])
        await asyncio.sleep(0.02)
        inside[0] -= 1
        return "The gist."

    strategy = SummarizationStrategy(client=client)
    threads = [
        threading.Thread(target=lambda: reports.append(asyncio.run(index.acompact(strategy))))
        for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(report.changed for report in reports) == 1
    assert most == [1]


def test_a_plain_call_is_refused_in_the_meantime() -> None:
    async def main() -> None:
        client, index = Held(), MessageIndex(turns(6))
        task = asyncio.ensure_future(index.acompact(SummarizationStrategy(client=client)))
        await client.asked.wait()
        with pytest.raises(ChatfoldError, match="wait for it first"):
            index.compact(TruncationStrategy(max_n=2))
        client.free.set()
        assert (await task).changed

    run(main())


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


def test_a_late_result_brings_back_what_was_summarized() -> None:
    history = [user("go"), tool_round(0, "")[0], *turns(6)]
    index = MessageIndex(history)
    run(index.acompact(SummarizationStrategy(client=Stub())))
    index.append(tool_round(0, "late")[1])
    assert index.included_messages() == [*history, tool_round(0, "late")[1]]


def test_one_whose_loop_is_gone_does_not_disturb_the_one_that_it_waited_for() -> None:
    index, begun = MessageIndex(turns(6)), threading.Event()

    async def client(messages: list[Message]) -> str:
        del messages
        begun.set()
        await asyncio.sleep(0.1)
        return "The gist."

    strategy = SummarizationStrategy(client=client)
    reports = []
    thread = threading.Thread(target=lambda: reports.append(run(index.acompact(strategy))))
    thread.start()
    begun.wait()

    async def impatient() -> None:
        async with asyncio.timeout(0.01):
            await index.acompact(strategy)

    with pytest.raises(TimeoutError):
        run(impatient())
    thread.join()
    assert [report.changed for report in reports] == [True]


def test_nothing_is_held_afterwards() -> None:
    index = MessageIndex(turns(6))
    run(index.acompact(SummarizationStrategy(client=Stub())))
    assert index.compact(TruncationStrategy(max_n=2)).changed
    assert id(index) not in _run._busy
    assert _run._queue == {}

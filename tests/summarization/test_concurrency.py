"""The conversation goes on while the model writes."""

import asyncio
import threading
from collections.abc import Callable

import pytest

from chatfold import (
    ChatfoldError,
    MessageIndex,
    SummarizationStrategy,
    SummaryOutdatedError,
    TruncationStrategy,
    _run,
)
from summarization.stubs import (
    Held,
    Message,
    Option,
    Stub,
    assistant,
    exclude_one,
    run,
    tool_round,
    turns,
    user,
)


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


def test_a_late_result_brings_its_call_back_and_leaves_the_rest_summarized() -> None:
    (call, result), talk = tool_round(0, "late"), turns(6)
    index = MessageIndex([user("go"), call, *talk])
    strategy = SummarizationStrategy(client=Stub())
    run(index.acompact(strategy))
    index.extend(turns(4, first=6))
    run(index.acompact(strategy))
    summary, *kept = index.included_messages()
    index.append(result)
    assert index.included_messages() == [summary, call, *kept, result]
    strategy = SummarizationStrategy(client=(later := Stub("All of it.")))
    assert run(index.acompact(strategy)).changed
    assert "late" in later.shown[0]
    assert index.included_messages()[0]["content"] == "[Summary] All of it."


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

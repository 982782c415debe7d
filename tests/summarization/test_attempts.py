"""What a breaker makes of attempts that are made at the same time, or given up."""

import asyncio

import pytest

from chatfold import MessageIndex, SummarizationStrategy, SummarizerPausedError
from chatfold.summarization import Breaker
from summarization.stubs import Clock, Failing, Held, Message, Stub, run, turns


@pytest.mark.parametrize("together", [3, 10])
def test_those_that_fail_at_the_same_time_open_it_for_no_longer(together: int) -> None:
    clock, client = Clock(), Failing()
    breaker = Breaker(cool_down=30, clock=clock)
    strategy = SummarizationStrategy(client=client, breaker=breaker)
    asked = asyncio.Event()

    async def held(messages: list[Message]) -> str:
        await asked.wait()
        return await client(messages)

    async def main() -> None:
        waiting = SummarizationStrategy(client=held, breaker=breaker)
        runs = [MessageIndex(turns(6)).acompact(waiting) for _ in range(together)]
        tasks = [asyncio.ensure_future(each) for each in runs]
        await asyncio.sleep(0.01)
        asked.set()
        await asyncio.gather(*tasks)
        assert client.calls == together
        clock.now += 31
        for outcome in ("failed", "paused"):
            report = await MessageIndex(turns(6)).acompact(strategy)
            assert report.summaries[0].outcome == outcome
        clock.now += 59
        with pytest.raises(SummarizerPausedError, match="4 summaries failed in a row"):
            breaker.check()
        clock.now += 2
        breaker.check()

    run(main())


def test_a_cancelled_attempt_after_a_cool_down_is_no_failure() -> None:
    clock, client = Clock(), Held()
    breaker = Breaker(failures=1, clock=clock)
    breaker.failed(RuntimeError())
    clock.now += 31

    async def main() -> None:
        index, strategy = (
            MessageIndex(turns(6)),
            SummarizationStrategy(client=client, breaker=breaker),
        )
        task = asyncio.ensure_future(index.acompact(strategy))
        await client.asked.wait()
        with pytest.raises(SummarizerPausedError, match="1 summary failed in a row"):
            breaker.check()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        client.free.set()
        assert (await index.acompact(strategy)).summaries[0].outcome == "written"
        assert not breaker.open

    run(main())


def test_who_failed_before_a_cancellation_has_failed() -> None:
    failing, held = Failing(), Held()
    breaker = Breaker(failures=1, clock=Clock())

    async def main() -> None:
        strategy = SummarizationStrategy(client=[failing, held], breaker=breaker)
        task = asyncio.ensure_future(MessageIndex(turns(6)).acompact(strategy))
        await held.asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert breaker.open

    run(main())


def test_an_error_of_the_tokenizer_is_no_failure_of_the_client() -> None:
    clock = Clock()
    breaker = Breaker(failures=1, clock=clock)
    breaker.failed(RuntimeError())
    clock.now += 31

    def count(text: str) -> int:
        if text.startswith("The gist"):
            raise ZeroDivisionError
        return len(text)

    strategy = SummarizationStrategy(client=Stub(), breaker=breaker)
    with pytest.raises(ZeroDivisionError):
        run(MessageIndex(turns(6), tokenizer=count).acompact(strategy))
    assert run(MessageIndex(turns(6)).acompact(strategy)).summaries[0].outcome == "written"

"""A client that takes no notice of its end is left to itself."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from chatfold import MessageIndex, SummarizationStrategy, SummaryResponse
from chatfold.summarization import waiting
from summarization.stubs import Message, Option, Stub, run, texts, turns


class Deaf:
    """A client that goes on when it is cancelled, until it is let go, and answers then."""

    def __init__(self, ending: Callable[[], Any]) -> None:
        self.ending = ending
        self.told_to_stop = 0
        self.asked, self.free, self.done = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def __call__(self, messages: list[Message]) -> Any:  # noqa: ANN401
        del messages
        self.asked.set()
        while not self.free.is_set():
            try:
                await self.free.wait()
            except asyncio.CancelledError:
                self.told_to_stop += 1
        self.done.set()
        return self.ending()


def fail() -> str:
    raise RuntimeError("late")


ENDINGS = [lambda: "Too late.", lambda: SummaryResponse("Too late.", "m", 9, 9), fail]


@pytest.fixture(autouse=True)
def short_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "GRACE", 0.001)


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("on_failure", ["keep", "digest"])
def test_its_late_answer_is_not_used(ending: Callable[[], Any], on_failure: Option) -> None:
    async def main() -> None:
        index, client = MessageIndex(turns(6)), Deaf(ending)
        strategy = SummarizationStrategy(client=client, timeout=0.01, on_failure=on_failure)
        report = await index.acompact(strategy)
        # It would have been waited for without end.
        assert client.told_to_stop == 1
        outcome = report.summaries[0]
        assert type(outcome.error).__name__ == "SummaryTimeoutError"
        assert outcome.outcome == ("timed out" if on_failure == "keep" else "digest")
        assert report.summary_usage[:3] == (1, 0, 0)
        after = index.included_messages()
        client.free.set()
        await client.done.wait()
        await asyncio.sleep(0)
        assert index.included_messages() == after
        assert not waiting._left_behind

    run(main())


def test_the_next_client_is_asked() -> None:
    async def main() -> None:
        index, client = MessageIndex(turns(6)), Deaf(fail)
        strategy = SummarizationStrategy(client=[client, Stub()], timeout=0.01)
        report = await index.acompact(strategy)
        assert texts(index)[0] == "[Summary] The gist."
        assert report.summary_usage.calls == 2
        client.free.set()
        await client.done.wait()

    run(main())


@pytest.mark.parametrize("timeout", [None, 60])
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_cancellation_does_not_wait_for_it(
    ending: Callable[[], Any], timeout: float | None
) -> None:
    async def main() -> None:
        index, client = MessageIndex(turns(6)), Deaf(ending)
        strategy = SummarizationStrategy(client=client, timeout=timeout)
        task = asyncio.ensure_future(index.acompact(strategy))
        await client.asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not client.done.is_set()
        assert index.included_messages() == turns(6)
        # Nothing is held.
        await index.acompact(SummarizationStrategy(client=Stub()))
        client.free.set()
        await client.done.wait()
        assert texts(index)[0] == "[Summary] The gist."

    run(main())


def test_one_that_answers_and_is_cancelled_at_the_same_moment_is_cancelled() -> None:
    async def main() -> None:
        index, client = MessageIndex(turns(6)), Deaf(lambda: "An answer.")
        task = asyncio.ensure_future(index.acompact(SummarizationStrategy(client=client)))
        await client.asked.wait()
        client.free.set()
        await client.done.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert index.included_messages() == turns(6)

    run(main())


def test_one_that_closes_what_it_opened_has_a_moment_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(waiting, "GRACE", 30)
    closed = []

    async def client(messages: list[Message]) -> str:
        del messages
        try:
            await asyncio.sleep(60)
        finally:
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(0.001)
            closed.append(True)
        return "too late"

    async def main() -> None:
        report = await MessageIndex(turns(6)).acompact(
            SummarizationStrategy(client=client, timeout=0.01)
        )
        assert closed == [True]
        assert report.summaries[0].outcome == "timed out"

    run(main())


def test_a_summary_prepared_by_one_is_given_up() -> None:
    async def main() -> None:
        index, client = MessageIndex(turns(6)), Deaf(lambda: "Too late.")
        strategy = SummarizationStrategy(
            client=[client],
            target_count=4,
            threshold=12,
            timeout=0.01,
            start_summary=lambda _: True,
        )
        await index.acompact(strategy)
        index.extend(turns(4, first=6))
        report = await index.acompact(strategy)
        assert [summary.outcome for summary in report.summaries] == ["timed out", "timed out"]
        client.free.set()
        await client.done.wait()

    run(main())


def test_a_client_that_is_no_coroutine_is_told_so() -> None:
    class Plain:
        def summarize(self, messages: list[Message], *, max_tokens: int) -> SummaryResponse:
            return SummaryResponse(f"{len(messages)} {max_tokens}")

    report = run(MessageIndex(turns(6)).acompact(SummarizationStrategy(client=Plain())))  # type: ignore[arg-type]
    assert report.summaries[0].outcome == "failed"
    assert isinstance(report.summaries[0].error, TypeError)

"""Several clients in order: who is asked when some of them fail again and again."""

import asyncio
from typing import Any

import pytest

from chatfold import ExtractiveSummarizer, MessageIndex, SummarizationStrategy
from chatfold.errors import SummarizerPausedError
from chatfold.summarization import Breaker
from summarization.stubs import Client, Failing, Message, Option, Stub, compacted, run, turns

MANY = turns(60)
SMALL: Option = {"max_summary_tokens": 60, "max_summary_input_tokens": 1_200}


class Unhashable(Stub):
    """A client that equals any other and has no hash."""

    __hash__ = None  # type: ignore[assignment]  # as a dataclass that can be compared

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unhashable)


def attempts(clients: list[Client], count: int, **options: Option) -> list[str]:
    strategy = SummarizationStrategy(client=clients, **options)
    reports = [run(MessageIndex(turns(6)).acompact(strategy)) for _ in range(count)]
    return [report.summaries[0].outcome for report in reports]


def test_one_that_fails_again_and_again_is_not_asked_before_its_fallback() -> None:
    dead = Failing()
    assert attempts([dead, ExtractiveSummarizer()], 6) == ["written"] * 6
    assert dead.calls == 3


def test_each_has_a_breaker_of_its_own() -> None:
    one, other = Failing(), Failing()
    outcomes = attempts([one, other], 5)
    assert outcomes == ["failed"] * 3 + ["paused"] * 2
    assert (one.calls, other.calls) == (3, 3)


def test_a_paused_one_does_not_hide_why_the_other_failed() -> None:
    failing = Failing(ValueError("bad"))
    breaker = Breaker(failures=1)
    breaker.failed(RuntimeError())
    with pytest.raises(ValueError, match="bad") as caught:
        compacted(turns(6), [Stub(), failing], breaker=breaker, on_failure="raise")
    assert "SummarizerPausedError" in caught.value.__notes__[0]
    with pytest.raises(SummarizerPausedError):
        compacted(turns(6), [Stub()], breaker=breaker, on_failure="raise")


def test_one_that_failed_is_asked_last_for_the_rest_of_a_summary() -> None:
    dead, stub = Failing(), Stub()
    _, report = compacted(MANY, [dead, stub], **SMALL)
    assert report.changed
    assert dead.calls == 1
    assert len(stub.seen) > 3


def test_one_attempt_after_a_cool_down_may_take_several_calls() -> None:
    minutes = 0.0
    breaker = Breaker(failures=1, cool_down=10, clock=lambda: minutes)
    breaker.failed(RuntimeError())
    minutes = 11
    stub = Stub()
    _, report = compacted(MANY, stub, breaker=breaker, **SMALL)
    assert [summary.outcome for summary in report.summaries][:1] == ["written"]
    assert len(stub.seen) > 3


def test_one_that_always_fails_in_the_middle_is_left_alone_as_well() -> None:
    asked = 0

    async def second_fails(messages: list[Message]) -> str:
        nonlocal asked
        del messages
        asked += 1
        if asked % 2 == 0:
            raise RuntimeError("boom")
        return "The gist."

    strategy = SummarizationStrategy(client=second_fails, **SMALL)
    for _ in range(6):
        run(MessageIndex(MANY).acompact(strategy))
    assert asked == 6


def test_an_answer_that_is_only_an_opening_is_none() -> None:
    stub = Stub("The gist.")
    _, report = compacted(turns(6), [Stub("[Summary] \n"), stub])
    assert report.changed
    assert len(stub.seen) == 1


def test_clients_are_told_apart_by_their_places() -> None:
    one, other = Unhashable(""), Unhashable()
    _, report = compacted(turns(6), [one, other])
    assert report.changed
    assert (len(one.seen), len(other.seen)) == (1, 1)


@pytest.mark.parametrize("instead", [None, RuntimeError("stopped")])
def test_a_cancellation_that_a_client_swallows_is_one_all_the_same(
    instead: Exception | None,
) -> None:
    asked = asyncio.Event()

    async def swallowing(messages: list[Message]) -> str:
        del messages
        asked.set()
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            if instead is not None:
                raise instead from None
        return "The gist."

    async def main() -> None:
        index, fallback = MessageIndex(turns(6)), Stub()
        strategy: Any = SummarizationStrategy(client=[swallowing, fallback], on_failure="digest")
        task = asyncio.ensure_future(index.acompact(strategy))
        await asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert index.included_messages() == turns(6)
        assert fallback.seen == []
        assert (await index.acompact(SummarizationStrategy(client=Stub()))).changed

    run(main())

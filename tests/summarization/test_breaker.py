"""After failures in a row nobody is asked for a while."""

import logging
import pickle
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from types import SimpleNamespace

import pytest

from chatfold import MessageIndex, SummarizationStrategy, SummarizerPausedError
from chatfold.summarization import Breaker
from chatfold.summarization.retry_after import retry_after
from summarization.stubs import (
    Clock,
    Failing,
    Option,
    Stub,
    run,
    texts,
    turns,
)


class Patient:
    """A strategy with a client that fails until told otherwise, and a clock of its own."""

    def __init__(self, **options: Option) -> None:
        self.clock, self.client = Clock(), Failing()
        self.breaker = Breaker(cool_down=30, longest=100, clock=self.clock)
        self.strategy = SummarizationStrategy(client=[self.client], breaker=self.breaker, **options)

    def attempt(self) -> str:
        report = run(MessageIndex(turns(6)).acompact(self.strategy))
        return report.summaries[0].outcome


def test_after_three_failures_nobody_is_asked() -> None:
    patient = Patient()
    assert [patient.attempt() for _ in range(6)] == ["failed"] * 3 + ["paused"] * 3
    assert patient.client.calls == 3


def test_it_says_so_once(caplog: pytest.LogCaptureFixture) -> None:
    patient = Patient()
    for _ in range(10):
        patient.attempt()
        patient.clock.now += 20
    warnings = [record for record in caplog.records if record.levelno == logging.WARNING]
    assert [record.getMessage() for record in warnings] == [
        "3 summaries failed in a row, the last one with RuntimeError; the next one is tried in 30 s"
    ]


def test_after_the_cool_down_one_attempt_is_made() -> None:
    patient = Patient()
    for _ in range(3):
        patient.attempt()
    patient.clock.now += 30.1
    assert [patient.attempt() for _ in range(2)] == ["failed", "paused"]


def test_each_cool_down_is_twice_as_long_up_to_the_longest() -> None:
    patient = Patient()
    for _ in range(3):
        patient.attempt()
    for pause in (30, 60, 100, 100):
        patient.clock.now += pause - 1
        assert patient.attempt() == "paused"
        patient.clock.now += 2
        assert patient.attempt() == "failed"


def test_a_success_closes_it() -> None:
    patient = Patient()
    for _ in range(3):
        patient.attempt()
    assert patient.breaker.open
    patient.clock.now += 31
    patient.strategy._attempts.writer.clients[0].client.function = Stub()  # type: ignore[attr-defined]
    assert patient.attempt() == "written"
    assert not patient.breaker.open


def test_failures_that_are_not_in_a_row_do_not_open_it() -> None:
    breaker = Breaker()
    for _ in range(5):
        breaker.failed(RuntimeError())
        breaker.failed(RuntimeError())
        breaker.succeeded()
    assert not breaker.open


def busy(header: object) -> Exception:
    error = RuntimeError("busy")
    error.response = type("Response", (), {"headers": {"retry-after": header}})  # type: ignore[attr-defined]
    return error


@pytest.mark.parametrize("failures", [1, 3])
def test_the_time_that_a_server_names_is_waited_for(failures: int) -> None:
    clock = Clock()
    breaker = Breaker(failures=failures, cool_down=30, clock=clock)
    breaker.failed(busy("90"))
    clock.now += 89
    with pytest.raises(SummarizerPausedError, match="is tried in 1 s"):
        breaker.check()
    clock.now += 2
    breaker.check()


def test_the_time_may_be_a_date() -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    assert 80 < retry_after(busy(date)) < 91


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after-ms": "2500"}, 2.5),
        ({"retry-after-ms": "2500", "retry-after": "3"}, 3.0),
        ({"retry-after-ms": "soon", "retry-after": "3"}, 3.0),
    ],
)
def test_the_time_may_be_in_milliseconds(headers: dict[str, str], seconds: float) -> None:
    error = RuntimeError("busy")
    error.response = SimpleNamespace(headers=headers)  # type: ignore[attr-defined]
    assert retry_after(error) == seconds


@pytest.mark.parametrize("header", [None, "", "soon", "-5", "nan", 3.5j, [], "Tue, 1 Jan 2019"])
def test_a_time_that_makes_no_sense_is_none(header: object) -> None:
    assert retry_after(busy(header)) == 0


def test_no_server_is_waited_for_longer_than_the_longest_cool_down() -> None:
    clock = Clock()
    breaker = Breaker(longest=100, clock=clock)
    breaker.failed(busy("inf"))
    clock.now += 101
    breaker.check()


def test_a_busy_server_is_left_alone_on_the_next_turn() -> None:
    patient = Patient()
    patient.client.error = busy("50")
    assert [patient.attempt() for _ in range(3)] == ["failed", "paused", "paused"]
    patient.clock.now += 51
    assert patient.attempt() == "failed"


@pytest.mark.parametrize("other", [Breaker.succeeded, lambda it: it.failed(RuntimeError("oops"))])
def test_what_comes_of_other_attempts_makes_no_server_be_asked_earlier(
    other: Callable[[Breaker], None],
) -> None:
    clock = Clock()
    breaker = Breaker(clock=clock)
    breaker.failed(busy("50"))
    other(breaker)
    clock.now += 49
    with pytest.raises(SummarizerPausedError, match=r"server is busy; .* in 1 s"):
        breaker.check()
    clock.now += 2
    breaker.check()


def test_the_error_says_how_long_and_why() -> None:
    patient = Patient(on_failure="raise")
    for _ in range(3):
        with pytest.raises(RuntimeError):
            patient.attempt()
    with pytest.raises(SummarizerPausedError, match="the next one is tried in 30 s") as caught:
        patient.attempt()
    assert caught.value.__cause__ is patient.client.error


def test_while_it_is_open_digests_are_written_on_demand() -> None:
    patient = Patient(on_failure="digest")
    index = MessageIndex(turns(6))
    outcomes = []
    for _ in range(5):
        index.extend(turns(4))
        outcomes.append(run(index.acompact(patient.strategy)).summaries[0].outcome)
    assert patient.client.calls == 3
    assert outcomes == ["digest"] * 5
    assert texts(index)[0].startswith("[Summary] Counted without a model: ")


def test_it_is_shared_between_indexes_and_strategies() -> None:
    breaker = Breaker(failures=1)
    run(MessageIndex(turns(6)).acompact(SummarizationStrategy(client=Failing(), breaker=breaker)))
    stub = Stub()
    run(MessageIndex(turns(6)).acompact(SummarizationStrategy(client=stub, breaker=breaker)))
    assert stub.seen == []


def test_a_pickled_one_starts_anew() -> None:
    breaker = Breaker(failures=1, cool_down=5)
    breaker.failed(RuntimeError())
    copy = pickle.loads(pickle.dumps(breaker))  # noqa: S301 (our own)
    assert (copy.open, repr(copy)) == (False, "Breaker(failures=1, cool_down=5)")

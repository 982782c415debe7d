"""Windows that are too small for nearly anything: what the report and the gauge say of them."""

import logging
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatfold import ContextWindow
from chatfold.summarization import SummaryResponse
from chatfold.window.budget import Budget
from summarization.stubs import Failing, run
from window.budgets import budgets
from window.day import turns
from window.test_prepare import chat, window

Message = dict[str, Any]


class Moody:
    """A summarizer that fails, says nothing, or says too much, as the dice fall."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)  # noqa: S311 (no secret)

    async def __call__(self, messages: list[Message]) -> str:
        del messages
        kind = self.dice.randrange(5)
        if kind == 0:
            raise RuntimeError("boom")
        return ("", "too much " * 500, "gist " * self.dice.randrange(1, 20), "The gist.")[kind - 1]


@pytest.mark.parametrize("messages", [[], chat(1)])
@pytest.mark.parametrize("beside", ["instructions", "tools"])
def test_a_window_that_is_full_before_any_message_has_missed(
    messages: list[Message], beside: str
) -> None:
    made = window(tokens=100, messages=messages)
    if beside == "instructions":
        made.set_instructions("x" * 404)
    else:
        made.set_tools([{"name": "x" * 404}])
    prepared = run(made.prepare())
    assert made.usage.tokens > 100
    assert not prepared.report.target_met
    assert str(prepared.report).endswith("(target missed)")


def test_a_missed_target_is_in_the_log_at_info(caplog: pytest.LogCaptureFixture) -> None:
    made = window(tokens=100, instructions="x" * 404, messages=chat(1))
    with caplog.at_level(logging.INFO, logger="chatfold"):
        report = run(made.prepare()).report
    assert not report.compaction.target_met
    told = [record for record in caplog.records if "target missed" in record.getMessage()]
    assert {(record.name, record.levelname) for record in told} == {("chatfold", "INFO")}
    assert told[-1].getMessage() == "2 messages for 0 tokens (target missed)"


def test_a_failed_summary_is_in_the_log_at_info(caplog: pytest.LogCaptureFixture) -> None:
    made = window(client=Failing(), messages=chat(13))
    with caplog.at_level(logging.INFO, logger="chatfold"):
        run(made.prepare())
    told = [record for record in caplog.records if "summary failed" in record.getMessage()]
    assert told
    assert {(record.name, record.levelname) for record in told} == {("chatfold", "INFO")}
    assert "(RuntimeError: boom)" in told[-1].getMessage()


def test_instructions_that_just_fit_are_no_miss() -> None:
    made = window(tokens=100, instructions="x" * 400)
    assert run(made.prepare()).report.target_met


def test_headroom_counts_as_taken() -> None:
    made = window(tokens=100, config={"reserveRatio": 1}, instructions="x")
    assert not run(made.prepare()).report.target_met
    assert run(window(tokens=100, config={"reserveRatio": 1}).prepare()).report.target_met


def test_nothing_goes_where_only_what_stays_is_left() -> None:
    """What opens as a summary and was asked last stays, so that nothing else could go."""
    pasted = [
        {"role": "user", "content": "[Summary] of my own ".ljust(200, ".")},
        {"role": "assistant", "content": "Thanks".ljust(200, ".")},
    ]
    made = window(tokens=100, messages=[*chat(3), *pasted])
    old = list(made.index.groups)[:2]
    assert made.index.replace(old, "[Summary] " + "gist " * 15, reason="summary") is not None
    first = run(made.prepare())
    before = made.index.version
    second = run(made.prepare())
    assert made.index.version == before
    assert second.messages == first.messages
    assert (second.report.changed, second.report.compaction.first_changed) == (False, None)
    assert second.report.compaction.before == second.report.compaction.after


@given(
    st.integers(1, 6),
    st.integers(0, 2**16),
    st.sampled_from([1, 5, 50, 300, 1_000]),
    st.sampled_from([0, 0.05, 0.9, 1]),
    st.booleans(),
)
def test_the_report_and_the_gauge_say_what_is_so(
    number: int,
    seed: int,
    limit: int,
    headroom: float,
    summaries: bool,  # noqa: FBT001
) -> None:
    dice = random.Random(seed)  # noqa: S311 (no secret)
    config = {
        "reserveRatio": headroom,
        "contextPruning": {"enabled": dice.random() < 0.5, "minPrunableToolChars": 0},
    }

    async def live() -> None:
        made = ContextWindow(
            config,
            max_context_tokens=limit,
            summarizer=Moody(seed) if summaries else None,
            instructions="x" * dice.choice([0, 30, 300]),
            tools=dice.choice([[], [{"name": "search"}]]),
        )
        sent: list[Message] = []
        for step in (step for turn in turns(number, seed) for step in turn):
            made.extend(step)
            seen = made.index.included_messages()
            prepared = await made.prepare()
            report, usage = prepared.report, made.usage
            written = report.summary is not None and report.summary.outcome == "written"
            # A new summary with the same words stands for more.
            assert report.changed == (prepared.messages != seen or (written and report.changed))
            assert report.target_met == (usage.tokens <= limit - usage.reserved)
            parts = (usage.baseline, usage.instructions, usage.tools, usage.messages)
            assert min(parts) >= 0
            assert sum(parts) == usage.tokens
            sent = prepared.messages
            if dice.random() < 0.5:
                made.record_usage(input_tokens=dice.randrange(2_000))
        assert sent

    run(live())


@given(budgets(), st.integers(0, 3_000))
def test_room_is_what_the_gauge_would_let_pass(budget: Budget, messages: int) -> None:
    fits = budget.in_use(messages) <= budget.limit
    assert fits == (budget.holds_fixed and messages <= budget.room)


@pytest.mark.parametrize(
    ("tokens", "wanted", "allowed"),
    [(1_000, None, 250), (1_000, 4_096, 250), (1_000, 20, 20), (100_000, None, 2_000)],
)
def test_a_summary_leaves_three_quarters_of_the_room(
    tokens: int, wanted: int | None, allowed: int
) -> None:
    sizes = []

    class Summarizer:
        async def summarize(
            self, messages: list[dict[str, str]], *, max_tokens: int
        ) -> SummaryResponse:
            del messages
            sizes.append(max_tokens)
            return SummaryResponse("The gist.")

    config = {"reserveRatio": 0, "maxSummaryTokens": wanted}
    made = window(tokens, client=Summarizer(), messages=chat(tokens // 90), config=config)
    run(made.prepare())
    assert set(sizes) == {allowed}

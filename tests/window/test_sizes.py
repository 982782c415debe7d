"""Summaries fit a window whose room changes: instructions, tools and the calibration do that."""

from typing import Any

import pytest

from chatfold import ContextWindow
from summarization.stubs import Failing, Stub, run
from window.test_prepare import chat, contents, window

Message = dict[str, Any]

LONG = "gist " * 2_000


def summarized(client: Any, **options: Any) -> ContextWindow:  # noqa: ANN401
    """Make a window of 1,000 tokens with a summary of 250, a question and an answer of 50 each."""
    config = {"reserveRatio": 0, "retainRecent": {"turns": 1}, **options}
    made = window(client=client, messages=chat(11), config=config)
    assert run(made.prepare()).report.target_met
    assert 225 < made.usage.baseline <= 250
    return made


def fill(made: ContextWindow, beside: str, tokens: int) -> None:
    if beside == "instructions":
        made.set_instructions("x" * 4 * tokens)
    elif beside == "tools":
        made.set_tools(["x" * (4 * tokens - 2)])
    else:
        # The provider counts twice as much, which is as far as it goes.
        for _ in range(20):
            made.record_usage(input_tokens=10**6)
        made.set_instructions("x" * tokens)


@pytest.mark.parametrize("beside", ["instructions", "tools"])
def test_the_next_summary_is_made_for_the_room_that_is_left(beside: str) -> None:
    made = summarized(Stub(LONG))
    fill(made, beside, 600)
    made.extend(chat(4, start=11))
    prepared = run(made.prepare())
    assert prepared.report.target_met
    assert 80 < made.usage.baseline <= 100
    # And larger again, where there is more.
    fill(made, beside, 1)
    made.extend(chat(11, start=15))
    assert run(made.prepare()).report.target_met
    assert 225 < made.usage.baseline <= 250


@pytest.mark.parametrize("beside", ["instructions", "tools", "calibration"])
@pytest.mark.parametrize("trigger", [None, {"type": "messages_to_refine", "value": 1_000}])
def test_a_summary_that_is_too_large_now_is_summarized_where_nothing_else_can_go(
    beside: str, trigger: object
) -> None:
    client = Stub(LONG)
    made = summarized(client, trigger=trigger) if trigger is None else adopted(client, trigger)
    before = contents(made.index.included_messages())
    fill(made, beside, 750)
    prepared = run(made.prepare())
    assert prepared.report.summary is not None
    assert prepared.report.summary.outcome == "written"
    assert prepared.report.target_met
    sent = contents(prepared.messages)
    assert sent[1:] == before[1:]
    assert len(sent[0]) < len(before[0])
    # The old one is what the new one is about.
    assert "gist gist" in client.shown[-1]
    again = run(made.prepare())
    assert (again.report.changed, again.report.summary) == (False, None)


def adopted(client: Any, trigger: object) -> ContextWindow:  # noqa: ANN401
    """Make such a window from a list in which somebody else put the summary."""
    summary = {"role": "assistant", "content": "[Summary] " + "gist " * 190}
    config = {"reserveRatio": 0, "trigger": trigger}
    made = window(client=client, messages=[summary, *chat(1)], config=config)
    assert not run(made.prepare()).report.changed
    return made


def test_nobody_is_asked_while_it_fits() -> None:
    client = Stub(LONG)
    made = summarized(client)
    fill(made, "tools", 600)
    prepared = run(made.prepare())
    assert prepared.report.target_met
    assert made.usage.baseline > 100
    assert len(client.seen) == 1


def test_a_summarizer_that_fails_then_leaves_a_window_that_says_it_is_missed() -> None:
    made = adopted(Failing(), None)
    fill(made, "instructions", 750)
    reports = [run(made.prepare()).report for _ in range(20)]
    assert not any(report.target_met or report.changed for report in reports)
    assert 3 < sum(report.summary is not None for report in reports) < 10


def test_without_room_for_any_summary_the_one_that_is_there_stays() -> None:
    made = summarized(Stub(LONG))
    before = made.index.included_messages()
    fill(made, "tools", 1_001)
    for _ in range(3):
        prepared = run(made.prepare())
        assert prepared.messages == before
        assert not prepared.report.target_met

"""Whether a run met its targets is judged by what it came to."""

from chatfold import (
    ContextWindowCompactionStrategy,
    MessageIndex,
    PipelineCompactionStrategy,
    ToolResultCompactionStrategy,
    TruncationStrategy,
    triggers,
)
from talk import talk

GENTLE = ToolResultCompactionStrategy(trigger=triggers.messages_exceed(4))
HARD = TruncationStrategy(max_n=3)


def test_a_later_strategy_may_meet_the_target_of_an_earlier_one() -> None:
    report = MessageIndex(talk(20)).compact(PipelineCompactionStrategy(GENTLE, HARD))
    assert [step.target_met for step in report.steps] == [False, True]
    assert report.target_met
    assert "missed" not in str(report)


def test_a_target_that_nothing_meets_is_missed() -> None:
    hard = TruncationStrategy(max_n=10, compact_to=10)
    report = MessageIndex(talk(20)).compact(PipelineCompactionStrategy(GENTLE, hard))
    assert [step.target_met for step in report.steps] == [False, True]
    assert not report.target_met
    assert str(report).endswith("target missed")


def test_a_context_window_that_is_kept_is_met() -> None:
    window = ContextWindowCompactionStrategy(max_context_window_tokens=100, max_output_tokens=20)
    index = MessageIndex(talk(200))
    report = index.compact(window)
    assert not report.steps[0].target_met
    assert index.included_token_count <= window.input_budget / 2
    assert report.target_met

"""Tool results fade as long as the day lasts, by their age in what is still sent."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatfold import (
    ContextPruningStrategy,
    ContextWindow,
    MessageIndex,
    OversizeClampingStrategy,
    PipelineCompactionStrategy,
)
from chatfold.window.fading import Fading
from summarization.stubs import run
from window.day import CONFIG, Scripted, turns, window_of
from window.test_pruning import PRUNING, looked_up

HOURS, TURNS_AN_HOUR = 4, 100


@pytest.mark.parametrize("enabled", [True, False], ids=["summarizing", "dropping"])
def test_results_fade_in_every_hour_of_the_day(enabled: bool) -> None:  # noqa: FBT001
    window = window_of(Scripted(), config={**CONFIG, "enabled": enabled})
    pruned = [0] * HOURS
    for number, steps in enumerate(turns(HOURS * TURNS_AN_HOUR, seed=7)):
        for step in steps[:-1]:
            window.extend(step)
            pruned[number // TURNS_AN_HOUR] += run(window.prepare()).report.pruned
        window.extend(steps[-1])
    assert min(pruned) > TURNS_AN_HOUR / 10
    assert min(pruned) > max(pruned) / 3


@given(st.integers(1, 12), st.integers(0, 40), st.sampled_from([0.07, 0.29, 0.3, 0.5, 0.57, 1]))
def test_a_list_fades_as_if_nothing_had_come_before_it(kept: int, gone: int, ratio: float) -> None:
    pruning = ContextPruningStrategy(
        keep_last_assistants=0,
        min_prunable_tool_chars=100,
        soft_trim_ratio=ratio / 2,
        hard_clear_ratio=ratio,
    )
    alone = MessageIndex(looked_up(kept))
    behind = MessageIndex(looked_up(gone) + looked_up(kept))
    for group in list(behind.groups)[: 3 * gone]:
        behind.exclude(group, reason="old")
    Fading(pruning).prune(alone)
    Fading(pruning).prune(behind)
    texts = [each["content"] for each in alone.included_messages()]
    assert [each["content"] for each in behind.included_messages()] == texts


@pytest.mark.parametrize("nested", [False, True])
def test_results_are_clamped_and_fade_in_a_pipeline_all_day(*, nested: bool) -> None:
    clamping = OversizeClampingStrategy(max_context_window_tokens=300)
    pruning = ContextPruningStrategy(keep_last_assistants=0, min_prunable_tool_chars=100)
    pipeline = PipelineCompactionStrategy(clamping, pruning)
    made = PipelineCompactionStrategy(pipeline) if nested else pipeline
    window = ContextWindow(max_context_tokens=1_000, pruning=made)
    window.extend(looked_up(60))
    run(window.prepare())
    for turn in range(60, 70):
        window.extend(looked_up(turn + 1)[-4:])
        prepared = run(window.prepare())
        results = [each["content"] for each in prepared.messages if each["role"] == "tool"]
        assert prepared.report.target_met
        # The newest is only clamped, to a quarter of its window; the oldest is cleared.
        assert 250 < len(results[-1]) <= 300 < len("row 60\n") * 60
        assert results[0] == "[Old tool result content cleared]"


def test_promise_7_nothing_fades_when_nothing_new_came() -> None:
    config = {**CONFIG, "contextPruning": PRUNING}
    window = ContextWindow(config, max_context_tokens=3_000, summarizer=Scripted(60))
    messages = looked_up(60)
    for start in range(0, len(messages), 4):
        window.extend(messages[start : start + 4])
        first = run(window.prepare())
        again = run(window.prepare())
        assert not again.report.changed
        assert again.messages == first.messages


def test_utilisation_stays_a_share_of_the_window() -> None:
    pruning = ContextPruningStrategy(
        basis="utilisation",
        max_context_tokens=10**6,
        keep_last_assistants=0,
        min_prunable_tool_chars=0,
    )
    window = ContextWindow(max_context_tokens=2_000, pruning=pruning)
    window.extend(looked_up(60))
    prepared = run(window.prepare())
    assert prepared.report.dropped > 0
    assert prepared.report.pruned == 0

"""A strategy shows every option that it was made with."""

import copy
import pickle

import pytest

from chatfold import (
    ContextPruningStrategy,
    ContextWindowCompactionStrategy,
    MessageIndex,
    ObservationMaskingStrategy,
    PipelineCompactionStrategy,
    SelectiveToolCallCompactionStrategy,
    SlidingWindowStrategy,
    SoftTrim,
    TokenBudgetComposedStrategy,
    ToolResult,
    ToolResultCompactionStrategy,
    TruncationStrategy,
    triggers,
)


def own(_index: MessageIndex) -> bool:
    return False


def write(_results: list[ToolResult]) -> str:
    return "[Tool results: none]"


CASES = {
    "ToolResultCompactionStrategy(max_chars=160)": ToolResultCompactionStrategy(max_chars=160),
    "ToolResultCompactionStrategy(style='names', formatter=write)": ToolResultCompactionStrategy(
        style="names", formatter=write
    ),
    "TruncationStrategy(max_n=9, tokenizer='o200k_base', preserve_system=False)": (
        TruncationStrategy(max_n=9, tokenizer="o200k_base", preserve_system=False)
    ),
    "TruncationStrategy(trigger=own, minimum_preserved=3)": TruncationStrategy(
        trigger=own, minimum_preserved=3
    ),
    "SlidingWindowStrategy(keep_last_turns=2, preserve_last_user_group=False)": (
        SlidingWindowStrategy(keep_last_turns=2, preserve_last_user_group=False)
    ),
    "SelectiveToolCallCompactionStrategy()": SelectiveToolCallCompactionStrategy(),
    "SelectiveToolCallCompactionStrategy(minimum_preserved=2)": (
        SelectiveToolCallCompactionStrategy(minimum_preserved=2)
    ),
    f"ContextPruningStrategy(soft_trim={SoftTrim(500, 100, 100)!r}, unit='tokens')": (
        ContextPruningStrategy(soft_trim=SoftTrim(500, 100, 100), unit="tokens")
    ),
    "ObservationMaskingStrategy(min_chars=80)": ObservationMaskingStrategy(min_chars=80),
    "ContextWindowCompactionStrategy(max_context_window_tokens=9, max_output_tokens=1, "
    "truncation_threshold=0.9)": ContextWindowCompactionStrategy(
        max_context_window_tokens=9, max_output_tokens=1, truncation_threshold=0.9
    ),
    "TokenBudgetComposedStrategy(token_budget=9, "
    "strategies=[own, SlidingWindowStrategy(keep_last_turns=1)], early_stop=False)": (
        TokenBudgetComposedStrategy(
            token_budget=9,
            strategies=[own, SlidingWindowStrategy(keep_last_turns=1)],
            early_stop=False,
        )
    ),
    "PipelineCompactionStrategy(own, SlidingWindowStrategy(keep_last_groups=1))": (
        PipelineCompactionStrategy(own, SlidingWindowStrategy(keep_last_groups=1))
    ),
}


@pytest.mark.parametrize(("shown", "strategy"), CASES.items(), ids=CASES)
def test_it_shows_every_option_that_was_given(
    shown: str, strategy: PipelineCompactionStrategy
) -> None:
    assert repr(strategy) == shown
    assert repr(copy.deepcopy(strategy)) == shown
    assert repr(pickle.loads(pickle.dumps(strategy))) == shown  # noqa: S301 (our own)


def test_a_trigger_is_shown_as_it_shows_itself() -> None:
    trigger = triggers.tokens_exceed(10) & triggers.has_tool_calls()
    strategy = TruncationStrategy(trigger=trigger)
    assert repr(strategy) == f"TruncationStrategy(trigger={trigger!r})"

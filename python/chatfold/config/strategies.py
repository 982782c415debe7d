"""The strategies that a configuration describes."""

from chatfold import strategies
from chatfold.config.blocks import ContextPruning

_LEAST_RATIO = 1e-9
"""As good as 0: every result is older than that."""
_SHORTEST_TRIM = 64
"""Below it a marker does not fit."""


def pruning_strategy(pruning: ContextPruning) -> strategies.ContextPruningStrategy | None:
    """Make the strategy that lets old tool results fade; None where that is turned off."""
    if not pruning.enabled:
        return None
    trim, clear = pruning.soft_trim, pruning.hard_clear
    most = trim.max_chars and max(trim.max_chars, _SHORTEST_TRIM)
    return strategies.ContextPruningStrategy(
        keep_last_assistants=pruning.keep_last_assistants,
        soft_trim_ratio=max(pruning.soft_trim_ratio, _LEAST_RATIO),
        hard_clear_ratio=max(pruning.hard_clear_ratio, _LEAST_RATIO),
        min_prunable_tool_chars=pruning.min_prunable_tool_chars,
        soft_trim=strategies.SoftTrim(most, trim.head_chars, trim.tail_chars),
        hard_clear=strategies.HardClear(clear.enabled, clear.placeholder),
    )

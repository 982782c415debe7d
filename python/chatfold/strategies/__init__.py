"""Strategies: what to exclude or replace, and when.

Each has a trigger (nothing happens unless it is true) and a target (it stops as soon as that is
true; by default, once the trigger no longer is). It removes whole groups, oldest first, and never
touches system messages, the newest group, a call that waits for its result, or, where it says so,
the last user message.

A strategy of your own is any plain or ``async`` callable that takes the index, changes what is
included with ``exclude``, ``replace`` and ``restore``, and says whether it changed anything.
"""

from chatfold.strategies.base import Strategy, StrategyLike, as_strategy
from chatfold.strategies.composed import (
    ContextWindowCompactionStrategy,
    PipelineCompactionStrategy,
    TokenBudgetComposedStrategy,
)
from chatfold.strategies.context_pruning import (
    ContextPruningStrategy,
    HardClear,
    PruningLimits,
    SoftTrim,
)
from chatfold.strategies.observation_masking import ObservationMaskingStrategy
from chatfold.strategies.oversize_clamping import OversizeClampingStrategy
from chatfold.strategies.sliding_window import SlidingWindowStrategy
from chatfold.strategies.tool_calls import (
    SelectiveToolCallCompactionStrategy,
    ToolResult,
    ToolResultCompactionStrategy,
)
from chatfold.strategies.truncation import TruncationStrategy

__all__ = [
    "ContextPruningStrategy",
    "ContextWindowCompactionStrategy",
    "HardClear",
    "ObservationMaskingStrategy",
    "OversizeClampingStrategy",
    "PipelineCompactionStrategy",
    "PruningLimits",
    "SelectiveToolCallCompactionStrategy",
    "SlidingWindowStrategy",
    "SoftTrim",
    "Strategy",
    "StrategyLike",
    "TokenBudgetComposedStrategy",
    "ToolResult",
    "ToolResultCompactionStrategy",
    "TruncationStrategy",
    "as_strategy",
]

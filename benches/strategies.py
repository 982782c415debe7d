"""The strategies that are measured, by name; each call makes a new one."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

import chatfold
from chatfold import MessageIndex, Strategy, triggers

ENCODING = "o200k_base"
BUDGET = 8_000
"""Tokens: what a history is cut to."""

EXACT: dict[str, Callable[[], Strategy]] = {
    "truncation to tokens": lambda: chatfold.TruncationStrategy(
        max_n=BUDGET, compact_to=BUDGET, tokenizer=ENCODING
    ),
    "window of tokens": lambda: chatfold.SlidingWindowStrategy(
        trigger=triggers.tokens_exceed(BUDGET), minimum_preserved=1
    ),
}
"""Those of one-off compaction to a number of exact tokens."""

_STRATEGIES: dict[str, Callable[[], Any]] = {
    **EXACT,
    "truncation to messages": lambda: chatfold.TruncationStrategy(max_n=100, compact_to=50),
    "window of groups": lambda: chatfold.SlidingWindowStrategy(keep_last_groups=50),
    "window of turns": lambda: chatfold.SlidingWindowStrategy(keep_last_turns=10),
    "selective removal": chatfold.SelectiveToolCallCompactionStrategy,
    "collapse to digests": chatfold.ToolResultCompactionStrategy,
    "collapse to names": lambda: chatfold.ToolResultCompactionStrategy(style="names"),
    "pruning": lambda: chatfold.ContextPruningStrategy(min_prunable_tool_chars=0),
    "masking": lambda: chatfold.ObservationMaskingStrategy(token_budget=BUDGET),
    "clamping": lambda: chatfold.OversizeClampingStrategy(
        max_context_window_tokens=BUDGET, max_share=0.01
    ),
    "pipeline": lambda: chatfold.PipelineCompactionStrategy(
        chatfold.ToolResultCompactionStrategy(),
        chatfold.TruncationStrategy(max_n=BUDGET, compact_to=BUDGET, tokenizer=ENCODING),
    ),
    "token budget": lambda: chatfold.TokenBudgetComposedStrategy(
        token_budget=BUDGET,
        strategies=[chatfold.ToolResultCompactionStrategy()],
        tokenizer=ENCODING,
    ),
    "context window": lambda: chatfold.ContextWindowCompactionStrategy(
        max_context_window_tokens=16_000, max_output_tokens=4_000, tokenizer=ENCODING
    ),
    "summary by a model": lambda: chatfold.SummarizationStrategy(client=_summarize),
}
_CLASSES = {
    "pruning": "ContextPruningStrategy",
    "masking": "ObservationMaskingStrategy",
    "clamping": "OversizeClampingStrategy",
    "summary by a model": "SummarizationStrategy",
}

NAMES = [name for name in _STRATEGIES if hasattr(chatfold, _CLASSES.get(name, "Strategy"))]
"""Names of the strategies that the installed version has."""

AGAINST_THE_INDEX = [
    name
    for name in ("selective removal", "collapse to digests", "pruning", "masking", "clamping")
    if name in NAMES
]
"""Those that are to take at most about as long as building the index."""


async def _summarize(_messages: list[dict[str, Any]]) -> str:
    """Stand for a model that answers at once."""
    return "The user asked about several things, and all of them were done."


def make(name: str) -> Strategy:
    """Make a strategy."""
    strategy: Strategy = _STRATEGIES[name]()
    return strategy


def runner(strategy: Strategy) -> Callable[[MessageIndex], object]:
    """Give what runs a strategy on an index; one that waits for a model gets a loop of its own."""
    if strategy.is_async:
        return partial(_awaited, strategy)
    return lambda index: index.compact(strategy)


def _awaited(strategy: Strategy, index: MessageIndex) -> object:
    return asyncio.run(index.acompact(strategy))

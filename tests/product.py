"""The product's own strategies, built from the descriptions that the twin runs."""

from collections.abc import Callable
from typing import Any

from chatfold import (
    ContextPruningStrategy,
    ContextWindowCompactionStrategy,
    HardClear,
    ObservationMaskingStrategy,
    OversizeClampingStrategy,
    PipelineCompactionStrategy,
    PruningLimits,
    SelectiveToolCallCompactionStrategy,
    SlidingWindowStrategy,
    SoftTrim,
    Strategy,
    TokenBudgetComposedStrategy,
    ToolResultCompactionStrategy,
    Trigger,
    TruncationStrategy,
    triggers,
)
from chatfold.tokenizers import TokenizerLike

Spec = dict[str, Any]

CLASSES: dict[str, Callable[..., Strategy]] = {
    "truncation": TruncationStrategy,
    "sliding_window": SlidingWindowStrategy,
    "selective_tool_call": SelectiveToolCallCompactionStrategy,
    "tool_result": ToolResultCompactionStrategy,
    "token_budget": TokenBudgetComposedStrategy,
    "context_window": ContextWindowCompactionStrategy,
    "context_pruning": ContextPruningStrategy,
    "observation_masking": ObservationMaskingStrategy,
    "oversize_clamping": OversizeClampingStrategy,
}


TRIGGERS: dict[str, Callable[..., Trigger]] = {
    "always": lambda: triggers.always,
    "never": lambda: triggers.never,
    "not": lambda inner: ~build_trigger(inner),
    "all_of": lambda inners: triggers.all_of(*map(build_trigger, inners)),
    "any_of": lambda inners: triggers.any_of(*map(build_trigger, inners)),
    "tokens_exceed": triggers.tokens_exceed,
    "tokens_below": triggers.tokens_below,
    "messages_exceed": triggers.messages_exceed,
    "turns_exceed": triggers.turns_exceed,
    "groups_exceed": triggers.groups_exceed,
    "bytes_exceed": triggers.bytes_exceed,
    "has_tool_calls": triggers.has_tool_calls,
}


def build_trigger(spec: list[Any]) -> Trigger:
    name, *arguments = spec
    return TRIGGERS[name](*arguments)


def pruning_options(spec: Spec) -> Spec:
    """Give limits of pruning as the product takes them."""
    options = dict(spec)
    if "soft_trim" in options:
        trim = options["soft_trim"]
        options["soft_trim"] = trim is not None and SoftTrim(*trim)
    if "placeholder" in options:
        text = options.pop("placeholder")
        options["hard_clear"] = (
            HardClear(enabled=False) if text is None else HardClear(placeholder=text)
        )
    if "tool_limits" in options:
        own = options["tool_limits"].items()
        options["tool_limits"] = {
            pattern: PruningLimits(**pruning_options(limits)) for pattern, limits in own
        }
    return options


def build_strategy(spec: Spec, tokenizer: TokenizerLike) -> Strategy:
    """Build a strategy; `tokens` in a truncation says that it has a tokenizer of its own."""
    options = dict(spec)
    kind = options.pop("kind")
    for name in ("trigger", "target"):
        if name in options:
            options[name] = build_trigger(options[name])
    if "strategies" in options:
        options["strategies"] = [build_strategy(each, tokenizer) for each in spec["strategies"]]
    if options.pop("tokens", False):
        options["tokenizer"] = tokenizer
    if kind == "context_pruning":
        options = pruning_options(options)
    if kind == "pipeline":
        return PipelineCompactionStrategy(*options["strategies"])
    return CLASSES[kind](**options)

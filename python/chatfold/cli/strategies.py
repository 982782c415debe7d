"""The strategies that the options of ``chatfold compact`` ask for."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import typer

from chatfold import (
    ContextWindowCompactionStrategy,
    OptionError,
    PipelineCompactionStrategy,
    SelectiveToolCallCompactionStrategy,
    SlidingWindowStrategy,
    Strategy,
    TokenBudgetComposedStrategy,
    ToolResultCompactionStrategy,
    TruncationStrategy,
)
from chatfold.tokenizers import Tokenizer


@dataclass(frozen=True, kw_only=True)
class Wishes:
    """What the options say.

    Attributes:
        order: The options that ask for a strategy, with their values, as they were given.
        to: Where a truncation stops.
        max_output: What the answer may take of the context window.
        digest_style: What a digest shows.
        digest_chars: The most characters of a digest.
        keep_first_user: Whether the first user message stays.
        tokenizer: What counts tokens.
    """

    order: Sequence[tuple[str, int]]
    to: int | None
    max_output: int
    digest_style: Literal["results", "names"]
    digest_chars: int
    keep_first_user: bool
    tokenizer: Tokenizer


def strategy_for(wishes: Wishes) -> Strategy:
    """Build one strategy; several run in the order of their options.

    Raises:
        typer.BadParameter: Options that don't go together; names one.
    """
    names = [name for name, _ in wishes.order]
    _check(wishes, names)
    steps = [_step(name, value, wishes) for name, value in wishes.order if name != "token_budget"]
    budget = dict(wishes.order).get("token_budget")
    if budget is not None:
        return TokenBudgetComposedStrategy(
            token_budget=budget, strategies=steps, tokenizer=wishes.tokenizer
        )
    return steps[0] if len(steps) == 1 else PipelineCompactionStrategy(*steps)


def _check(wishes: Wishes, names: list[str]) -> None:
    if not names:
        raise typer.BadParameter(
            "say what to do, with --max-tokens, --collapse-tool-results or another strategy"
        )
    truncations = {"max_tokens", "max_messages"}.intersection(names)
    if wishes.to is not None and len(truncations) != 1:
        raise typer.BadParameter(
            "it goes with one of --max-tokens and --max-messages", param_hint="'--to'"
        )
    if wishes.max_output and "context_window" not in names:
        raise typer.BadParameter("it goes with --context-window", param_hint="'--max-output'")
    if wishes.keep_first_user and not truncations | {"context_window"}.intersection(names):
        raise typer.BadParameter(
            "it goes with --max-tokens, --max-messages or --context-window",
            param_hint="'--keep-first-user'",
        )


def _step(name: str, value: int, wishes: Wishes) -> Strategy:
    match name:
        case "max_tokens" | "max_messages":
            return _truncation(name, value, wishes)
        case "collapse_tool_results":
            return ToolResultCompactionStrategy(
                keep_last_tool_call_groups=value,
                style=wishes.digest_style,
                max_chars=wishes.digest_chars,
            )
        case "remove_tool_calls":
            return SelectiveToolCallCompactionStrategy(keep_last_tool_call_groups=value)
        case "keep_last_groups":
            return SlidingWindowStrategy(keep_last_groups=value)
        case "keep_last_turns":
            return SlidingWindowStrategy(keep_last_turns=value)
        case _:
            return _context_window(value, wishes)


def _truncation(name: str, value: int, wishes: Wishes) -> Strategy:
    try:
        return TruncationStrategy(
            max_n=value,
            compact_to=wishes.to,
            tokenizer=wishes.tokenizer if name == "max_tokens" else None,
            preserve_first_user_group=wishes.keep_first_user,
        )
    except OptionError:
        option = f"--{name.replace('_', '-')}"
        raise typer.BadParameter(
            f"{wishes.to} is more than {option} {value}; it is at most as much",
            param_hint="'--to'",
        ) from None


def _context_window(value: int, wishes: Wishes) -> Strategy:
    try:
        return ContextWindowCompactionStrategy(
            max_context_window_tokens=value,
            max_output_tokens=wishes.max_output,
            tokenizer=wishes.tokenizer,
            preserve_first_user_group=wishes.keep_first_user,
        )
    except OptionError:
        raise typer.BadParameter(
            f"{wishes.max_output} leaves no room for the input in --context-window {value}",
            param_hint="'--max-output'",
        ) from None

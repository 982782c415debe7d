"""A wrong option is named with its value when the strategy is made."""

import asyncio
import re
from collections.abc import Callable
from typing import Any, cast

import pytest

from chatfold import (
    ChatfoldError,
    ContextWindowCompactionStrategy,
    MessageIndex,
    OptionError,
    OptionTypeError,
    PipelineCompactionStrategy,
    SelectiveToolCallCompactionStrategy,
    SlidingWindowStrategy,
    TokenBudgetComposedStrategy,
    TokenizerMismatchError,
    ToolResultCompactionStrategy,
    TruncationStrategy,
    triggers,
)

Options = dict[str, object]
always = triggers.always

WRONG_VALUES: list[tuple[Callable[..., object], Options, str]] = [
    (TruncationStrategy, {}, "max_n and trigger were both left out"),
    (TruncationStrategy, {"max_n": 0}, "max_n is 0"),
    (TruncationStrategy, {"max_n": -5}, "max_n is -5"),
    (TruncationStrategy, {"max_n": 2**70}, f"max_n is {2**70}"),
    (TruncationStrategy, {"max_n": 5, "compact_to": 0}, "compact_to is 0"),
    (TruncationStrategy, {"max_n": 5, "compact_to": 6}, "compact_to is 6 and max_n 5"),
    (TruncationStrategy, {"max_n": 5, "minimum_preserved": 0}, "minimum_preserved is 0"),
    (TruncationStrategy, {"max_n": 5, "trigger": always}, "max_n and trigger were both given"),
    (TruncationStrategy, {"max_n": 5, "target": always}, "max_n and target were both given"),
    (
        TruncationStrategy,
        {"compact_to": 5, "trigger": always},
        "compact_to and trigger were both given",
    ),
    (TruncationStrategy, {"max_n": 5, "tokenizer": "o900k"}, "'o900k'"),
    (SlidingWindowStrategy, {}, "keep_last_groups and keep_last_turns were both left out"),
    (SlidingWindowStrategy, {"keep_last_turns": 0}, "keep_last_turns is 0"),
    (SlidingWindowStrategy, {"keep_last_groups": -1}, "keep_last_groups is -1"),
    (
        SlidingWindowStrategy,
        {"keep_last_groups": 1, "keep_last_turns": 1},
        "keep_last_groups and keep_last_turns were both given",
    ),
    (
        SelectiveToolCallCompactionStrategy,
        {"keep_last_tool_call_groups": -1},
        "keep_last_tool_call_groups is -1",
    ),
    (ToolResultCompactionStrategy, {"max_chars": 10}, "max_chars is 10"),
    (ToolResultCompactionStrategy, {"style": "prose"}, "style is 'prose'"),
    (
        ToolResultCompactionStrategy,
        {"keep_last_tool_call_groups": 1, "minimum_preserved": 1},
        "keep_last_tool_call_groups and minimum_preserved were both given",
    ),
    (TokenBudgetComposedStrategy, {"token_budget": 0}, "token_budget is 0"),
    (
        TokenBudgetComposedStrategy,
        {"token_budget": 5, "compact_to": 6},
        "compact_to is 6 and token_budget 5; compact_to is at most token_budget",
    ),
    (TokenBudgetComposedStrategy, {"token_budget": 5, "compact_to": 0}, "compact_to is 0"),
    (
        ContextWindowCompactionStrategy,
        {"max_context_window_tokens": 0, "max_output_tokens": 0},
        "max_context_window_tokens is 0",
    ),
    (
        ContextWindowCompactionStrategy,
        {"max_context_window_tokens": 10, "max_output_tokens": 10},
        "max_output_tokens is 10 and max_context_window_tokens 10",
    ),
    (
        ContextWindowCompactionStrategy,
        {
            "max_context_window_tokens": 10,
            "max_output_tokens": 1,
            "tool_eviction_threshold": 0.9,
            "truncation_threshold": 0.5,
        },
        "truncation_threshold is 0.5 and tool_eviction_threshold 0.9",
    ),
    (
        ContextWindowCompactionStrategy,
        {"max_context_window_tokens": 10, "max_output_tokens": 1, "truncation_threshold": 1.5},
        "truncation_threshold is 1.5",
    ),
    (triggers.tokens_exceed, {"n": -1}, "n of tokens_exceed is -1"),
    (triggers.tokens_below, {"n": -1}, "n of tokens_below is -1"),
    (triggers.messages_exceed, {"n": -1}, "n of messages_exceed is -1"),
    (triggers.bytes_exceed, {"n": 2**64}, f"n of bytes_exceed is {2**64}"),
]

WRONG_TYPES: list[tuple[Callable[..., object], Options, str]] = [
    (TruncationStrategy, {"max_n": "5"}, "max_n is '5'"),
    (TruncationStrategy, {"max_n": 5.0}, "max_n is 5.0"),
    (TruncationStrategy, {"max_n": True}, "max_n is True"),
    (TruncationStrategy, {"max_n": 5, "preserve_system": 1}, "preserve_system is 1"),
    (TruncationStrategy, {"max_n": 5, "tokenizer": 5}, "tokenizer is 5"),
    (TruncationStrategy, {"trigger": "tokens"}, "trigger is 'tokens'"),
    (TruncationStrategy, {"trigger": always, "target": 5}, "target is 5"),
    (TruncationStrategy, {"trigger": bool}, "trigger is <class 'bool'>"),
    (SlidingWindowStrategy, {"keep_last_turns": "all"}, "keep_last_turns is 'all'"),
    (ToolResultCompactionStrategy, {"formatter": "{name}"}, "formatter is '{name}'"),
    (TokenBudgetComposedStrategy, {"token_budget": None}, "token_budget is None"),
    (
        TokenBudgetComposedStrategy,
        {"token_budget": 5, "strategies": "all"},
        "strategies is 'all'",
    ),
    (TokenBudgetComposedStrategy, {"token_budget": 5, "strategies": [5]}, r"strategies\[0\] is 5"),
    (
        ContextWindowCompactionStrategy,
        {"max_context_window_tokens": 10, "max_output_tokens": 1, "truncation_threshold": "1"},
        "truncation_threshold is '1'",
    ),
    (triggers.turns_exceed, {"n": "5"}, "n of turns_exceed is '5'"),
    (triggers.all_of, {}, r"all_of\(\) got no trigger"),
]


@pytest.mark.parametrize(("make", "options", "words"), WRONG_VALUES)
def test_a_wrong_value_is_named(make: Callable[..., object], options: Options, words: str) -> None:
    with pytest.raises(OptionError, match=words) as caught:
        make(**options)
    assert isinstance(caught.value, ChatfoldError)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(("make", "options", "words"), WRONG_TYPES)
def test_a_wrong_type_is_named(make: Callable[..., object], options: Options, words: str) -> None:
    with pytest.raises(OptionTypeError, match=words) as caught:
        make(**options)
    assert isinstance(caught.value, ChatfoldError)
    assert isinstance(caught.value, TypeError)


@pytest.mark.parametrize(
    "make", [TruncationStrategy, SlidingWindowStrategy, ToolResultCompactionStrategy]
)
def test_options_are_given_by_name_only(make: Callable[..., object]) -> None:
    with pytest.raises(TypeError, match="positional"):
        make(5)


def test_an_argument_that_is_no_strategy_is_named_by_its_place() -> None:
    good = TruncationStrategy(max_n=5)
    with pytest.raises(OptionTypeError, match="argument 1 of PipelineCompactionStrategy is 5"):
        PipelineCompactionStrategy(good, 5)  # type: ignore[arg-type]


def test_two_tokenizers_in_one_composition_are_both_named() -> None:
    one = TruncationStrategy(max_n=5, tokenizer="o200k_base")
    other = TruncationStrategy(max_n=5, tokenizer="cl100k_base")
    with pytest.raises(TokenizerMismatchError, match=r"'o200k_base'.*'cl100k_base'"):
        PipelineCompactionStrategy(one, other)
    with pytest.raises(TokenizerMismatchError, match=r"'o200k_base'.*'cl100k_base'"):
        TokenBudgetComposedStrategy(token_budget=5, strategies=[other], tokenizer="o200k_base")


@pytest.mark.parametrize("outcome", [[], "yes", 1, ()])
def test_a_strategy_that_returns_something_else_is_refused_and_undone(outcome: object) -> None:
    messages = [{"role": "user", "content": "Hello"}] * 4
    index = MessageIndex(messages)

    def shorten(index: MessageIndex) -> object:
        index.exclude(index.groups[0], reason="old")
        return outcome

    told = f"strategy shorten returned a {type(outcome).__name__}; a strategy changes the index"
    with pytest.raises(OptionTypeError, match=re.escape(told)):
        index.compact(cast("Any", shorten))
    with pytest.raises(OptionTypeError, match=re.escape(told)):
        asyncio.run(index.acompact(cast("Any", shorten)))
    assert index.included_messages() == messages


@pytest.mark.parametrize(
    "number", [2**63, 10**20, 10**5_000], ids=lambda number: number.bit_length()
)
def test_a_number_that_is_too_large_is_told_the_limit(number: int) -> None:
    with pytest.raises(OptionError, match=r"^max_n is .*; pass a whole number of at most 9223372"):
        TruncationStrategy(max_n=number)
    with pytest.raises(
        OptionError,
        match=r"^n of tokens_exceed is .*; pass a whole number of at most 9223372036854",
    ):
        triggers.tokens_exceed(number)

"""Strategies made of strategies."""

from collections.abc import Sequence

from chatfold import _core
from chatfold._options import flag, integer, ratio, sequence, small
from chatfold._types import Callables
from chatfold.errors import OptionError
from chatfold.strategies.base import (
    Strategy,
    StrategyLike,
    as_strategy,
    common_tokenizer,
)
from chatfold.tokenizers import TokenizerLike, resolve
from chatfold.triggers import tokens_exceed


class PipelineCompactionStrategy(Strategy):
    """Runs strategies in order; each asks its own trigger.

    Args:
        strategies: Strategies, or plain or async callables that take the index.

    Raises:
        OptionTypeError: Something that is no strategy.
        TokenizerMismatchError: Two strategies with different tokenizers; names both.
    """

    def __init__(self, *strategies: StrategyLike) -> None:
        """Check the strategies."""
        self.strategies = _each("argument {} of PipelineCompactionStrategy", strategies)
        tokenizer = common_tokenizer(None, self.name, self.strategies)
        native = _core.Strategy.pipeline([each._native for each in self.strategies])
        self._set(native, _callables(self.strategies), tokenizer)


class TokenBudgetComposedStrategy(Strategy):
    """Meets a token budget: runs strategies in order, then excludes the oldest groups.

    Does nothing while the history is within the budget.

    Args:
        token_budget: The most tokens that may be included.
        compact_to: How many tokens are left where there were more, so that not every turn has to
            compact; by default ``token_budget``, which is also the most.
        strategies: What is tried first, in order; each asks its own trigger.
        tokenizer: Counts tokens; by default that of the strategies, else that of the index.
        early_stop: Stop as soon as ``compact_to`` is met; False runs all strategies.
        preserve_last_user_group: Let the last step keep the newest user message.

    Raises:
        OptionError: A wrong value; names the option.
        OptionTypeError: A wrong type; names the option.
        TokenizerMismatchError: Two different tokenizers; names both.
    """

    _has_budget = True

    def __init__(
        self,
        *,
        token_budget: int,
        compact_to: int | None = None,
        strategies: Sequence[StrategyLike] = (),
        tokenizer: TokenizerLike = None,
        early_stop: bool = True,
        preserve_last_user_group: bool = True,
    ) -> None:
        """Check the options."""
        sequence("strategies", strategies, "strategies")
        self.strategies = _each("strategies[{}]", strategies)
        chosen = None if tokenizer is None else resolve(tokenizer)
        budget = integer("token_budget", token_budget, at_least=1)
        goal = budget if compact_to is None else integer("compact_to", compact_to, at_least=1)
        if goal > budget:
            raise OptionError(
                f"compact_to is {goal} and token_budget {budget}; compact_to is at most token_budget"
            )
        native = _core.Strategy.token_budget(
            budget,
            goal,
            [each._native for each in self.strategies],
            flag("early_stop", early_stop),
            (True, False, flag("preserve_last_user_group", preserve_last_user_group), 1),
        )
        common = common_tokenizer(chosen, self.name, self.strategies)
        self._set(native, _callables(self.strategies), common)


class ContextWindowCompactionStrategy(Strategy):
    """Keeps a history inside a model's context window, in two stages.

    The input budget is the window less what the answer may take. Over a first share of it old tool
    results become digests; over a second, larger one the oldest groups go, down to the first.

    Args:
        max_context_window_tokens: The window of the model.
        max_output_tokens: What the answer may take of it.
        tokenizer: Counts tokens; by default that of the index.
        tool_eviction_threshold: The first share.
        truncation_threshold: The second share; at least the first.
        keep_last_tool_call_groups: The newest tool-call groups that no digest replaces.
        preserve_first_user_group: Keep the first user message.
        preserve_last_user_group: Keep the newest user message.

    Raises:
        OptionError: A wrong value; names the option.
        OptionTypeError: A wrong type; names the option.
    """

    def __init__(
        self,
        *,
        max_context_window_tokens: int,
        max_output_tokens: int,
        tokenizer: TokenizerLike = None,
        tool_eviction_threshold: float = 0.5,
        truncation_threshold: float = 0.8,
        keep_last_tool_call_groups: int = 4,
        preserve_first_user_group: bool = False,
        preserve_last_user_group: bool = True,
    ) -> None:
        """Check the options."""
        window = integer("max_context_window_tokens", max_context_window_tokens, at_least=1)
        output = integer("max_output_tokens", max_output_tokens, at_least=0)
        if output >= window:
            raise OptionError(
                f"max_output_tokens is {output} and max_context_window_tokens {window}; the answer "
                "must leave room for the input"
            )
        evict = ratio("tool_eviction_threshold", tool_eviction_threshold)
        truncate = ratio("truncation_threshold", truncation_threshold)
        if truncate < evict:
            raise OptionError(
                f"truncation_threshold is {truncate} and tool_eviction_threshold {evict}; digests "
                "come first, so truncation_threshold is at least as large"
            )
        self.input_budget = window - output
        over_first = tokens_exceed(int(self.input_budget * evict))._native
        over_second = tokens_exceed(int(self.input_budget * truncate))._native
        keep_last = small("keep_last_tool_call_groups", keep_last_tool_call_groups, at_least=0)
        keep = (
            True,
            flag("preserve_first_user_group", preserve_first_user_group),
            flag("preserve_last_user_group", preserve_last_user_group),
            1,
        )
        native = _core.Strategy.pipeline(
            [
                _core.Strategy.tool_results(
                    (over_first, None), (True, False, False, 1), keep_last, "results", None, 4096
                ),
                _core.Strategy.truncation((over_second, _core.Trigger.negated(over_first)), keep),
            ]
        )
        self._set(native, {}, None if tokenizer is None else resolve(tokenizer))


def _each(name: str, strategies: Sequence[StrategyLike]) -> tuple[Strategy, ...]:
    return tuple(as_strategy(name.format(at), each) for at, each in enumerate(strategies))


def _callables(strategies: Sequence[Strategy]) -> Callables:
    return {number: call for each in strategies for number, call in each._callables.items()}

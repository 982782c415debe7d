"""The context window of a model: what of it is left for the messages of a call."""

import json
from _thread import allocate_lock
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from chatfold._logging import warn
from chatfold._options import flag, integer, ratio
from chatfold.errors import OptionError
from chatfold.strategies import Strategy, TruncationStrategy
from chatfold.tokenizers import Tokenizer
from chatfold.triggers import tokens_exceed

SMALLEST_RATIO, LARGEST_RATIO = 0.5, 2.0
"""How far the tokens that a provider reports may move the count."""

_REMEMBERED = 64
"""How many texts of schemas, and ratios of models, are remembered."""


class Window:
    """A context window, and what is taken off it before the messages.

    Args:
        size: Tokens of the window.
        reserve: Tokens that stay free besides.
        compact_to: The share of the messages' budget that is left where it is exceeded.
        calibrate: Whether the tokens that the provider reports correct the count.
        tokenizer: Counts the schemas.
    """

    def __init__(
        self, size: int, *, reserve: int, compact_to: float, calibrate: bool, tokenizer: Tokenizer
    ) -> None:
        """Check the options."""
        self.size = integer("window", size, at_least=1)
        self.reserve = integer("reserve", reserve, at_least=0)
        if self.reserve >= self.size:
            raise OptionError(
                f"reserve is {self.reserve} and window {self.size}; the reserve must leave room for "
                "messages"
            )
        self.compact_to = ratio("compact_to", compact_to)
        self.calibrate = flag("calibrate", calibrate)
        self._count = lru_cache(_REMEMBERED)(tokenizer.count_tokens)
        self._seen: dict[object, tuple[float, float]] = {}
        self._lock = allocate_lock()
        self._warned = False

    def budget(self, options: Mapping[str, Any]) -> int:
        """Count what is left for messages, as the tokenizer counts."""
        room = self.size - self.reserve - _output(options)
        budget = int(room / self.ratio(options.get("model"))) - self.schema_tokens(options)
        if budget < 1 and not self._warned:
            self._warned = True
            warn(
                "a context window of %d tokens leaves none for messages: the answer may take %d, "
                "tools and response format %d, and reserve is %d",
                self.size,
                _output(options),
                self.schema_tokens(options),
                self.reserve,
            )
        return max(budget, 1)

    def guard(self, options: Mapping[str, Any]) -> Strategy:
        """Make what excludes the oldest groups where the messages don't fit."""
        budget = self.budget(options)
        return TruncationStrategy(
            trigger=tokens_exceed(budget),
            target=~tokens_exceed(int(budget * self.compact_to)),
            minimum_preserved=1,
        )

    def schema_tokens(self, options: Mapping[str, Any]) -> int:
        """Count tools, functions and response format: the tokens of their JSON.

        What a model is shown of them is not published; their JSON is a little longer.
        """
        return sum(
            self._count(_as_json(options[name]))
            for name in ("tools", "functions", "response_format")
            if options.get(name)
        )

    def ratio(self, model: object) -> float:
        """Give how many tokens the provider counts where the tokenizer counts one."""
        reported, counted = self._seen.get(model, (1.0, 1.0))
        return min(max(reported / counted, SMALLEST_RATIO), LARGEST_RATIO)

    def learn(self, model: object, reported: int, counted: int) -> None:
        """Take what the provider counted for what the tokenizer counted; newer counts weigh more."""
        if min(reported, counted) < 1:
            return
        with self._lock:
            before = self._seen.pop(model, (0.0, 0.0))
            self._seen[model] = (before[0] / 2 + reported, before[1] / 2 + counted)
            if len(self._seen) > _REMEMBERED:
                del self._seen[next(iter(self._seen))]


def _output(options: Mapping[str, Any]) -> int:
    """Give what the answer may take, by the newer name of the option or the older one."""
    for name in ("max_completion_tokens", "max_tokens"):
        value = options.get(name)
        if isinstance(value, int):
            return value
    return 0


def _as_json(value: object) -> str:
    """Give what is sent of a schema; of a pydantic model its own."""
    schema = getattr(value, "model_json_schema", None)
    if callable(schema):
        value = schema()
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)

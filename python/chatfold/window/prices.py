"""What calls cost."""

import re
from collections.abc import Mapping
from sys import float_info
from typing import Literal, NamedTuple, TypeAlias

from chatfold._options import shown, text
from chatfold.errors import MissingExtraError, OptionError, OptionTypeError

__all__ = ["Prices"]

_MILLION = 1_000_000

_DATE = re.compile(
    r"(?<=.)(?:-20[0-9]{2}-[01][0-9]-[0-3][0-9]|[-@]20[0-9]{2}[01][0-9][0-3][0-9])\Z"
)
"""The date of a model's version, as providers report it: -2024-07-18, -20241022 or @20240620."""


class Prices(NamedTuple):
    """Prices of a model, in any currency, for a million tokens.

    Attributes:
        input: Tokens that the model reads.
        output: Tokens that it writes.
        cached_input: Tokens that it reads from a prompt cache; by default those of ``input``.
    """

    input: float
    output: float
    cached_input: float | None = None

    def cost(self, input_tokens: int, output_tokens: int, cached_tokens: int = 0) -> float:
        """Tell what a call costs; cached tokens are a part of the input tokens."""
        cached = self.input if self.cached_input is None else self.cached_input
        fresh = input_tokens - cached_tokens
        return (
            fresh * self.input + cached_tokens * cached + output_tokens * self.output
        ) / _MILLION


PricesLike: TypeAlias = Prices | Mapping[str, Prices] | Literal["table"]
"""Prices of all calls, prices by the name of the model, or those of the package ``genai-prices``."""


class PriceList:
    """Tells what a call costs, where a price is known.

    Providers report the version of a model that answered, such as ``gpt-4o-mini-2024-07-18``. Where
    that has no price of its own, it has that of its name without the date. Nothing else is left out:
    ``gpt-4o-mini`` costs another price than ``gpt-4o``.

    Args:
        prices: Where prices come from; None for nowhere.

    Raises:
        OptionError: A price below 0, or an unknown source; names the option.
        OptionTypeError: No prices; names the option.
        MissingExtraError: ``"table"`` without the package that has it.
    """

    def __init__(self, prices: PricesLike | None) -> None:
        """Check the prices."""
        self._prices = prices
        if isinstance(prices, Prices):
            _check("prices", prices)
        elif isinstance(prices, Mapping):
            for model, each in prices.items():
                _check(f"prices[{text('a model in prices', model)!r}]", each)
        elif prices == "table":
            _table()
        elif prices is not None:
            raise OptionTypeError(
                f"prices is {shown(prices)}; pass Prices(input=..., output=...), a dict of them by model, "
                "or 'table'"
            )

    def cost(
        self, model: str | None, input_tokens: int, output_tokens: int, cached_tokens: int = 0
    ) -> float | None:
        """Tell what a call costs; None where no price is known."""
        prices, tokens = self._prices, (input_tokens, output_tokens, cached_tokens)
        if isinstance(prices, Prices):
            return prices.cost(*tokens)
        if prices is None or model is None:
            return None
        for name in dict.fromkeys([model, _DATE.sub("", model)]):
            if isinstance(prices, str):
                cost = _from_table(name, *tokens)
            else:
                cost = prices[name].cost(*tokens) if name in prices else None
            if cost is not None:
                return cost
        return None


def _check(name: str, prices: object) -> None:
    if not isinstance(prices, Prices):
        raise OptionTypeError(f"{name} is {prices!r}; pass Prices(input=..., output=...)")
    for field, value in prices._asdict().items():
        if value is None and field == "cached_input":
            continue
        number(f"{name}.{field}", value)


def number(name: str, value: object) -> None:
    """Refuse what is no number of at least 0."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise OptionTypeError(f"{name} is {shown(value)}; pass a number")
    if value > float_info.max:
        # A whole number of Python's may be larger than what it can be multiplied with.
        raise OptionError(f"{name} is {shown(value)}; pass a number of at most {float_info.max}")
    if not value >= 0:
        raise OptionError(f"{name} is {shown(value)}; pass a number of at least 0")


def _from_table(model: str, read: int, written: int, cached: int) -> float | None:
    genai_prices = _table()
    usage = genai_prices.Usage(input_tokens=read, output_tokens=written, cache_read_tokens=cached)  # type: ignore[attr-defined]
    # A name such as `openai/gpt-4o-mini` has its provider in front.
    provider, _, name = model.rpartition("/")
    try:
        priced = genai_prices.calc_price(usage, model_ref=name, provider_id=provider or None)  # type: ignore[attr-defined]
    except LookupError:
        return None
    return float(priced.total_price)


def _table() -> object:
    try:
        import genai_prices  # noqa: PLC0415 (an extra, and it takes long to import)
    except ImportError as error:
        raise MissingExtraError("a table of prices", "prices") from error
    return genai_prices

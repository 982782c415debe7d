"""The gauge, calibration, and what the branch has cost."""

import sys
from typing import Any

import pytest

from chatfold import ContextWindow, MissingExtraError, OptionError, OptionTypeError
from chatfold.summarization import SummaryResponse
from chatfold.window import ContextUsage, Prices
from chatfold.window.prices import PriceList
from summarization.stubs import Stub, run
from window.test_prepare import chat, window

Option = Any


def sent(**options: Option) -> ContextWindow:
    """Prepare 5 turns of 100 tokens each."""
    made = window(messages=chat(5), **options)
    run(made.prepare())
    return made


def test_the_gauge_is_the_summary_and_what_came_after_it() -> None:
    made = window(client=Stub("The gist."), messages=chat(11), instructions="x" * 40)
    run(made.prepare())
    usage = made.usage
    assert usage.baseline == made.index.tokenizer.count_tokens("[Summary] The gist.") == 5
    assert (usage.messages, usage.instructions, usage.tokens) == (200, 10, 215)
    assert (usage.share, usage.remaining) == (0.215, 785)
    made.extend(chat(1, start=11))
    assert (made.usage.messages, made.usage.baseline) == (300, 5)


def test_the_gauge_tells_its_figures_by_name() -> None:
    figures = sent().usage.to_dict()
    assert figures["tokens"] == figures["messages"] == 500
    assert (figures["share"], figures["remaining"], figures["limit"]) == (0.5, 500, 1_000)
    assert repr(sent().usage) == "ContextUsage(500 of 1,000 tokens)"


def test_what_the_provider_reports_moves_the_local_counts_half_the_way() -> None:
    made = sent()
    made.record_usage(input_tokens=600)
    assert made.calibration == pytest.approx(1.1)
    assert made.usage.tokens == 550
    made.record_usage(input_tokens=600)
    assert made.calibration == pytest.approx(1.15)


@pytest.mark.parametrize(("reported", "ratio"), [(5_000_000, 2.0), (1, 0.5)])
def test_the_ratio_is_bounded(reported: int, ratio: float) -> None:
    made = sent()
    for _ in range(60):
        made.record_usage(input_tokens=reported)
    assert made.calibration == pytest.approx(ratio)
    assert 0.5 <= made.calibration <= 2.0


def test_a_report_of_nothing_calibrates_nothing() -> None:
    made = sent()
    made.record_usage(input_tokens=0)
    assert made.calibration == 1.0


def test_what_was_appended_after_the_call_is_not_held_against_it() -> None:
    made = sent()
    made.append({"role": "assistant", "content": "so " * 400})
    made.record_usage(input_tokens=600)
    assert made.calibration == pytest.approx(1.1)


def test_a_report_before_anything_was_prepared_calibrates_nothing() -> None:
    made = window(messages=chat(5))
    made.record_usage(input_tokens=600)
    assert made.calibration == 1.0
    assert made.usage.input_tokens == 600


def test_calibrated_counts_decide_what_fits() -> None:
    made = window(messages=chat(8))
    assert run(made.prepare()).report.dropped == 0
    for _ in range(30):
        made.record_usage(input_tokens=1_600)
    prepared = run(made.prepare())
    assert prepared.report.budget == 500
    assert prepared.report.dropped == 6
    assert made.usage.tokens == 1_000


def test_tokens_add_up_over_the_branch() -> None:
    made = sent()
    made.record_usage(input_tokens=500, output_tokens=20)
    made.record_usage(input_tokens=520, output_tokens=30, cached_tokens=400)
    usage = made.usage
    assert (usage.input_tokens, usage.output_tokens) == (1_020, 50)
    assert (usage.cost, usage.unpriced_calls) == (None, 2)


def test_given_prices_make_the_cost() -> None:
    made = sent(prices=Prices(input=2.0, output=8.0, cached_input=0.5))
    made.record_usage(input_tokens=1_000_000, output_tokens=100_000)
    assert made.usage.cost == pytest.approx(2.8)
    made.record_usage(input_tokens=1_000_000, cached_tokens=500_000)
    assert made.usage.cost == pytest.approx(2.8 + 1.25)


def test_prices_by_model() -> None:
    made = sent(prices={"small": Prices(1.0, 1.0), "large": Prices(10.0, 10.0)}, model="small")
    made.record_usage(input_tokens=1_000_000)
    made.record_usage(input_tokens=1_000_000, model="large")
    made.record_usage(input_tokens=1_000_000, model="unknown")
    assert made.usage.cost == pytest.approx(11.0)
    assert made.usage.unpriced_calls == 1


DATED = [
    ("gpt-4o-mini-2024-07-18", 2.0),
    ("gpt-4o-2024-08-06", 3.0),
    ("claude-sonnet-20241022", 5.0),
    ("claude-sonnet@20240620", 5.0),
    # What has a price of its own keeps it.
    ("gpt-4o-2024-05-13", 7.0),
    # A name is never cut but at a date.
    ("gpt-4o-mini-high", None),
    ("gpt-4o-audio-2024-12-17", None),
    ("gpt-4o-mini-2024-07-18-preview", None),
    ("gpt-4o-mini-2024-07", None),
    ("gpt-4o-mini-2024", None),
    ("gpt-4o-mini-20240718-v2", None),
    ("gpt-4o-mini-12345678", None),
    ("gpt-4o-mini-2024-99-99", None),
    ("gpt-4o-mini@2024-07-18", None),
    ("gpt-4o-mini20240718", None),
    ("gpt-4o-mini-2024-07-18\n", None),
    ("gpt-4o-mini-2024-07-18-2024-07-18", None),
    ("gpt-4", None),
    ("-2024-07-18", None),
]


@pytest.mark.parametrize(("model", "cost"), DATED)
def test_a_dated_name_has_the_price_of_the_name_without_its_date(
    model: str, cost: float | None
) -> None:
    named = {"gpt-4o-mini": 2.0, "gpt-4o": 3.0, "claude-sonnet": 5.0, "gpt-4o-2024-05-13": 7.0}
    prices = PriceList({name: Prices(price, 0.0) for name, price in named.items()})
    assert prices.cost(model, 1_000_000, 0) == cost


def test_a_dated_name_that_the_table_does_not_have_is_looked_up_without_its_date() -> None:
    table = PriceList("table")
    known = table.cost("gemini-2.0-flash", 1_000_000, 0)
    assert known is not None
    assert table.cost("gemini-2.0-flash-2025-01-01", 1_000_000, 0) == known
    assert table.cost("google/gemini-2.0-flash@20250101", 1_000_000, 0) == known
    assert table.cost("gemini-2.0-flash-of-ours", 1_000_000, 0) is None


def test_a_call_without_the_name_of_a_model_has_no_price_by_model() -> None:
    made = sent(prices={"small": Prices(1.0, 1.0)})
    made.record_usage(input_tokens=1_000)
    assert (made.usage.cost, made.usage.unpriced_calls) == (None, 1)


def test_prices_of_the_table() -> None:
    made = sent(prices="table", model="gpt-4o-mini")
    made.record_usage(input_tokens=1_000_000)
    cost = made.usage.cost
    assert cost is not None
    assert 0 < cost < 10
    made.record_usage(input_tokens=1_000_000, model="openai/gpt-4o-mini")
    assert made.usage.cost == pytest.approx(2 * cost)
    made.record_usage(input_tokens=1_000_000, model="no-such-model")
    assert made.usage.cost == pytest.approx(2 * cost)
    assert made.usage.unpriced_calls == 1


def test_a_cost_that_is_known_is_taken() -> None:
    made = sent(prices=Prices(1.0, 1.0))
    made.record_usage(input_tokens=1_000_000, cost=0.25)
    assert made.usage.cost == 0.25


def test_summaries_are_paid_for_too() -> None:
    class Summarizer:
        async def summarize(
            self, messages: list[dict[str, str]], *, max_tokens: int
        ) -> SummaryResponse:
            del messages, max_tokens
            return SummaryResponse("The gist.", "cheap", input_tokens=900, output_tokens=100)

    prices = {"cheap": Prices(1.0, 2.0)}
    made = window(client=Summarizer(), messages=chat(11), prices=prices, model="dear")
    run(made.prepare())
    assert (made.usage.input_tokens, made.usage.output_tokens) == (900, 100)
    assert made.usage.cost == pytest.approx(0.0011)


def test_a_summary_whose_client_tells_no_tokens_has_no_price() -> None:
    made = window(client=Stub("The gist."), messages=chat(11), prices=Prices(1.0, 1.0))
    run(made.prepare())
    assert (made.usage.cost, made.usage.unpriced_calls) == (None, 1)
    made.record_usage(input_tokens=1_000_000)
    assert (made.usage.cost, made.usage.unpriced_calls) == (1.0, 1)


def test_a_summary_is_priced_by_the_dated_name_that_answered() -> None:
    class Summarizer:
        async def summarize(
            self, messages: list[dict[str, str]], *, max_tokens: int
        ) -> SummaryResponse:
            del messages, max_tokens
            return SummaryResponse("The gist.", "cheap-2024-07-18", 1_000_000, 0)

    prices = {"cheap": Prices(3.0, 2.0), "dear": Prices(50.0, 50.0)}
    made = window(client=Summarizer(), messages=chat(11), prices=prices, model="dear")
    run(made.prepare())
    assert (made.usage.cost, made.usage.unpriced_calls) == (3.0, 0)


def test_a_fork_takes_back_what_came_after_it() -> None:
    messages = chat(3)
    made = window(prices=Prices(1.0, 1.0))
    run(made.prepare(messages[:1]))
    made.record_usage(input_tokens=100)
    run(made.prepare(messages[:3]))
    made.record_usage(input_tokens=300)
    run(made.prepare(messages))
    made.record_usage(input_tokens=500)
    assert made.usage.input_tokens == 900
    other = [*messages[:3], {"role": "assistant", "content": "Something else."}]
    run(made.prepare(other))
    assert made.usage.input_tokens == 400
    assert made.usage.cost == pytest.approx(400 / 1_000_000)


WRONG: list[tuple[dict[str, Option], type[Exception], str]] = [
    ({"input_tokens": -1}, OptionError, "input_tokens is -1"),
    ({"input_tokens": "9"}, OptionTypeError, "input_tokens is '9'"),
    ({"input_tokens": 9, "output_tokens": -1}, OptionError, "output_tokens is -1"),
    (
        {"input_tokens": 9, "cached_tokens": 10},
        OptionError,
        "cached_tokens is 10 and input_tokens 9",
    ),
    ({"input_tokens": 9, "cost": -1.0}, OptionError, r"cost is -1\.0"),
    ({"input_tokens": 9, "cost": "1"}, OptionTypeError, "cost is '1'"),
    (
        {"input_tokens": 9, "cost": 10**400},
        OptionError,
        r"cost is 1000.*; pass a number of at most",
    ),
    ({"input_tokens": 9, "cost": float("inf")}, OptionError, "cost is inf; pass a number of at m"),
    ({"input_tokens": 9, "cost": float("nan")}, OptionError, "cost is nan; pass a number of at l"),
]


@pytest.mark.parametrize(("options", "error", "message"), WRONG)
def test_a_wrong_report_is_refused(
    options: dict[str, Option], error: type[Exception], message: str
) -> None:
    made = sent()
    with pytest.raises(error, match=message):
        made.record_usage(**options)
    assert made.usage.input_tokens == 0


@pytest.mark.parametrize(
    ("prices", "error", "message"),
    [
        (Prices(-1.0, 1.0), OptionError, r"prices\.input is -1\.0"),
        (Prices(1.0, float("nan")), OptionError, r"prices\.output is nan"),
        (Prices(1.0, output=True), OptionTypeError, r"prices\.output is True"),
        ({"m": 3}, OptionTypeError, r"prices\['m'\] is 3; pass Prices"),
        ("tables", OptionTypeError, "prices is 'tables'"),
    ],
)
def test_wrong_prices_are_refused(prices: Option, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        PriceList(prices)


def test_a_table_that_is_not_installed_names_the_line_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'chatfold\[prices\]'"):
        PriceList("table")


def test_a_gauge_over_the_limit_has_nothing_left() -> None:
    usage = ContextUsage(tokens=150, limit=100)
    assert (usage.share, usage.remaining) == (1.5, 0)

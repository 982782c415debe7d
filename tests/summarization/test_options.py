"""What the strategy accepts, and what it is beside a strategy."""

import copy
import pickle
from typing import Any

import pytest

from chatfold import (
    AsyncStrategyError,
    ExtractiveSummarizer,
    MessageIndex,
    OptionError,
    OptionTypeError,
    PipelineCompactionStrategy,
    RetainRecent,
    SlidingWindowStrategy,
    SummarizationStrategy,
    TokenBudgetComposedStrategy,
    apply_compaction,
    compact,
    triggers,
)
from summarization.stubs import Failing, Option, Stub, run, turns

REFUSED: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"client": None}, OptionTypeError, "client is None; pass an async callable"),
    ({"client": []}, OptionError, "client is an empty list; pass at least one client"),
    ({"client": Stub}, OptionTypeError, "client is <class "),
    ({"target_count": 0}, OptionError, "target_count is 0; pass a whole number of at least 1"),
    ({"threshold": -1}, OptionError, "threshold is -1; pass a whole number of at least 0"),
    (
        {"target_count": 4, "trigger": triggers.always},
        OptionError,
        "target_count and trigger were both given; choose by count or by trigger",
    ),
    ({"target": triggers.always}, OptionError, "target is given without trigger; give both"),
    ({"minimum_preserved": 2}, OptionError, "minimum_preserved is given without trigger"),
    (
        {"minimum_preserved": 2, "trigger": triggers.always, "retain_recent": RetainRecent()},
        OptionError,
        "retain_recent and minimum_preserved were both given; each says what stays",
    ),
    ({"retain_recent": 2}, OptionTypeError, r"retain_recent is 2; pass RetainRecent\(turns=2\)"),
    ({"summary_role": "system"}, OptionError, "summary_role is 'system'; pass 'assistant' or 'u"),
    ({"prompt": None}, OptionTypeError, "prompt is None; pass a text"),
    ({"timeout": 0}, OptionError, "timeout is 0; pass a number of seconds over 0"),
    ({"timeout": 10**400}, OptionError, "timeout is 1000"),
    ({"timeout": "1"}, OptionTypeError, "timeout is '1'; pass a number of seconds over 0"),
    ({"on_failure": "ignore"}, OptionError, "on_failure is 'ignore'; pass 'keep' or 'raise' or"),
    ({"breaker": 3}, OptionTypeError, "breaker is 3; pass a chatfold.summarization.Breaker"),
    ({"keep_user_messages": 1}, OptionTypeError, "keep_user_messages is 1; pass True or False"),
    ({"max_summary_tokens": 0}, OptionError, "max_summary_tokens is 0"),
    (
        {"max_summary_tokens": 5_000, "max_summary_input_tokens": 8_000},
        OptionError,
        "max_summary_input_tokens is 8000; .* or a smaller max_summary_tokens than 5000",
    ),
]


@pytest.mark.parametrize(("options", "error", "message"), REFUSED)
def test_wrong_options_are_refused_in_words(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        SummarizationStrategy(**{"client": Stub(), **options})


@pytest.mark.parametrize("options", [{"turns": -1}, {"tokens": -1}, {"turns": True}])
def test_what_can_not_be_retained_is_refused(options: Option) -> None:
    with pytest.raises((OptionError, OptionTypeError), match=next(iter(options))):
        RetainRecent(**options)


def test_a_plain_call_refuses_it() -> None:
    strategy = SummarizationStrategy(client=Stub())
    assert strategy.is_async
    with pytest.raises(AsyncStrategyError, match="SummarizationStrategy must be awaited"):
        compact(turns(6), strategy)
    with pytest.raises(AsyncStrategyError, match="SummarizationStrategy must be awaited"):
        MessageIndex(turns(6)).compact(strategy)


def test_a_list_of_messages_is_summarized() -> None:
    history = turns(6)
    before = copy.deepcopy(history)
    small = run(apply_compaction(history, strategy=SummarizationStrategy(client=Stub())))
    assert small == [{"role": "assistant", "content": "[Summary] The gist."}, *history[-4:]]
    assert history == before


def test_it_is_a_part_of_a_pipeline() -> None:
    index = MessageIndex(turns(20))
    pipeline = PipelineCompactionStrategy(
        SummarizationStrategy(client=Stub(), retain_recent=RetainRecent(turns=5)),
        SlidingWindowStrategy(keep_last_turns=3),
    )
    report = run(index.acompact(pipeline))
    assert [step.strategy for step in report.steps] == [
        "SummarizationStrategy",
        "SlidingWindowStrategy",
    ]
    assert report.steps[0].groups == 30


def test_it_is_a_part_of_a_token_budget() -> None:
    stub, budget = Stub(), 500
    index = MessageIndex(turns(20))
    strategy = TokenBudgetComposedStrategy(
        token_budget=budget, strategies=[SummarizationStrategy(client=stub)]
    )
    report = run(index.acompact(strategy))
    assert index.included_token_count <= budget
    assert report.target_met
    assert index.included_groups[0].kind == "summary"


def test_where_the_summary_fails_the_budget_is_met_all_the_same() -> None:
    index = MessageIndex(turns(20))
    strategy = TokenBudgetComposedStrategy(
        token_budget=300, strategies=[SummarizationStrategy(client=Failing())]
    )
    report = run(index.acompact(strategy))
    assert index.included_token_count <= 300
    assert report.target_met
    assert report.summaries[0].outcome == "failed"


def test_a_strategy_of_ones_own_may_run_it() -> None:
    strategy = SummarizationStrategy(client=Stub())

    async def own(index: MessageIndex) -> bool:
        return (await index.acompact(strategy)).changed

    report = run(MessageIndex(turns(6)).acompact(own))
    assert report.changed
    assert [summary.outcome for summary in report.summaries] == ["written"]


def test_it_can_be_copied_and_pickled() -> None:
    strategy = SummarizationStrategy(
        client=ExtractiveSummarizer(), trigger=triggers.tokens_exceed(90), summary_role="user"
    ).focused("tests")
    assert copy.deepcopy(strategy) is strategy
    again = pickle.loads(pickle.dumps(strategy))  # noqa: S301 (our own)
    assert repr(again) == repr(strategy)
    assert again._instructions.focus == "tests"
    index = MessageIndex(turns(10))
    run(index.acompact(again))
    assert index.included_messages()[0]["role"] == "user"


def test_it_shows_its_options() -> None:
    strategy = SummarizationStrategy(
        client=ExtractiveSummarizer(), target_count=8, retain_recent=RetainRecent(turns=1)
    )
    assert repr(strategy) == (
        "SummarizationStrategy(client=ExtractiveSummarizer(), target_count=8, "
        "retain_recent=RetainRecent(turns=1, tokens=None))"
    )


def test_a_report_shows_nothing_of_the_history() -> None:
    _, report = (
        (index := MessageIndex(turns(6))),
        run(index.acompact(SummarizationStrategy(client=Stub("secret")))),
    )
    assert "secret" not in repr(report)
    assert "question" not in repr(report)

"""Reports are values: they compare, they are shown, and they travel between processes."""

import copy
import pickle
import sys
from pathlib import Path

import pytest

from chatfold import (
    MessageIndex,
    PipelineCompactionStrategy,
    SlidingWindowStrategy,
    TruncationStrategy,
)
from chatfold.strategies import Strategy
from work import Work

MESSAGES = [{"role": "user", "content": f"{number} and some more words."} for number in range(20)]


@pytest.mark.parametrize(
    "strategy",
    [
        TruncationStrategy(max_n=60, tokenizer="o200k_base"),
        SlidingWindowStrategy(keep_last_groups=5),
        TruncationStrategy(max_n=100),
    ],
    ids=["tokens known", "tokens not asked for", "unchanged"],
)
def test_a_pickled_report_tells_the_same(strategy: Strategy) -> None:
    report = MessageIndex(MESSAGES, tokenizer="o200k_base").compact(strategy)
    for copied in (pickle.loads(pickle.dumps(report)), copy.deepcopy(report)):  # noqa: S301 (ours)
        assert (copied.before, copied.after) == (report.before, report.after)
        assert copied.after.known_tokens == report.after.tokens
        assert [step.tokens_freed for step in copied.steps] == [
            step.tokens_freed for step in report.steps
        ]
        assert list(map(repr, copied.steps)) == list(map(repr, report.steps))
        assert str(copied) == str(report)
        assert copied[3:] == report[3:]


def test_figures_are_counted_once_and_only_when_read() -> None:
    index = MessageIndex(
        [*MESSAGES, {"role": "user", "content": "unheard of: qwzk"}], tokenizer="cl100k_base"
    )
    report = index.compact(SlidingWindowStrategy(keep_last_groups=5))
    assert "tokens=not counted" in repr(report.before)
    first = Work()
    tokens = report.before.tokens
    assert first.done.texts_counted > 0
    again = Work()
    assert report.before.tokens == tokens == report.before.known_tokens
    assert again.done.texts_counted == 0


def test_figures_compare_with_figures_alone_and_have_no_hash() -> None:
    report = MessageIndex(MESSAGES, tokenizer="o200k_base").compact(TruncationStrategy(max_n=100))
    assert report.before == report.after
    assert report.before != (report.before.messages, report.before.groups)
    with pytest.raises(TypeError, match="unhashable"):
        hash(report.before)


def test_own_strategies_are_told_of_by_name_in_their_order() -> None:
    def first(index: MessageIndex) -> bool:
        return index.exclude(index.groups[0], reason="first")

    def second(index: MessageIndex) -> bool:
        return index.exclude(index.groups[1], reason="second")

    second.__name__ = "\ud800 and 'quotes'"
    window = SlidingWindowStrategy(keep_last_groups=5)
    report = MessageIndex(MESSAGES).compact(PipelineCompactionStrategy(first, window, second))
    assert [(step.strategy, step.groups) for step in report.steps] == [
        ("first", 1),
        ("SlidingWindowStrategy", 14),
        ("\ufffd and 'quotes'", 0),
    ]
    assert repr(report.steps[2]).startswith("StrategyStep(\"\ufffd and 'quotes'\", reason=''")


def test_a_report_can_be_read_however_many_turns_later() -> None:
    index = MessageIndex(MESSAGES, tokenizer="o200k_base")
    window = SlidingWindowStrategy(keep_last_groups=5)
    early = index.compact(window)
    expected = MessageIndex(MESSAGES, tokenizer="o200k_base").included_token_count
    for number in range(2_000):
        index.append({"role": "user", "content": f"{number} more"})
        index.compact(window)
    assert early.before.tokens == expected
    assert early.after.tokens + early.steps[0].tokens_freed == expected


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux for the memory that is taken")
def test_an_index_forgets_how_to_undo_what_nobody_can_undo() -> None:
    index = MessageIndex([{"role": "user", "content": "one"}, {"role": "user", "content": "two"}])
    group = index.groups[0]

    def take_turns() -> int:
        before = resident_bytes()
        for _ in range(100_000):
            index.exclude(group, reason="old")
            index.restore(group)
        return resident_bytes() - before

    take_turns()
    assert take_turns() < 1_000_000  # some 6 MB if it remembered all of them


def resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096

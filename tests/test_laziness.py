"""Promise 9: what was not needed is not counted, not read, and never counted twice."""

import logging
from collections.abc import Callable, Iterator

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chatfold import (
    MessageIndex,
    PipelineCompactionStrategy,
    SelectiveToolCallCompactionStrategy,
    SlidingWindowStrategy,
    Strategy,
    TokenBudgetComposedStrategy,
    ToolResultCompactionStrategy,
    TruncationStrategy,
    compact,
    count_cache,
    triggers,
)
from chatfold.tokenizers import TokenizerLike, resolve
from conversations import CONVERSATIONS, Conversation
from product import Spec, build_strategy
from reference import History
from reference.messages import texts
from states import PART_TOKENS
from strategy_specs import STRATEGIES
from work import Work, uneven

O200K = resolve("o200k_base")


@pytest.fixture
def no_cache() -> Iterator[None]:
    """Let no count of an earlier test be known."""
    capacity = count_cache.info().capacity
    count_cache.resize(0)
    yield
    count_cache.resize(capacity)


@pytest.fixture
def empty_cache() -> Iterator[None]:
    count_cache.clear()
    yield
    count_cache.clear()


def long_history(turns: int, *, tools_every: int = 5) -> Conversation:
    """Write turns of some 60 tokens, every text another one."""
    messages: Conversation = [{"role": "system", "content": "You are a patient assistant."}]
    for turn in range(turns):
        messages.append({"role": "user", "content": f"Question {turn}: " + "what is that? " * 4})
        if turn % tools_every == 0:
            function = {"name": f"look_up_{turn}", "arguments": f'{{"turn": {turn}}}'}
            call = {"id": f"call-{turn}", "type": "function", "function": function}
            messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
            result = f"Entry {turn}: " + "long and dull, " * 6
            messages.append({"role": "tool", "tool_call_id": f"call-{turn}", "content": result})
        messages.append({"role": "assistant", "content": f"Answer {turn}: " + "it is this, " * 5})
    return messages


def sizes(messages: Conversation) -> tuple[int, int]:
    """Count texts and their bytes."""
    found = [text for message in messages for text in texts(message)]
    return len(found), sum(len(text.encode()) for text in found)


HISTORY = long_history(8_000)

# What each of them keeps is some 2,000 tokens of half a million.
TRUNCATION = TruncationStrategy(max_n=4_000, compact_to=2_000, tokenizer=O200K)
CUTS: dict[str, Strategy] = {
    "truncation": TRUNCATION,
    "truncation by a trigger": TruncationStrategy(
        trigger=triggers.tokens_exceed(4_000), target=~triggers.tokens_exceed(2_000)
    ),
    "window with a target": SlidingWindowStrategy(
        keep_last_groups=10,
        trigger=triggers.tokens_exceed(4_000),
        target=~triggers.tokens_exceed(2_000),
    ),
    "budget": TokenBudgetComposedStrategy(
        token_budget=2_000, strategies=[SlidingWindowStrategy(keep_last_turns=50)]
    ),
    "pipeline": PipelineCompactionStrategy(
        TRUNCATION, ToolResultCompactionStrategy(), SelectiveToolCallCompactionStrategy()
    ),
}
WINDOWS: dict[str, Strategy] = {
    "groups": SlidingWindowStrategy(keep_last_groups=60),
    "turns": SlidingWindowStrategy(keep_last_turns=30),
    "messages": TruncationStrategy(max_n=100, compact_to=50),
    "bytes": TruncationStrategy(trigger=triggers.bytes_exceed(10_000)),
}

each_cut = pytest.mark.parametrize("strategy", CUTS.values(), ids=CUTS)
each_window = pytest.mark.parametrize("strategy", WINDOWS.values(), ids=WINDOWS)


@each_cut
@pytest.mark.usefixtures("no_cache")
def test_cutting_an_index_counts_about_what_is_kept(strategy: Strategy) -> None:
    index = MessageIndex(HISTORY, tokenizer=O200K)
    work = Work()
    assert index.compact(strategy).changed
    kept_texts, kept_bytes = sizes(index.included_messages())
    assert 0 < kept_texts < 200
    assert work.done.texts_counted <= 3 * kept_texts
    assert work.done.bytes_tokenized <= 3 * kept_bytes


@each_cut
@pytest.mark.usefixtures("no_cache")
def test_cutting_a_list_counts_and_reads_about_what_is_kept(strategy: Strategy) -> None:
    work = Work()
    kept_texts, kept_bytes = sizes(compact(HISTORY, strategy, tokenizer=O200K))
    assert 0 < kept_texts < 200
    assert work.done.texts_counted <= 3 * kept_texts
    assert work.done.bytes_tokenized <= 3 * kept_bytes
    assert work.done.roles_read == len(HISTORY)
    assert work.done.messages_read < 4_000


@each_window
@pytest.mark.usefixtures("no_cache")
def test_what_asks_for_no_tokens_counts_none(strategy: Strategy) -> None:
    work = Work()
    kept = compact(HISTORY, strategy, tokenizer=O200K)
    index = MessageIndex(HISTORY, tokenizer=O200K)
    report = index.compact(strategy)
    assert report.changed
    assert str(report)
    assert index.included_messages() == kept
    assert work.done.texts_counted == 0


@each_window
def test_windows_read_little_whole(strategy: Strategy) -> None:
    work = Work()
    compact(HISTORY, strategy)
    assert work.done.roles_read == len(HISTORY)
    assert work.done.messages_read < 1_000


def test_the_cost_of_cutting_does_not_depend_on_what_is_cut_off() -> None:
    costs = []
    for turns in (2_000, 8_000):
        count_cache.clear()
        work = Work()
        compact(HISTORY[-turns:], TRUNCATION)
        costs.append(work.done._replace(roles_read=0))
    assert costs[0] == costs[1]


def test_an_unneeded_compaction_reads_a_long_list_once() -> None:
    work = Work()
    assert compact(HISTORY, TruncationStrategy(max_n=1_000_000)) == HISTORY
    assert work.done.messages_read <= 2 * len(HISTORY)


@pytest.mark.parametrize("strategy", [*CUTS.values(), *WINDOWS.values()], ids=[*CUTS, *WINDOWS])
def test_a_log_makes_no_difference_but_the_reading(
    strategy: Strategy, caplog: pytest.LogCaptureFixture
) -> None:
    kept = compact(HISTORY, strategy, tokenizer=O200K)
    with caplog.at_level(logging.INFO, logger="chatfold"):
        work = Work()
        assert compact(HISTORY, strategy, tokenizer=O200K) == kept
    assert work.done.messages_read == len(HISTORY)
    assert f"{len(HISTORY):,} messages" in caplog.text


@pytest.mark.usefixtures("no_cache")
def test_a_tokenizer_of_ones_own_counts_newest_first_until_it_is_decided() -> None:
    asked: list[str] = []

    def count(text: str) -> int:
        asked.append(text)
        return len(text)

    newest_first = [text for message in reversed(HISTORY) for text in texts(message)]
    index = MessageIndex(HISTORY, tokenizer=count)
    index.compact(TruncationStrategy(trigger=triggers.tokens_exceed(10_000), minimum_preserved=1))
    # Within a group of several messages the order is theirs; the system message always stays.
    assert set(asked) <= {*newest_first[: len(asked) + 5], newest_first[-1]}
    assert len(asked) == len(set(asked))
    needed = next(at for at in range(len(asked)) if sum(map(len, newest_first[:at])) > 10_000)
    assert len(asked) <= needed + 5


@pytest.mark.parametrize("tokenizer", ["o200k_base", len], ids=["built in", "of one's own"])
@pytest.mark.usefixtures("no_cache")
def test_a_text_is_counted_at_most_once_for_an_index(tokenizer: TokenizerLike) -> None:
    history = long_history(200)
    index = MessageIndex(history, tokenizer=tokenizer)
    work = Work()
    reports = [
        index.compact(TruncationStrategy(max_n=5_000, compact_to=4_000, tokenizer=tokenizer)),
        index.compact(ToolResultCompactionStrategy(style="names")),
        index.compact(TruncationStrategy(max_n=3_000, compact_to=1_000, tokenizer=tokenizer)),
    ]
    for _ in range(2):
        assert index.total_token_count > index.included_token_count > 0
        assert all(group.token_count > 0 for group in index.groups)
        for report in reports:
            assert report.before.tokens > report.after.tokens
            assert all(step.tokens_freed > 0 for step in report.steps)
    stand_ins = sum(group.kind == "summary" for group in index.groups)
    assert stand_ins > 0
    assert work.done.texts_counted == sizes(history)[0] + stand_ins


@pytest.mark.usefixtures("no_cache")
def test_each_further_turn_counts_only_itself() -> None:
    index, counted = MessageIndex(tokenizer=O200K), 0
    for message in HISTORY[:3_000]:
        work = Work()
        index.append(message)
        index.compact(TRUNCATION)
        assert work.done.messages_read == 1
        counted += work.done.texts_counted
    # Between two cuts nothing needs counting; at a cut, what came since the last one.
    assert counted <= sizes(HISTORY[:3_000])[0]


@pytest.mark.usefixtures("empty_cache")
def test_who_sends_everything_again_counts_nothing_again() -> None:
    compact(HISTORY, TRUNCATION)
    work = Work()
    compact(HISTORY, TRUNCATION)
    assert work.done.texts_counted == 0


@pytest.mark.usefixtures("empty_cache")
def test_who_sends_more_each_time_counts_what_is_new() -> None:
    history = [dict(message) for message in HISTORY[:2_000]]
    compact(history, TRUNCATION)
    for turn in range(20):
        history.append({"role": "user", "content": f"And then, for the {turn}th time?"})
        history.append({"role": "assistant", "content": f"Then the {turn}th thing happened."})
        work = Work()
        compact([dict(message) for message in history], TRUNCATION)
        assert work.done.texts_counted == 2


@pytest.mark.usefixtures("empty_cache")
def test_a_tokenizer_of_ones_own_is_remembered_where_a_strategy_holds_it() -> None:
    strategy = TruncationStrategy(max_n=4_000, tokenizer=len)
    compact(HISTORY, strategy)
    work = Work()
    compact(HISTORY, strategy)
    assert work.done.texts_counted == 0


def plain_tokens(messages: Conversation, count: Callable[[str], int]) -> int:
    return History(messages, count, PART_TOKENS).totals().tokens


CALL = {"role": "assistant", "content": None, "function_call": {"name": "s", "arguments": ""}}


# Two calls of one name, the first excluded: results of both tie them together, one by one.
@example(
    messages=[CALL, {"role": "user", "content": "aaaa"}, dict(CALL)],
    later=[{"role": "function", "name": "s", "content": "xyz"}] * 2,
    specs=[{"kind": "truncation", "max_n": 1}],
    tokenizer=len,
)
@given(
    messages=CONVERSATIONS,
    later=CONVERSATIONS,
    specs=st.lists(STRATEGIES, min_size=1, max_size=3),
    tokenizer=st.sampled_from([len, uneven, "o200k_base", None]),
)
def test_figures_of_reports_are_exact_however_late_they_are_read(
    messages: Conversation, later: Conversation, specs: list[Spec], tokenizer: TokenizerLike
) -> None:
    counter = resolve(tokenizer)
    index = MessageIndex(messages, tokenizer=counter)
    kept, reports = [index.included_messages()], []
    for spec in specs:
        reports.append(index.compact(build_strategy(spec, counter)))
        kept.append(index.included_messages())
    index.extend(later)
    expected = [plain_tokens(each, counter.count_tokens) for each in kept]
    for report, before, after in zip(reports, expected, expected[1:], strict=False):
        assert report.before.tokens == before
        assert report.after.tokens == after
        assert sum(step.tokens_freed for step in report.steps) == before - after

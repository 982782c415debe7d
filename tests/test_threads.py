"""Threads that share an index wait for each other, and none of them sees half of a change."""

import asyncio
import faulthandler
import random
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from chatfold import (
    ChatfoldError,
    ContextWindowCompactionStrategy,
    MessageIndex,
    PipelineCompactionStrategy,
    SlidingWindowStrategy,
    Strategy,
    TokenBudgetComposedStrategy,
    ToolResultCompactionStrategy,
    TruncationStrategy,
    compact,
    count_cache,
    triggers,
)
from chatfold.tokenizers import resolve
from conversations import Conversation
from recount import assert_figures_are_right, rounds, talk
from states import groups_of, included_totals, totals
from work import Work

WINDOW = SlidingWindowStrategy(keep_last_groups=10)


@pytest.fixture(autouse=True)
def _no_deadlock() -> Iterator[None]:
    faulthandler.dump_traceback_later(120, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


def in_threads(*functions: Callable[[], object]) -> list[Any]:
    """Run them at once; give what they returned, or raise what one raised."""
    start = threading.Barrier(len(functions))

    def run(function: Callable[[], object]) -> object:
        start.wait()
        return function()

    with ThreadPoolExecutor(len(functions)) as pool:
        return list(pool.map(run, functions))


def test_messages_that_many_threads_append_are_all_there_in_the_order_of_each() -> None:
    index = MessageIndex(tokenizer="o200k_base")

    def append(name: str) -> None:
        for message in talk(500, name):
            index.append(message)

    in_threads(*(lambda name=name: append(name) for name in "abcdef"))
    assert len(index) == index.included_message_count == 3_000
    said = [message["content"] for message in index.messages]
    for name in "abcdef":
        assert [text for text in said if text.startswith(name)] == [
            message["content"] for message in talk(500, name)
        ]
    fresh = MessageIndex(index.messages, tokenizer="o200k_base")
    assert groups_of(index) == groups_of(fresh)
    assert totals(index) == totals(fresh)


def test_extended_lists_stay_together() -> None:
    index = MessageIndex(tokenizer=len)
    in_threads(*(lambda name=name: index.extend(talk(800, name)) for name in "abcdef"))
    names = "".join(message["content"][0] for message in index.messages)
    assert sorted(names[::800]) == list("abcdef")
    assert all(len(set(names[at : at + 800])) == 1 for at in range(0, 4_800, 800))


@pytest.mark.parametrize("tokenizer", ["o200k_base", len, None], ids=str)
def test_appending_compacting_and_looking_at_once(tokenizer: Any) -> None:  # noqa: ANN401
    index = MessageIndex(rounds(20), tokenizer=tokenizer)
    strategies: list[Strategy] = [
        WINDOW,
        ToolResultCompactionStrategy(style="names"),
        TruncationStrategy(max_n=60, compact_to=40),
        TokenBudgetComposedStrategy(token_budget=800, strategies=[ToolResultCompactionStrategy()]),
    ]

    def append() -> None:
        for message in rounds(150):
            index.append(message)

    def run() -> None:
        for at in range(150):
            report = index.compact(strategies[at % 4])
            assert report.after.messages >= 0
            assert report.before.tokens >= 0

    def look() -> None:
        for _ in range(150):
            assert index.included_messages()
            assert index.included_token_count > 0
            for group in index.groups[-20:]:
                assert group.token_count >= 0
                index.restore(group)

    def save() -> None:
        for _ in range(30):
            assert index.to_state()["format"] == "chatfold.MessageIndex"

    in_threads(append, append, run, run, look, save)
    assert len(index) == 60 + 2 * 450
    assert_figures_are_right(index)


def test_syncing_and_looking_at_once() -> None:
    index = MessageIndex(tokenizer=len)
    lists = [rounds(40), rounds(20), [*rounds(30), *talk(9)], talk(50)]

    def sync(seed: int) -> None:
        chance = random.Random(seed)  # noqa: S311 (no secret)
        for _ in range(200):
            index.sync(chance.choice(lists))

    def look() -> None:
        for _ in range(400):
            assert len(index.included_messages()) in {*map(len, lists), 0}

    def run() -> None:
        for _ in range(200):
            index.compact(TruncationStrategy(max_n=1_000))

    in_threads(lambda: sync(1), lambda: sync(2), look, run)
    assert len(index) in map(len, lists)
    assert_figures_are_right(index)
    fresh = MessageIndex(index.messages, tokenizer=len)
    assert included_totals(index) == included_totals(fresh)


def test_counting_in_parallel_gives_what_counting_one_by_one_gives() -> None:
    tokenizer = resolve("o200k_base")
    messages = [
        {"role": "user", "content": f"Text {at} of several. " * (1 + 37 * at % 4_000)}
        for at in range(400)
    ]
    count_cache.clear()
    work = Work()
    index = MessageIndex(messages, tokenizer=tokenizer)
    total = index.total_token_count
    assert work.done.bytes_tokenized == index.total_byte_count > 10_000_000
    count_cache.clear()
    counts = [tokenizer.count_tokens(message["content"]) for message in messages]
    assert total == sum(counts)
    assert [group.token_count for group in index.groups] == counts


def test_two_threads_may_count_with_one_tokenizer() -> None:
    messages = [{"role": "user", "content": f"Text {at}. " * 50_000} for at in range(8)]
    count_cache.clear()
    indexes = [MessageIndex(messages, tokenizer="o200k_base") for _ in range(4)]
    counts = in_threads(*(lambda index=index: index.total_token_count for index in indexes))
    assert len(set(counts)) == 1


SHARED: list[Strategy] = [
    WINDOW,
    PipelineCompactionStrategy(ToolResultCompactionStrategy(style="names"), WINDOW),
    ContextWindowCompactionStrategy(max_context_window_tokens=3_000, max_output_tokens=500),
    TruncationStrategy(
        trigger=lambda index: index.included_message_count > 20, minimum_preserved=1
    ),
    PipelineCompactionStrategy(lambda index: index.compact(WINDOW).changed),
]


@pytest.mark.parametrize("strategy", SHARED, ids=range(len(SHARED)))
def test_threads_may_share_a_strategy(strategy: Strategy) -> None:
    histories = [rounds(number) for number in range(10, 130, 10)]
    expected = [compact(history, strategy, tokenizer=len) for history in histories]

    def run(history: Conversation) -> None:
        for _ in range(20):
            index = MessageIndex(history, tokenizer=len)
            index.compact(strategy)
            assert index.included_messages() == expected[histories.index(history)]

    in_threads(*(lambda history=history: run(history) for history in histories))


def test_a_thread_waits_while_another_ones_trigger_runs() -> None:
    index = MessageIndex(talk(40), tokenizer=len)
    entered, seen = threading.Event(), []

    def slow(index: MessageIndex) -> bool:
        entered.set()
        seen.append(index.included_message_count)
        threading.Event().wait(0.05)
        seen.append(index.included_message_count)
        return True

    def append() -> None:
        entered.wait()
        index.append({"role": "user", "content": "meanwhile"})

    strategy = TruncationStrategy(
        trigger=slow, target=triggers.messages_exceed(0), minimum_preserved=1
    )
    in_threads(lambda: index.compact(strategy), append)
    assert seen == [40, 40]
    assert len(index) == 41


def test_an_error_in_one_thread_is_none_in_another() -> None:
    def count(text: str) -> int:
        if threading.current_thread() is unlucky:
            raise RuntimeError("not here")
        return len(text)

    index = MessageIndex(talk(400), tokenizer=count)
    errors: list[Exception] = []

    def fail() -> None:
        for _ in range(50):
            try:
                index.compact(TruncationStrategy(trigger=triggers.tokens_exceed(10**6)))
            except RuntimeError as error:
                errors.append(error)

    unlucky = threading.Thread(target=fail)
    unlucky.start()
    for message in talk(200):
        index.append(message)
        assert index.included_token_count > 0
    unlucky.join()
    assert_figures_are_right(index)


def test_promise_10_a_run_that_fails_undoes_no_other_threads_run() -> None:
    index = MessageIndex(talk(40), tokenizer=len)
    entered, other_ended = threading.Event(), threading.Event()

    def enters(_index: MessageIndex) -> bool:
        entered.set()
        threading.Event().wait(0.1)  # time for the other thread to ask for the index
        return False

    def fails(index: MessageIndex) -> bool:
        index.exclude(index.groups[0], reason="first")
        other_ended.wait(0.5)
        raise RuntimeError("the model is away")

    def excludes(index: MessageIndex) -> bool:
        return index.exclude(index.groups[5], reason="second")

    def first() -> str:
        strategy = PipelineCompactionStrategy(TruncationStrategy(trigger=enters), fails)
        with pytest.raises(RuntimeError, match="the model is away"):
            index.compact(strategy)
        return "failed"

    def second() -> str:
        entered.wait()
        try:
            index.compact(excludes)
        except ChatfoldError as error:
            return str(error)
        else:
            return "done"
        finally:
            other_ended.set()

    _, outcome = in_threads(first, second)
    assert outcome == "done" or "another call" in outcome
    assert not index.groups[0].excluded
    assert index.groups[5].excluded == (outcome == "done")
    index.compact(excludes)
    assert index.groups[5].excluded


def test_event_loops_of_several_threads_share_an_index() -> None:
    index = MessageIndex(talk(200), tokenizer=len)

    async def excludes(index: MessageIndex) -> bool:
        await asyncio.sleep(0.0005)
        index.exclude(index.included_groups[0], reason="oldest")
        await asyncio.sleep(0.0005)
        return True

    async def several() -> int:
        done = 0
        for _ in range(15):
            try:
                done += (await index.acompact(excludes)).changed
            except ChatfoldError:  # another call compacts the index
                continue
        return done

    done = in_threads(*(lambda: asyncio.run(several()) for _ in range(4)))
    assert index.included_message_count == 200 - sum(done)
    assert_figures_are_right(index)

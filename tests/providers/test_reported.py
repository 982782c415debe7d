"""Reported histories: what turns of a session must do with them."""

import asyncio
import copy

from chatfold import (
    CompactionProvider,
    ContextPruningStrategy,
    InMemoryHistoryProvider,
    SelectiveToolCallCompactionStrategy,
    Session,
    SummarizationStrategy,
    ToolResultCompactionStrategy,
    TruncationStrategy,
    count_cache,
    triggers,
)
from providers.agent import Agent, in_another_process, loaded
from summarization.stubs import Stub, assistant, run, system, tool_round, user


def test_c23_what_was_stored_before_an_exclusion_loads_back_complete() -> None:
    history, session = InMemoryHistoryProvider(), Session()
    messages = [user("q"), *tool_round(1, "r1"), *tool_round(2, "r2")]
    before = copy.deepcopy(messages)
    run(Agent(history).turn(session, messages[:1], [messages[1:3], messages[3:]]))
    saved = session.to_dict()
    index = history.history(session).index
    index.exclude(index.groups[1], reason="mine")
    assert loaded(session) == [before[0], *before[3:]]
    assert loaded(Session.from_dict(saved)) == before
    assert messages == before


def test_c24_below_the_trigger_nothing_at_all_changes() -> None:
    strategy = TruncationStrategy(max_n=1_000_000, tokenizer="o200k_base")
    agent = Agent(InMemoryHistoryProvider(), CompactionProvider(strategy, strategy))
    session = Session()
    messages = [user("opening request"), *tool_round(1, "r"), assistant("done")]
    before = copy.deepcopy(messages)
    run(agent.turn(session, messages[:1], [messages[1:3], messages[3:]]))
    assert messages == before
    assert loaded(session) == before
    assert [len(sent) for sent in agent.sent] == [1, 3]
    assert all(report.startswith("unchanged") for report in agent.reports)


def test_c38_unchanged_history_is_summarized_once_at_most() -> None:
    client = Stub("SUMMARY")
    strategy = SummarizationStrategy(
        client=client, trigger=triggers.tokens_exceed(1_000), minimum_preserved=1
    )
    agent = Agent(InMemoryHistoryProvider(), CompactionProvider(strategy, strategy))
    session = Session()
    history = [user("q1"), assistant("a1"), user("q2"), assistant("a2"), user("q3")]
    run(agent.turn(session, [system("rules " * 2_000), *history]))
    for _ in range(5):
        run(agent.turn(session, [], [[]]))
        session = in_another_process(session)
    assert len(client.seen) <= 1
    assert "target missed" in agent.reports[-1]


def test_c48_what_was_sent_is_the_beginning_of_what_is_sent_next() -> None:
    strategy = ToolResultCompactionStrategy(
        trigger=triggers.tokens_exceed(900), target=triggers.tokens_below(500), max_chars=64
    )
    agent = Agent(InMemoryHistoryProvider(), CompactionProvider(strategy))
    session = Session()
    for number in range(4):
        steps = [tool_round(number, "out " * 300), [assistant("ok")]]
        run(agent.turn(session, [user(f"q{number}")], steps))
    for _ in range(4):
        run(agent.turn(session, [user("more")], [[assistant("fine")]]))
        session = in_another_process(session)
    compactions = 0
    for before, after in zip(agent.sent, agent.sent[1:], strict=False):
        compactions += after[: len(before)] != before
    assert compactions == sum(not report.startswith("unchanged") for report in agent.reports)
    assert 0 < compactions <= 4
    assert all(report.startswith("unchanged") for report in agent.reports[-4:])


def test_c48_pruned_results_stay_byte_for_byte_until_pruning_frees_enough_again() -> None:
    strategy = ContextPruningStrategy(
        keep_last_assistants=2,
        min_prunable_tool_chars=0,
        soft_trim=False,
        hard_clear_ratio=0.3,
        min_tokens_freed=300,
        trigger=triggers.tokens_exceed(900),
    )
    agent = Agent(InMemoryHistoryProvider(), CompactionProvider(strategy))
    session = Session()
    for number in range(4):
        steps = [tool_round(number, "out " * 300), [assistant("ok")]]
        run(agent.turn(session, [user(f"q{number}")], steps))
    for _ in range(4):
        run(agent.turn(session, [user("more")], [[assistant("fine")]]))
        session = in_another_process(session)
    broken = [
        after[: len(before)] != before
        for before, after in zip(agent.sent, agent.sent[1:], strict=False)
    ]
    changed = [not report.startswith("unchanged") for report in agent.reports]
    assert broken == changed[1:]
    assert 0 < sum(changed) < 5
    assert loaded(session)[2]["content"] == "out " * 300


def test_c68_the_loop_ticks_while_a_session_counts() -> None:
    async def ticks_of_a_turn() -> int:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                await asyncio.sleep(0)
                ticks += 1

        # So many bytes that only a count can tell whether they are too many tokens.
        count_cache.clear()
        strategy = TruncationStrategy(max_n=600_000, tokenizer="o200k_base")
        agent = Agent(InMemoryHistoryProvider(), CompactionProvider(strategy))
        ticker = asyncio.create_task(tick())
        words = " ".join(f"word{number}" for number in range(300_000))
        await agent.turn(Session(), [user(words)], [[]])
        ticker.cancel()
        return ticks

    assert run(ticks_of_a_turn()) > 20


def test_c85_each_call_of_a_tool_loop_is_compacted() -> None:
    strategy = SelectiveToolCallCompactionStrategy(keep_last_tool_call_groups=1)
    agent = Agent(InMemoryHistoryProvider(), CompactionProvider(strategy))
    rounds = [tool_round(number, f"r{number}") for number in (1, 2, 3)]
    run(agent.turn(Session(), [user("q")], [*rounds, [assistant("end")]]))
    seen = [sum(message["role"] == "tool" for message in sent) for sent in agent.sent]
    assert seen == [0, 1, 1, 1]
    assert len(agent.reports) == 4


def test_c86_what_is_protected_stays_word_for_word_where_it_is_sent_and_where_it_is_stored() -> (
    None
):
    strategy = SummarizationStrategy(client=Stub("S"), target_count=2, threshold=0)
    history, session = InMemoryHistoryProvider(), Session()
    agent = Agent(history, CompactionProvider(strategy, strategy))
    pin = user("PIN: use metric units")
    run(agent.turn(session, [pin], [[assistant("ok")]]))
    index = history.history(session).index
    index.protect(index.groups[0])
    for number in range(6):
        run(agent.turn(session, [user(f"q{number}")], [[assistant(f"a{number}")]]))
        session = in_another_process(session)
        for messages in (agent.sent[-1], loaded(session)):
            assert messages.count(pin) == 1
            assert sum(str(each["content"]).startswith("[Summary]") for each in messages) <= 1
    assert any(str(each["content"]) == "[Summary] S" for each in loaded(session))
    index = history.history(session).index
    index.unprotect(index.groups[0])
    run(agent.turn(session, [user("last")], [[assistant("done")]]))
    assert pin not in agent.sent[-1]
    assert pin not in loaded(session)
    assert pin in history.history(session).index.messages

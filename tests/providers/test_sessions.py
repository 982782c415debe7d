"""Sessions over several runs: what is sent, what is stored, and what is saved."""

import copy
import json

import pytest

from chatfold import (
    ChatfoldError,
    CompactionProvider,
    ContextProvider,
    InMemoryHistoryProvider,
    OptionError,
    Run,
    Session,
    SlidingWindowStrategy,
    StateError,
    SummarizationStrategy,
    ToolResultCompactionStrategy,
    TruncationStrategy,
)
from providers.agent import Agent, Message, in_another_process, loaded, question, texts
from summarization.stubs import Stub, assistant, run, system, tool_round, turns, user


def test_history_is_loaded_in_the_next_run() -> None:
    agent, session = Agent(InMemoryHistoryProvider()), Session()
    run(agent.talk(session, 3))
    assert [len(sent) for sent in agent.sent] == [1, 3, 5]
    assert texts(agent.sent[2])[::2] == ["question 0: ", "question 1: ", "question 2: "]


def test_before_strategy_compacts_what_is_sent_and_not_what_is_stored() -> None:
    history = InMemoryHistoryProvider()
    compaction = CompactionProvider(before_strategy=SlidingWindowStrategy(keep_last_turns=2))
    agent, session = Agent(history, compaction), Session()
    run(agent.talk(session, 5))
    assert texts(agent.sent[-1]) == ["question 3: ", "answer 3: so", "question 4: "]
    stored = history.history(session)
    assert len(stored) == stored.index.included_message_count == 10


def test_after_strategy_lets_the_next_turn_start_smaller() -> None:
    history = InMemoryHistoryProvider()
    agent = Agent(history, CompactionProvider(after_strategy=TruncationStrategy(max_n=4)))
    session = Session()
    run(agent.talk(session, 5))
    assert [len(sent) for sent in agent.sent] == [1, 3, 5, 5, 5]


def test_what_is_excluded_stays_stored_with_reason_counts_and_links() -> None:
    history = InMemoryHistoryProvider()
    strategy = ToolResultCompactionStrategy(keep_last_tool_call_groups=1, max_chars=64)
    agent = Agent(history, CompactionProvider(after_strategy=strategy))
    session = Session()
    rounds = [tool_round(number, "found " * 40) for number in range(2)]
    run(agent.turn(session, [user("go")], [*rounds, [assistant("done")]]))
    for each in (session, in_another_process(session)):
        index = history.history(each).index
        assert len(index) == 6
        excluded = [group for group in index.groups if group.excluded]
        (group,) = excluded
        assert (group.positions, group.exclude_reason) == ((1, 2), "tool_result_compaction")
        assert (group.message_count, group.token_count > 40) == (2, True)
        summary = group.summary
        assert summary is not None
        assert summary.summarizes == [group]
        assert str(summary.messages[0]["content"]).startswith("[Tool results: read: found")


@pytest.mark.parametrize("skip_excluded", [True, False])
def test_skip_excluded_decides_what_is_loaded(*, skip_excluded: bool) -> None:
    history = InMemoryHistoryProvider(skip_excluded=skip_excluded)
    strategy = ToolResultCompactionStrategy(keep_last_tool_call_groups=1, max_chars=64)
    agent = Agent(history, CompactionProvider(after_strategy=strategy))
    session = Session()
    rounds = [tool_round(number, "found " * 40) for number in range(2)]
    run(agent.turn(session, [user("go")], [*rounds, [assistant("done")]]))
    run(agent.turn(session, [user("more")], [[assistant("ok")]]))
    raw = [user("go"), *rounds[0], *rounds[1], assistant("done"), user("more")]
    if skip_excluded:
        assert len(agent.sent[-1]) == len(raw) - 1
        assert agent.sent[-1][1]["content"].startswith("[Tool results: ")
    else:
        assert agent.sent[-1] == raw


def test_either_strategy_may_be_missing() -> None:
    agent, session = Agent(InMemoryHistoryProvider(), CompactionProvider()), Session()
    run(agent.talk(session, 2))
    assert len(agent.sent[-1]) == 3
    assert agent.reports == []


def test_a_summary_made_before_the_run_is_stored_nowhere() -> None:
    history, client = InMemoryHistoryProvider(), Stub()
    strategy = SummarizationStrategy(client=client, target_count=3, threshold=1)
    agent = Agent(history, CompactionProvider(before_strategy=strategy))
    session = Session()
    run(agent.talk(session, 6))
    assert agent.sent[-1][0]["content"] == "[Summary] The gist."
    stored = history.history(session).index.included_messages()
    assert stored == turns(6)


def test_a_summary_of_both_strategies_is_sent_and_stored_once() -> None:
    history, client = InMemoryHistoryProvider(), Stub(lambda call: f"The gist, {call}.")
    strategy = SummarizationStrategy(client=client, target_count=3, threshold=1)
    agent = Agent(history, CompactionProvider(strategy, strategy))
    session = Session()
    for number in range(6):
        run(agent.turn(session, *question(number)))
        session = in_another_process(session)
        stored = history.history(session).index.included_messages()
        for messages in (agent.sent[-1], stored):
            summaries = [each for each in messages if str(each["content"]).startswith("[Summary]")]
            assert len(summaries) <= 1
    index = history.history(session).index
    assert str(index.included_messages()[0]["content"]).startswith("[Summary] The gist, ")
    assert index.messages == turns(6)


def test_a_summary_that_is_handed_back_is_refused() -> None:
    client = Stub()
    strategy = SummarizationStrategy(client=client, target_count=3, threshold=1)
    for compaction in (CompactionProvider(strategy), CompactionProvider(None, strategy)):
        agent, session = Agent(InMemoryHistoryProvider(), compaction), Session()
        run(agent.talk(session, 6))

        async def hand_back(session: Session = session, agent: Agent = agent) -> None:
            async with session.run(agent.providers, [user("next?")]) as turn:
                sent = await turn.messages()
                with pytest.raises(OptionError, match=r"stands for earlier messages"):
                    turn.extend([*sent, assistant("so")])

        run(hand_back())


def test_an_older_message_may_come_again() -> None:
    nudge = user("continue")
    history = InMemoryHistoryProvider()
    agent, session = Agent(history, CompactionProvider(TruncationStrategy(max_n=3))), Session()
    for _ in range(4):
        run(agent.turn(session, [nudge], [[assistant("so"), nudge], [assistant("done")]]))
    assert history.history(session).index.messages == 4 * [
        nudge,
        assistant("so"),
        nudge,
        assistant("done"),
    ]


def test_a_whole_list_can_be_handed_back() -> None:
    strategy = SlidingWindowStrategy(keep_last_turns=1)
    history = InMemoryHistoryProvider()
    agent, session = Agent(history, CompactionProvider(strategy)), Session()
    run(agent.talk(session, 3))

    async def loop() -> None:
        async with session.run(agent.providers, [user("go")]) as turn:
            for number in range(3):
                messages = await turn.messages()
                messages += copy.deepcopy(tool_round(number, "found"))
                assert turn.sync(messages) == 2
                assert turn.sync(messages) == 0
            with pytest.raises(OptionError, match="message 0 of messages is not the one"):
                turn.sync([assistant("so")])

    run(loop())
    assert len(history.history(session)) == 6 + 1 + 6


class Instructions:
    """A provider that adds a system message that is not stored."""

    def __init__(self, text: str, source_id: str = "instructions") -> None:
        self.text, self.source_id = text, source_id

    async def before_run(self, run: Run) -> None:
        run.context_messages[self.source_id] = [system(self.text)]

    async def after_run(self, run: Run) -> None:
        assert run.response_messages


def test_what_earlier_providers_add_is_compacted_and_what_later_ones_add_is_not() -> None:
    history = InMemoryHistoryProvider()
    strategy = TruncationStrategy(max_n=3, preserve_system=False)
    later = Instructions("Be kind.", "later")
    agent = Agent(Instructions("Be brief."), history, CompactionProvider(strategy), later)
    session = Session()
    run(agent.talk(session, 3))
    run(agent.turn(session, [user("go")], [tool_round(1, "a"), tool_round(2, "b"), []]))
    assert [message["role"] for message in agent.sent[0]] == ["system", "system", "user"]
    assert agent.sent[-1] == [system("Be kind."), user("go"), *tool_round(2, "b")]
    assert all("Be kind." in str(sent) for sent in agent.sent)
    assert "Be " not in str(history.history(session).index.messages)


def test_a_session_has_one_run_at_a_time() -> None:
    agent, session = Agent(InMemoryHistoryProvider()), Session("s1")

    async def two() -> None:
        async with session.run(agent.providers, [user("one")]):
            with pytest.raises(ChatfoldError, match="session 's1' has a run already"):
                await agent.turn(session, [user("two")])

    run(two())
    run(agent.talk(session, 1))


@pytest.mark.parametrize("way", ["messages", "append", "extend", "sync"])
def test_before_and_after_a_run_nothing_is_sent_or_taken(way: str) -> None:
    session, agent = Session(), Agent(InMemoryHistoryProvider())
    run(agent.talk(session, 1))

    async def use(turn: Run) -> None:
        if way == "messages":
            await turn.messages()
        else:
            {"append": turn.append, "extend": turn.extend, "sync": turn.sync}[way]([])

    async def breaks(turn: Run) -> None:
        async with turn:
            raise KeyError("boom")

    async def scene() -> None:
        turn = session.run(agent.providers, [user("go")])
        with pytest.raises(ChatfoldError, match="the run has not begun"):
            await use(turn)
        async with turn:
            assert len(await turn.messages()) == 3
        failed = session.run(agent.providers, [user("go")])
        with pytest.raises(KeyError):
            await breaks(failed)
        for over in (turn, failed):
            with pytest.raises(ChatfoldError, match="the run has ended"):
                await use(over)

    run(scene())
    assert len(loaded(session)) == 3


def test_a_session_is_plain_json_and_continues_elsewhere() -> None:
    compaction = CompactionProvider(
        before_strategy=SlidingWindowStrategy(keep_last_turns=1),
        after_strategy=TruncationStrategy(max_n=8, compact_to=4),
        tokenizer="o200k_base",
    )
    here, there = Session("s"), Session("s")
    one, other = (Agent(InMemoryHistoryProvider(), compaction) for _ in range(2))
    for number in range(9):
        run(one.turn(here, *question(number)))
        run(other.turn(there, *question(number)))
        there = in_another_process(there)
    assert one.sent == other.sent
    assert json.loads(json.dumps(here.to_dict()))["state"].keys() == {"in_memory", "compaction"}


def test_stored_messages_are_saved_once() -> None:
    compaction = CompactionProvider(before_strategy=SlidingWindowStrategy(keep_last_turns=1))
    agent, session = Agent(InMemoryHistoryProvider(), compaction), Session()
    run(agent.talk(session, 4))
    saved = json.dumps(session.to_dict())
    assert saved.count("question 0") == 1
    assert session.to_dict()["state"]["compaction"]["messages"] == [[0, 7]]


def test_a_tokenizer_may_change_between_runs() -> None:
    agent, session = Agent(InMemoryHistoryProvider()), Session()
    run(agent.talk(session, 5))
    for tokenizer in (None, "o200k_base", "cl100k_base", None):
        strategy = TruncationStrategy(max_n=90, tokenizer=tokenizer or "o200k_base")
        agent = Agent(InMemoryHistoryProvider(), CompactionProvider(strategy, strategy))
        run(agent.talk(session, 1))
        session = in_another_process(session)
        assert len(agent.sent[-1]) < 4


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        ({"format": "other"}, "this is no saved session: dict without the format"),
        ({"version": 99}, "the session has version 99 and this chatfold reads version 1"),
        ({"session_id": None}, "the session is damaged: session_id is None"),
        ({"state": [1]}, r"the session is damaged: state is \[1\]"),
    ],
)
def test_a_damaged_session_is_refused(damage: Message, message: str) -> None:
    with pytest.raises(StateError, match=message):
        Session.from_dict(Session("s").to_dict() | damage)


@pytest.mark.parametrize(
    ("source_id", "damage"),
    [
        ("in_memory", {"messages": None}),
        ("in_memory", {"messages": []}),
        ("in_memory", {"index": {}}),
        ("compaction", {"messages": [[0, 99]]}),
        ("compaction", {"messages": [["a", 1]]}),
        ("compaction", {"messages": []}),
        ("compaction", {"messages": 5}),
    ],
)
def test_a_damaged_state_names_the_session_and_the_provider(
    source_id: str, damage: Message
) -> None:
    compaction = CompactionProvider(before_strategy=SlidingWindowStrategy(keep_last_turns=1))
    agent, session = Agent(InMemoryHistoryProvider(), compaction), Session("s7")
    run(agent.talk(session, 3))
    saved = session.to_dict()
    saved["state"][source_id] |= damage
    with pytest.raises(StateError, match=f"session 's7': what '{source_id}' saved can't be loaded"):
        run(agent.talk(Session.from_dict(saved), 1))


def test_what_is_no_json_is_named() -> None:
    history, session = InMemoryHistoryProvider(), Session("s")
    agent = Agent(history)
    run(agent.turn(session, [user("a")], [[assistant("b") | {"raw": b"c"}]]))
    with pytest.raises(StateError, match=r"'in_memory' can't be saved: message 1 can't be .*bytes"):
        session.to_dict()


def test_names_of_providers_are_their_own() -> None:
    with pytest.raises(OptionError, match="two providers have the source_id 'in_memory'"):
        Session().run([InMemoryHistoryProvider(), InMemoryHistoryProvider()])
    for wrong in (InMemoryHistoryProvider, None, SlidingWindowStrategy(keep_last_turns=1)):
        with pytest.raises(TypeError, match=r"providers\[0\] is .*pass an object with source_id"):
            Session().run([wrong])  # type: ignore[list-item]


def test_the_providers_are_providers() -> None:
    assert isinstance(InMemoryHistoryProvider(), ContextProvider)
    assert isinstance(CompactionProvider(), ContextProvider)


def test_a_session_that_counts_with_a_tokenizer_of_ones_own_is_loaded() -> None:
    strategy = TruncationStrategy(max_n=500, compact_to=400, tokenizer=len)
    compaction = CompactionProvider(strategy, strategy)
    agent, session = Agent(InMemoryHistoryProvider(), compaction), Session()
    for number in range(4):
        run(agent.turn(session, *question(number)))
        session = in_another_process(session)
    assert [len(sent) for sent in agent.sent] == [1, 3, 3, 4]

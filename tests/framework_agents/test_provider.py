"""chatfold's compaction provider in a real agent, with the framework's history provider."""

import json
import logging
from collections.abc import Sequence
from typing import Any

import pytest
from agent_framework import (
    Agent,
    AgentSession,
    HistoryProvider,
    InMemoryHistoryProvider,
    Message,
    tool,
)

import chatfold
from chatfold import (
    CompactionProvider,
    ExtractiveSummarizer,
    SummarizationStrategy,
    ToolResultCompactionStrategy,
    TruncationStrategy,
    work_done,
)
from chatfold.integrations.agent_framework import as_context_provider
from chatfold.provider import CompactionEvent
from framework_agents.scripted import (
    CallsFirst,
    Script,
    ScriptedClient,
    conversation,
    echo,
    pairs_closed,
    run,
)


@tool(approval_mode="never_require")
def lookup(query: str) -> str:
    """Look something up."""
    return f"result of {query}: " + "words and more words " * 40


def digests() -> ToolResultCompactionStrategy:
    return ToolResultCompactionStrategy(max_chars=120)


def raw_results(messages: list[Message]) -> int:
    return sum(c.type == "function_result" for m in messages for c in m.contents)


def stored(session: AgentSession) -> list[Message]:
    messages: list[Message] = session.state["in_memory"]["messages"]
    return messages


def agent_with(
    provider: CompactionProvider,
    script: Script = echo,
    *,
    skip_excluded: bool = False,
    first: bool = True,
) -> tuple[Agent, ScriptedClient]:
    client = ScriptedClient(script)
    history = InMemoryHistoryProvider(skip_excluded=skip_excluded)
    own = as_context_provider(provider)
    providers = [own, history] if first else [history, own]
    return Agent(client=client, tools=[lookup], context_providers=providers), client


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("first", [False, True])
def test_before_strategy_compacts_each_call_and_stores_nothing(
    *, stream: bool, first: bool
) -> None:
    agent, client = agent_with(
        CompactionProvider(before_strategy=digests()), CallsFirst(10), first=first
    )

    async def check() -> None:
        session = agent.create_session()
        for turn in range(3):
            if stream:
                await agent.run(
                    f"Question {turn}.", stream=True, session=session
                ).get_final_response()
            else:
                await agent.run(f"Question {turn}.", session=session)
        assert len(client.sent) == 33
        assert all(raw_results(sent) <= 1 for sent in client.sent)
        assert all(pairs_closed(sent) for sent in client.sent)
        assert sum(m.text.startswith("[Tool results: ") for m in client.sent[-1]) == 29
        # What is stored is what was said, with no trace of compaction.
        messages = stored(session)
        assert len(messages) == 3 * 22
        assert raw_results(messages) == 30
        assert not any(m.text.startswith("[Tool") for m in messages)
        assert not any(m.additional_properties.get("_excluded") for m in messages)

    run(check())


@pytest.mark.parametrize("skip_excluded", [False, True])
@pytest.mark.parametrize("reload", [False, True])
def test_after_strategy_compacts_what_is_stored_at_the_end_of_a_turn(
    *, skip_excluded: bool, reload: bool
) -> None:
    agent, client = agent_with(
        CompactionProvider(after_strategy=digests()), CallsFirst(3), skip_excluded=skip_excluded
    )

    async def check() -> None:
        session = agent.create_session()
        for turn in range(6):
            start = len(client.sent)
            await agent.run(f"Question {turn}.", session=session)
            messages = stored(session)
            assert raw_results(messages) == 3 * (turn + 1)
            digested = [m for m in messages if m.text.startswith("[Tool results: ")]
            assert len(digested) == len({m.message_id for m in digested}) == 3 * turn + 2
            left_out = [m for m in messages if m.additional_properties["_excluded"]]
            reasons = {m.additional_properties["_exclude_reason"] for m in left_out}
            assert reasons == {"tool_result_compaction"}
            # Under the running loop nothing is compacted.
            assert raw_results(client.sent[-1]) - raw_results(client.sent[start]) == 3
            if skip_excluded:
                assert raw_results(client.sent[start]) == min(turn, 1)
            if reload:
                session = AgentSession.from_dict(json.loads(json.dumps(session.to_dict())))

    run(check())


@pytest.mark.parametrize("reload", [False, True])
def test_a_summary_made_before_a_run_is_not_stored_and_not_made_again(*, reload: bool) -> None:
    asked = []

    async def model(messages: list[dict[str, str]]) -> str:
        asked.append(messages)
        return "They talk."

    strategy = SummarizationStrategy(client=model, target_count=4, threshold=20)
    provider = CompactionProvider(before_strategy=strategy)
    agent, client = agent_with(provider)

    async def check() -> None:
        nonlocal agent
        session = agent.create_session()
        for turn in range(40):
            await agent.run(f"Question {turn}, and a few words more.", session=session)
            if reload:
                session = AgentSession.from_dict(json.loads(json.dumps(session.to_dict())))
                agent, other = agent_with(provider)
                other.sent = client.sent
        assert len(asked) == 3
        assert [m.text for m in client.sent[-1] if m.text.startswith("[Summary]")] == [
            "[Summary] They talk."
        ]
        assert len(stored(session)) == 80
        assert not any(m.text.startswith("[Summary]") for m in stored(session))

    run(check())


def test_a_saved_memory_that_does_not_fit_is_made_anew() -> None:
    agent, client = agent_with(CompactionProvider(before_strategy=digests()), CallsFirst(4))

    async def check() -> None:
        session = agent.create_session()
        await agent.run("Question.", session=session)
        saved = session.to_dict()
        assert saved["state"]["compaction"]["in_flight"]["messages"] == 9
        for damaged in ({"messages": 3}, {"messages": 4, "index": {}}, "what?"):
            saved["state"]["compaction"]["in_flight"] = damaged
            other = AgentSession.from_dict(saved)
            await agent.run(f"Question {damaged}.", session=other)
            assert raw_results(client.sent[-1]) == 1

    run(check())


def test_each_message_is_read_once_in_flight_and_once_in_store() -> None:
    provider = CompactionProvider(
        before_strategy=TruncationStrategy(max_n=500, compact_to=300, tokenizer="o200k_base"),
        after_strategy=TruncationStrategy(max_n=60, compact_to=40),
    )
    agent, _ = agent_with(provider, CallsFirst(2))

    async def check() -> None:
        session = agent.create_session()
        session.state["in_memory"] = {"messages": conversation(100)[1:]}
        costs = []
        for turn in range(6):
            before = work_done()
            await agent.run(f"Question {turn}.", session=session)
            costs.append(work_done().messages_read - before.messages_read)
        # Two times the six messages of a turn, but for what is stored after the last call.
        assert costs[2:] == [12] * 4

    run(check())


def test_hooks_see_the_session_and_may_veto() -> None:
    seen: list[tuple[str, str]] = []

    def veto(event: CompactionEvent) -> bool:
        seen.append((event.phase, event.session.session_id))
        return False

    provider = CompactionProvider(
        before_strategy=digests(), after_strategy=digests(), before_hook=veto
    )
    agent, client = agent_with(provider, CallsFirst(3))
    session = agent.create_session()
    run(agent.run("Question.", session=session))
    assert raw_results(client.sent[-1]) == 3
    assert not any(m.additional_properties.get("_excluded") for m in stored(session))
    assert seen == [("before_run", session.session_id)] * 4 + [("after_run", session.session_id)]


def test_promise_10_after_a_failure_what_is_stored_is_as_it_was() -> None:
    async def breaks(_: chatfold.MessageIndex) -> bool:
        raise RuntimeError("boom")

    agent, client = agent_with(CompactionProvider(before_strategy=breaks))
    session = agent.create_session()
    session.state["in_memory"] = {"messages": conversation(2)[1:]}
    before = [(m, dict(m.additional_properties)) for m in stored(session)]
    with pytest.raises(RuntimeError, match="boom"):
        run(agent.run("Question.", session=session))
    assert [(m, m.additional_properties) for m in stored(session)] == before
    assert not client.sent


def test_where_a_service_keeps_the_conversation_it_has_no_effect_and_says_so_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    provider = CompactionProvider(
        before_strategy=TruncationStrategy(max_n=1, compact_to=1),
        after_strategy=TruncationStrategy(max_n=1, compact_to=1),
    )
    agent, client = agent_with(provider)
    client.conversation_id = "thread-1"
    session = agent.get_session("thread-1")
    session.state["in_memory"] = {"messages": conversation(2)[1:]}
    with caplog.at_level(logging.WARNING, logger="chatfold"):
        for turn in range(3):
            run(agent.run(f"Question {turn}.", session=session))
    said = [each.getMessage() for each in caplog.records if each.name == "chatfold"]
    assert len(said) == 1
    assert "no effect" in said[0]
    assert session.session_id in said[0]
    assert not any(m.additional_properties.get("_excluded") for m in stored(session))


@pytest.mark.parametrize("of_all_runs", [False, True])
@pytest.mark.parametrize("name", ["previous_response_id", "conversation", "conversation_id"])
def test_options_that_name_a_conversation_of_a_service_leave_it_alone(
    name: str, caplog: pytest.LogCaptureFixture, *, of_all_runs: bool
) -> None:
    once = TruncationStrategy(max_n=1, compact_to=1)
    client = ScriptedClient(CallsFirst(2))
    options: Any = {name: "resp_1"}
    agent = Agent(
        client=client,
        tools=[lookup],
        context_providers=[
            as_context_provider(CompactionProvider(once, once)),
            InMemoryHistoryProvider(),
        ],
        default_options=options if of_all_runs else None,
    )
    session = agent.create_session()
    session.state["in_memory"] = {"messages": conversation(2)[1:]}
    said = ["And more.", "Question."]
    with caplog.at_level(logging.WARNING, logger="chatfold"):
        run(agent.run(said, session=session, options=None if of_all_runs else options))
    assert {*said} <= {message.text for message in client.sent[0]}
    assert not any(m.additional_properties.get("_excluded") for m in stored(session))
    assert ["no effect" in each.getMessage() for each in caplog.records].count(True) == 1


class Elsewhere(HistoryProvider):
    """Stores messages outside of the session, as a database does."""

    def __init__(self, source_id: str) -> None:
        super().__init__(source_id)
        self.kept: list[Message] = []

    async def get_messages(self, *_: Any, **__: Any) -> list[Message]:  # noqa: ANN401 (as there)
        return list(self.kept)

    async def save_messages(
        self,
        session_id: str | None,  # noqa: ARG002 (as there)
        messages: Sequence[Message],
        **_: Any,  # noqa: ANN401 (as there)
    ) -> None:
        self.kept += messages


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_history_that_is_not_in_the_session_is_told_once(
    caplog: pytest.LogCaptureFixture, *, elsewhere: bool
) -> None:
    named = "elsewhere" if elsewhere else "in_memory"
    own = as_context_provider(CompactionProvider(None, digests(), history_source_id=named))
    history = Elsewhere("elsewhere")
    agent = Agent(client=ScriptedClient(echo), context_providers=[own, history])
    session = agent.create_session()
    with caplog.at_level(logging.WARNING, logger="chatfold"):
        for turn in range(3):
            run(agent.run(f"Question {turn}.", session=session))
    (said,) = [each.getMessage() for each in caplog.records if each.name == "chatfold"]
    assert (
        f"no effect after runs, since no provider '{named}' stores messages in the session" in said
    )
    assert len(history.kept) == 6


def test_reports_of_the_last_run_are_at_hand() -> None:
    own = as_context_provider(CompactionProvider(digests(), digests()))
    client = ScriptedClient(CallsFirst(3))
    agent = Agent(client=client, tools=[lookup], context_providers=[own, InMemoryHistoryProvider()])
    run(agent.run("Question.", session=agent.create_session()))
    assert [report.changed for report in own.last_reports] == [False, False, True, True, True]


def test_a_wrong_provider_is_named() -> None:
    with pytest.raises(chatfold.OptionTypeError, match="provider is 'x'"):
        as_context_provider("x")  # type: ignore[arg-type]


def test_an_extractive_summary_of_stored_messages_replaces_them_for_the_next_turn() -> None:
    strategy = SummarizationStrategy(client=ExtractiveSummarizer(), target_count=4, threshold=4)
    agent, client = agent_with(
        CompactionProvider(after_strategy=strategy), CallsFirst(1), skip_excluded=True
    )

    async def check() -> None:
        session = agent.create_session()
        for turn in range(8):
            await agent.run(f"Question {turn}.", session=session)
            session = AgentSession.from_dict(json.loads(json.dumps(session.to_dict())))
        messages = stored(session)
        summaries = [m for m in messages if m.text.startswith("[Summary]")]
        kept = [m for m in summaries if not m.additional_properties.get("_excluded")]
        assert len(kept) == 1
        assert len(summaries) > 1
        assert raw_results(messages) == 8
        assert max(map(len, client.sent)) <= 12

    run(check())

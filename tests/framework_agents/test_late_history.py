"""Compaction in flight where something else has a say after it: history loaded late, other strategies."""

import json
import logging
from collections import Counter
from typing import Any

import agent_framework
import pytest
from agent_framework import (
    Agent,
    AgentSession,
    ChatResponse,
    InMemoryHistoryProvider,
    Message,
    tool,
)

from chatfold import (
    CompactionProvider,
    SlidingWindowStrategy,
    SummarizationStrategy,
    ToolResultCompactionStrategy,
    TruncationStrategy,
)
from chatfold.integrations.agent_framework import (
    as_compaction_strategy,
    as_context_provider,
    as_tokenizer,
)
from framework_agents.scripted import CallsFirst, ScriptedClient, pairs_closed, run


@tool(approval_mode="never_require")
def lookup(query: str) -> str:
    """Look something up."""
    return f"result of {query}: " + "words and more words " * 40


def digests() -> ToolResultCompactionStrategy:
    return ToolResultCompactionStrategy(max_chars=120)


def shown(message: Message) -> tuple[str, str, tuple[str | None, ...]]:
    return str(message.role), message.text, tuple(each.call_id for each in message.contents)


def stored(session: AgentSession) -> list[Message]:
    messages: list[Message] = session.state["in_memory"]["messages"]
    return messages


def group_of(message: Message) -> dict[str, Any]:
    group: dict[str, Any] = message.additional_properties.get("_group") or {}
    return group


def talk(
    provider: CompactionProvider,
    *,
    late: bool,
    stream: bool = False,
    skip_excluded: bool = False,
    strategy: Any = None,  # noqa: ANN401 (of either side)
    turns: int = 4,
) -> tuple[list[list[Message]], list[Message]]:
    """Give what the model was sent, and what is stored in the end; each turn is another process."""
    client = ScriptedClient(CallsFirst(3, parallel=2))

    async def main() -> list[Message]:
        session = AgentSession()
        for turn in range(turns):
            agent = Agent(
                client=client,
                tools=[lookup],
                context_providers=[
                    as_context_provider(provider),
                    InMemoryHistoryProvider(skip_excluded=skip_excluded),
                ],
                compaction_strategy=strategy,
                require_per_service_call_history_persistence=late,
            )
            if stream:
                answer = agent.run(f"Question {turn}.", stream=True, session=session)
                await answer.get_final_response()
            else:
                await agent.run(f"Question {turn}.", session=session)
            session = AgentSession.from_dict(json.loads(json.dumps(session.to_dict())))
        return stored(session)

    return client.sent, run(main())


BEFORE = {
    "digests": digests(),
    "window": SlidingWindowStrategy(keep_last_turns=2),
    "nothing": TruncationStrategy(max_n=10_000),
}


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("stored_too", [False, True])
@pytest.mark.parametrize("skip_excluded", [False, True])
@pytest.mark.parametrize("stream", [False, True])
def test_history_that_is_loaded_in_each_call_is_compacted_as_other_history_is(
    before: str, *, stored_too: bool, skip_excluded: bool, stream: bool
) -> None:
    provider = CompactionProvider(BEFORE[before], digests() if stored_too else None)
    late, late_store = talk(provider, late=True, stream=stream, skip_excluded=skip_excluded)
    early, early_store = talk(provider, late=False, stream=stream, skip_excluded=skip_excluded)
    assert len(late) == 16
    assert [[*map(shown, sent)] for sent in late] == [[*map(shown, sent)] for sent in early]
    assert [*map(shown, late_store)] == [*map(shown, early_store)]
    if not stored_too:
        assert len(late_store) == 32
        assert not any(m.additional_properties.get("_excluded") for m in late_store)
        if before == "digests":
            # All that was read earlier is a digest, in the tool loop as well.
            assert max(sum(m.role == "tool" for m in sent) for sent in late) == 1


def test_a_conversation_that_a_service_keeps_is_left_alone_there_too(
    caplog: pytest.LogCaptureFixture,
) -> None:
    client = ScriptedClient(CallsFirst(2))
    client.conversation_id = "thread-1"
    agent = Agent(
        client=client,
        tools=[lookup],
        context_providers=[
            as_context_provider(CompactionProvider(TruncationStrategy(max_n=1, compact_to=1))),
            InMemoryHistoryProvider(load_messages=False),
        ],
        require_per_service_call_history_persistence=True,
        default_options={"store": True},
    )
    session = agent.create_session()
    with caplog.at_level(logging.WARNING, logger="chatfold"):
        for turn in range(2):
            run(agent.run(["And more.", f"Question {turn}."], session=session))
    # The first call of all began the conversation.
    assert [len(sent) for sent in client.sent][1:] == [1, 1, 2, 1, 1]
    assert ["no effect" in each.getMessage() for each in caplog.records].count(True) == 1


WITH_A_LATER_STRATEGY = {
    "before": CompactionProvider(SlidingWindowStrategy(keep_last_groups=4)),
    "after": CompactionProvider(None, digests()),
    "both": CompactionProvider(SlidingWindowStrategy(keep_last_groups=4), digests()),
}


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("skip_excluded", [False, True])
@pytest.mark.parametrize("side", ["ours", "theirs"])
@pytest.mark.parametrize("provider", WITH_A_LATER_STRATEGY)
def test_a_digest_of_a_later_strategy_is_stored_once_and_linked_both_ways(
    provider: str, side: str, *, late: bool, skip_excluded: bool
) -> None:
    later: Any = agent_framework.ToolResultCompactionStrategy()
    if side == "ours":
        later = as_compaction_strategy(digests())
    chosen = WITH_A_LATER_STRATEGY[provider]
    sent, messages = talk(chosen, late=late, skip_excluded=skip_excluded, strategy=later)
    assert all(pairs_closed(each) for each in sent)
    assert all(sum(m.role == "tool" for m in each) <= 1 for each in sent)
    if chosen.before_strategy is not None:
        assert max(map(len, sent)) <= 6
    ids = Counter(message.message_id for message in messages if message.message_id)
    assert set(ids.values()) == {1}
    if late:
        # It is shown messages by the names that they are stored under.
        names = {shown(message): message.message_id for message in messages}
        called = [message for each in sent for message in each if any(shown(message)[2])]
        assert called
        assert all(message.message_id == names[shown(message)] for message in called)
    summaries = [m for m in messages if m.text.startswith("[Tool results: ")]
    covers = {m.message_id: group_of(m)["_summary_of_message_ids"] for m in summaries}
    gone = {m.message_id: group_of(m) for m in messages if m.additional_properties.get("_excluded")}
    linked: dict[str | None, list[str | None]] = {by: [] for by in covers}
    for message_id, group in gone.items():
        if "_summarized_by_summary_id" in group:
            linked[group["_summarized_by_summary_id"]].append(message_id)
    assert linked == covers
    assert len({m.text for m in summaries}) == len(summaries)
    assert len([m for m in messages if m not in summaries]) == 32


class Writer:
    """Writes the summaries of the framework's own strategy."""

    async def get_response(self, *_: object, **__: object) -> ChatResponse:
        return ChatResponse(messages=[Message("assistant", ["They said more."])])


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("side", ["ours", "theirs"])
def test_what_a_later_strategy_sums_up_for_one_call_is_stored_whole(
    side: str, *, late: bool
) -> None:
    async def write(_: Any) -> str:  # noqa: ANN401 (chat messages)
        return "They said more."

    later: Any = agent_framework.SummarizationStrategy(
        client=Writer(),  # type: ignore[arg-type]
        target_count=1,
        threshold=0,
    )
    if side == "ours":
        summarize = SummarizationStrategy(client=write, target_count=1, threshold=0)
        later = as_compaction_strategy(summarize)
    client = ScriptedClient(CallsFirst(2))

    async def main() -> list[Message]:
        session = AgentSession()
        for turn in range(2):
            agent = Agent(
                client=client,
                tools=[lookup],
                context_providers=[
                    as_context_provider(CompactionProvider(BEFORE["nothing"])),
                    InMemoryHistoryProvider(skip_excluded=True),
                ],
                compaction_strategy=later,
                require_per_service_call_history_persistence=late,
            )
            said = ["And more. " * 30, "And even more. " * 30, f"Question {turn}."]
            await agent.run(said, session=session)
            session = AgentSession.from_dict(json.loads(json.dumps(session.to_dict())))
        return stored(session)

    messages = run(main())
    assert any("They said more." in message.text for message in client.sent[0])
    # The summary is not stored with what was said: nothing may be left out for it, nor name it.
    said = [message for message in messages if message.role == "user"]
    assert len(said) == 6
    assert not any(message.additional_properties.get("_excluded") for message in said)
    ids = {message.message_id for message in messages}
    linked = {group_of(message).get("_summarized_by_summary_id") for message in messages}
    assert linked <= {*ids, None}


def test_the_framework_counts_for_a_later_strategy_there_as_well() -> None:
    counting = agent_framework.TruncationStrategy(
        max_n=10_000, compact_to=9_000, tokenizer=as_tokenizer("o200k_base")
    )
    for late in (False, True):
        sent, _ = talk(CompactionProvider(BEFORE["nothing"]), late=late, strategy=counting)
        assert all(group_of(m)["token_count"] > 0 for each in sent for m in each)

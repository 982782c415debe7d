"""Strategies of chatfold in a real agent: in the tool loop, and in the framework's own provider."""

import json
from typing import Any

import pytest
from agent_framework import (
    Agent,
    AgentSession,
    CompactionProvider,
    CompactionStrategy,
    InMemoryHistoryProvider,
    Message,
    TokenBudgetComposedStrategy,
    tool,
)
from agent_framework import SlidingWindowStrategy as TheirSlidingWindow

from chatfold import (
    ExtractiveSummarizer,
    PipelineCompactionStrategy,
    SummarizationStrategy,
    ToolResultCompactionStrategy,
    TruncationStrategy,
)
from chatfold.integrations.agent_framework import (
    as_compaction_strategy,
    as_tokenizer,
    from_compaction_strategy,
)
from framework_agents.scripted import (
    CallsFirst,
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


def raw_results(messages: list[Message]) -> int:
    return sum(c.type == "function_result" for m in messages for c in m.contents)


def stored(session: AgentSession) -> list[Message]:
    messages: list[Message] = session.state["in_memory"]["messages"]
    return messages


@pytest.mark.parametrize("where", ["agent", "client", "call"])
@pytest.mark.parametrize("stream", [False, True])
def test_the_tool_loop_sends_compacted_messages(where: str, *, stream: bool) -> None:
    strategy = as_compaction_strategy(ToolResultCompactionStrategy(max_chars=120))
    client = ScriptedClient(
        CallsFirst(30), **({"compaction_strategy": strategy} if where == "client" else {})
    )
    options: dict[str, Any] = {"compaction_strategy": strategy}
    agent = Agent(client=client, tools=[lookup], **(options if where == "agent" else {}))

    async def check() -> str:
        given = options if where == "call" else {}
        if stream:
            response = agent.run("Find it.", stream=True, **given)
            return str((await response.get_final_response()).messages[-1].text)
        return str((await agent.run("Find it.", **given)).messages[-1].text)

    assert run(check()).startswith("Done after")
    assert len(client.sent) == 31
    assert all(raw_results(messages) <= 1 for messages in client.sent)
    assert all(pairs_closed(messages) for messages in client.sent)
    digests = [sum(m.text.startswith("[Tool results: ") for m in sent) for sent in client.sent]
    assert digests == [0, 0, *range(1, 30)]
    # Nothing that was sent once is another in the next call: the prompt cache stays warm.
    for earlier, later in zip(client.sent, client.sent[1:], strict=False):
        texts = [message.text for message in earlier if not raw_results([message])]
        texts = [text for text in texts if text]
        assert [message.text for message in later if message.text][: len(texts)] == texts


def test_the_transcript_of_a_compacted_loop_is_stored_whole() -> None:
    strategy = as_compaction_strategy(ToolResultCompactionStrategy(max_chars=120))
    client = ScriptedClient(CallsFirst(6, parallel=2))
    agent = Agent(client=client, tools=[lookup], compaction_strategy=strategy)
    session = agent.create_session()
    run(agent.run("Find it.", session=session))
    messages = stored(session)
    assert raw_results(messages) == 12
    assert pairs_closed(messages)
    digests = [each for each in messages if each.text.startswith("[Tool results: ")]
    assert len(digests) == len({each.message_id for each in digests}) == 5
    covered = [
        message_id
        for digest in digests
        for message_id in digest.additional_properties["_group"]["_summary_of_message_ids"]
    ]
    assert len(covered) == len(set(covered)) == 10


@pytest.mark.parametrize("skip_excluded", [False, True])
@pytest.mark.parametrize("reload", [False, True])
def test_the_providers_of_the_framework_work_with_it_over_turns(
    *, skip_excluded: bool, reload: bool
) -> None:
    client = ScriptedClient(CallsFirst(3))
    provider = CompactionProvider(
        before_strategy=as_compaction_strategy(
            TruncationStrategy(max_n=400, compact_to=300, tokenizer="o200k_base")
        ),
        after_strategy=as_compaction_strategy(ToolResultCompactionStrategy(max_chars=120)),
    )
    history = InMemoryHistoryProvider(skip_excluded=skip_excluded)
    agent = Agent(client=client, tools=[lookup], context_providers=[history, provider])

    async def check() -> None:
        session = agent.create_session()
        for turn in range(8):
            start = len(client.sent)
            await agent.run(f"Question {turn}.", session=session)
            opening = client.sent[start]
            assert opening[-1].text == f"Question {turn}."
            assert pairs_closed(opening)
            assert raw_results(opening) <= 1
            if reload:
                saved = json.dumps(session.to_dict())
                session = AgentSession.from_dict(json.loads(saved))
        messages = stored(session)
        assert raw_results(messages) == 24
        texts = [m.text for m in messages if m.text.startswith("[Tool results: ")]
        # The framework compacts before its history provider has stored the last turn.
        assert len(texts) == len(set(texts)) == 20

    run(check())


def test_a_digest_made_before_the_run_is_not_lost_with_it() -> None:
    # The framework's provider marks what is stored, and keeps the digest for the one run.
    client = ScriptedClient(echo)
    strategy = as_compaction_strategy(ToolResultCompactionStrategy(max_chars=120))
    provider = CompactionProvider(before_strategy=strategy)
    agent = Agent(client=client, context_providers=[InMemoryHistoryProvider(), provider])

    async def check() -> None:
        session = agent.create_session()
        session.state["in_memory"] = {"messages": conversation(3)[1:]}
        for _ in range(4):
            await agent.run("And?", session=session)
            sent = client.sent[-1]
            assert sum(m.text.startswith("[Tool results: ") for m in sent) == 2
            assert pairs_closed(sent)

    run(check())


def test_pipelines_of_both_sides() -> None:
    tokenizer = as_tokenizer("o200k_base")
    ours = ToolResultCompactionStrategy(max_chars=120)
    mixed: list[CompactionStrategy] = [
        TokenBudgetComposedStrategy(
            token_budget=300, tokenizer=tokenizer, strategies=[as_compaction_strategy(ours)]
        ),
        as_compaction_strategy(
            PipelineCompactionStrategy(
                ours, from_compaction_strategy(TheirSlidingWindow(keep_last_groups=4))
            )
        ),
    ]
    for strategy in mixed:
        client = ScriptedClient(CallsFirst(5))
        agent = Agent(client=client, tools=[lookup], compaction_strategy=strategy)
        session = agent.create_session()
        for turn in range(4):
            response = run(agent.run(f"Question {turn}.", session=session))
            assert response.messages[-1].text.startswith("Done")
        assert all(pairs_closed(messages) for messages in client.sent)
        assert all(raw_results(messages) <= 1 for messages in client.sent)
        assert max(map(len, client.sent)) < 14
        assert all(messages[-1].text or raw_results(messages[-1:]) for messages in client.sent)


def test_a_summary_by_a_model_serves_the_calls_after_it() -> None:
    asked = []

    async def model(messages: list[dict[str, str]]) -> str:
        asked.append(messages)
        return "The user asks, and gets results."

    strategy = as_compaction_strategy(
        SummarizationStrategy(client=[model, ExtractiveSummarizer()], target_count=4, threshold=6)
    )
    client = ScriptedClient(CallsFirst(12))
    agent = Agent(client=client, tools=[lookup], compaction_strategy=strategy)
    run(agent.run("Find it.", session=agent.create_session()))
    # Of some thirty messages up to ten are kept, so that it is asked once in so many calls.
    assert 2 <= len(asked) <= 6
    summaries = [sum(m.text.startswith("[Summary]") for m in sent) for sent in client.sent]
    assert summaries == sorted(summaries)
    assert summaries[-1] == 1
    assert all(len(messages) <= 11 for messages in client.sent)
    assert all(messages[0].text == "Find it." or i for i, messages in enumerate(client.sent))

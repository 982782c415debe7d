"""Reported faults about providers, identity and state, with the framework's agents and messages."""

import copy
import json
from typing import Any

import pytest
from agent_framework import (
    Agent,
    AgentSession,
    InMemoryHistoryProvider,
    Message,
    annotate_message_groups,
    apply_compaction,
    included_messages,
    tool,
)

from chatfold import (
    CompactionProvider,
    ExtractiveSummarizer,
    SelectiveToolCallCompactionStrategy,
    SummarizationStrategy,
    ToolResultCompactionStrategy,
    TruncationStrategy,
    triggers,
)
from chatfold.integrations.agent_framework import as_compaction_strategy, as_context_provider
from chatfold.integrations.agent_framework.messages import from_chat
from framework_agents.scripted import CallsFirst, ScriptedClient, pairs_closed, run
from reported_faults import case


def messages_of(name: str) -> list[Message]:
    return [from_chat(message) for message in case(name)]


def annotations(messages: list[Message]) -> list[Any]:
    return [copy.deepcopy(message.additional_properties) for message in messages]


def test_c09_a_call_that_waits_is_found_by_its_late_result() -> None:
    messages = messages_of("C09")
    strategy = as_compaction_strategy(
        SummarizationStrategy(client=ExtractiveSummarizer(), target_count=2, threshold=0)
    )
    run(apply_compaction(messages, strategy=strategy))
    messages.append(from_chat({"role": "tool", "tool_call_id": "c1", "content": "approved"}))
    assert pairs_closed(run(apply_compaction(messages, strategy=strategy)))


@pytest.mark.parametrize("taken", [None, "msg_0", "summary_9"])
def test_c20_ids_are_unique_whatever_the_caller_has(taken: str | None) -> None:
    messages = messages_of("C20")
    messages[4].message_id = taken
    strategy = as_compaction_strategy(
        ToolResultCompactionStrategy(keep_last_tool_call_groups=0, formatter=lambda *_: "[r]")
    )
    listed = messages[:4]
    run(strategy(listed))
    listed += messages[4:]
    run(strategy(listed))
    # Where the caller brings an id that the framework has given out, the two stay as they are.
    ids = [message.message_id for message in listed]
    digests = [message for message in listed if message.text == "[r]"]
    assert [ids.count(message.message_id) for message in digests] == [1, 1]
    assert len(set(ids)) >= 9
    together = messages_of("C20")
    together[4].message_id = taken
    run(as_compaction_strategy(strategy.strategy)(together))
    assert [m.text for m in included_messages(listed)] == [
        m.text for m in included_messages(together)
    ]


def test_c21_only_the_old_call_and_its_result_are_replaced() -> None:
    messages = messages_of("C21")
    own = list(messages)
    strategy = as_compaction_strategy(
        ToolResultCompactionStrategy(keep_last_tool_call_groups=2, style="names")
    )
    kept = run(apply_compaction(messages, strategy=strategy))
    assert kept[1].text == "[Tool calls: weather]"
    assert [kept[0], *kept[2:]] == [own[0], *own[3:]]


def test_c23_what_was_saved_before_loads_back_complete() -> None:
    messages = messages_of("C23")
    session = AgentSession()
    session.state["in_memory"] = {"messages": messages}
    saved = json.dumps(session.to_dict())
    provider = InMemoryHistoryProvider(skip_excluded=True)
    strategy = as_compaction_strategy(SelectiveToolCallCompactionStrategy())
    # The framework hands out shallow copies, whose annotations are those of the stored messages.
    annotate_message_groups(messages)
    before = annotations(messages)
    handed_out = [copy.copy(message) for message in messages]
    for message in handed_out:
        message.additional_properties = dict(message.additional_properties)
    assert run(strategy(handed_out))
    assert annotations(messages) == before
    for source in (session, AgentSession.from_dict(json.loads(saved))):
        loaded = run(provider.get_messages(None, state=source.state["in_memory"]))
        assert len(loaded) == 5


def test_c24_below_the_trigger_nothing_changes() -> None:
    def idle() -> TruncationStrategy:
        return TruncationStrategy(trigger=triggers.tokens_exceed(1_000_000))

    client = ScriptedClient()
    own = as_context_provider(CompactionProvider(idle(), idle()))
    history = InMemoryHistoryProvider()
    agent = Agent(client=client, context_providers=[own, history])
    session = agent.create_session()
    messages = messages_of("C24")
    before = [message.to_dict() for message in messages]
    session.state["in_memory"] = {"messages": list(messages)}
    for _ in range(2):
        run(agent.run("Go on.", session=session))
    assert [message.to_dict() for message in messages] == before
    assert session.state["in_memory"]["messages"][:4] == messages
    assert [len(sent) for sent in client.sent] == [5, 7]


def test_c85_each_call_of_the_model_is_compacted_and_told() -> None:
    @tool(approval_mode="never_require")
    def lookup(query: str) -> str:
        """Look something up."""
        return f"result of {query}"

    client = ScriptedClient(CallsFirst(3))
    own = as_context_provider(CompactionProvider(SelectiveToolCallCompactionStrategy()))
    agent = Agent(client=client, tools=[lookup], context_providers=[own])
    run(agent.run("q", session=agent.create_session()))
    seen = [
        sum(content.type == "function_result" for m in sent for content in m.contents)
        for sent in client.sent
    ]
    assert seen == [0, 1, 1, 1]
    assert [report.changed for report in own.last_reports] == [False, False, True, True]

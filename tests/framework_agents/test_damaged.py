"""What was saved of compaction in an agent's session, and then damaged, is made anew."""

import json
from typing import Any

import pytest
from agent_framework import Agent, AgentSession, InMemoryHistoryProvider
from hypothesis import given

from chatfold import (
    CompactionProvider,
    PipelineCompactionStrategy,
    SlidingWindowStrategy,
    ToolResultCompactionStrategy,
)
from chatfold.integrations.agent_framework import as_context_provider
from damaging import Damage, damaged, damages, places
from framework_agents.scripted import CallsFirst, ScriptedClient, pairs_closed, run
from framework_agents.test_provider import digests, lookup


def agent(client: ScriptedClient) -> Agent:
    """Make an agent whose model sees the last two turns, with one tool result that is no digest."""
    before = PipelineCompactionStrategy(digests(), SlidingWindowStrategy(keep_last_turns=2))
    after = ToolResultCompactionStrategy(max_chars=64)
    provider = as_context_provider(CompactionProvider(before, after))
    instructions, history = "Be brief.", InMemoryHistoryProvider(skip_excluded=True)
    return Agent(client, instructions, tools=[lookup], context_providers=[provider, history])


def lived_in() -> dict[str, Any]:
    async def live() -> dict[str, Any]:
        session, client = AgentSession(session_id="s7"), ScriptedClient(CallsFirst(2))
        for number in range(3):
            await agent(client).run(f"Question {number}.", session=session)
        saved: dict[str, Any] = json.loads(json.dumps(session.to_dict()))
        return saved

    return run(live())


SAVED = lived_in()
MEMORY = ("state", "compaction")


def goes_on(saved: dict[str, Any]) -> None:
    async def live() -> None:
        client = ScriptedClient(CallsFirst(2))
        session = AgentSession.from_dict(saved)
        for number in (3, 4):
            await agent(client).run(f"Question {number}.", session=session)
        asked = [[m.text for m in sent if m.role == "user"] for sent in client.sent]
        assert asked[-1] == ["Question 3.", "Question 4."]
        assert all(pairs_closed(sent) for sent in client.sent)
        assert all(sum(m.role == "tool" for m in sent) <= 1 for sent in client.sent)
        # What is saved now is whole again.
        again = AgentSession.from_dict(json.loads(json.dumps(session.to_dict())))
        assert again.state["compaction"]["in_flight"]["messages"] > 1

    run(live())


@given(damage=damages([path for path in places(SAVED) if path[:2] == MEMORY]))
def test_an_agent_goes_on_with_a_damaged_memory(damage: Damage) -> None:
    goes_on(damaged(SAVED, damage))


@pytest.mark.parametrize("kept", [None, -1, "x", [], [1], True, 1.5])
def test_an_agent_goes_on_where_the_memory_is_no_mapping(kept: object) -> None:
    goes_on(damaged(SAVED, [(MEMORY, "set", kept)]))

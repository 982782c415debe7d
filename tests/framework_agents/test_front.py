"""Conversations that begin with a system message made anew, such as one that tells the time."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from agent_framework import (
    Agent,
    AgentSession,
    ChatContext,
    ChatMiddleware,
    ContextProvider,
    InMemoryHistoryProvider,
    Message,
    SessionContext,
    tool,
)

from chatfold import CompactionProvider, SummarizationStrategy
from chatfold.integrations.agent_framework import as_context_provider
from framework_agents.scripted import CallsFirst, ScriptedClient, run


@tool(approval_mode="never_require")
def lookup(query: str) -> str:
    """Look something up."""
    return f"result of {query}: " + "words and more words " * 40


class Clock(ContextProvider):
    """Tells another time in each run."""

    def __init__(self) -> None:
        super().__init__("clock")
        self.time = 0

    async def before_run(self, *, context: SessionContext, **_: Any) -> None:  # noqa: ANN401 (as there)
        self.time += 1
        context.extend_messages(self, [Message("system", [f"It is {self.time} o'clock."])])


class ClockInEachCall(ChatMiddleware):
    """Tells another time in each call of the model, or the same one in a new message."""

    def __init__(self, step: int) -> None:
        self.time, self.step = 0, step

    async def process(self, context: ChatContext, call_next: Callable[[], Awaitable[None]]) -> None:
        self.time += self.step
        clock = Message("system", [f"It is {self.time} o'clock."])
        context.messages = [clock, *context.messages]
        await call_next()


def talk(front: str, *, reload: bool) -> tuple[int, list[list[str]]]:
    """Give how many summaries were paid for, and what was sent but for the first message."""
    asked = 0

    async def model(_: list[dict[str, str]]) -> str:
        nonlocal asked
        asked += 1
        return f"Summary {asked}."

    client, clock = ScriptedClient(CallsFirst(5)), Clock()
    middleware = {"each call": [ClockInEachCall(1)], "made anew": [ClockInEachCall(0)]}
    provider = CompactionProvider(SummarizationStrategy(client=model, target_count=4, threshold=4))

    def agent() -> Agent:
        history = InMemoryHistoryProvider()
        providers = [*([clock] if front == "each run" else []), as_context_provider(provider)]
        return Agent(
            client=client,
            tools=[lookup],
            middleware=middleware.get(front, []),
            context_providers=[*providers, history],
        )

    async def main() -> None:
        session, speaker = AgentSession(), agent()
        for turn in range(6):
            await speaker.run(f"Question {turn}.", session=session)
            if reload:
                session = AgentSession.from_dict(json.loads(json.dumps(session.to_dict())))
                speaker = agent()

    run(main())
    said = [[m.text for m in sent if m.role != "system"] for sent in client.sent]
    assert all([m.role for m in sent].count("system") == (front != "") for sent in client.sent)
    return asked, said


@pytest.mark.parametrize("reload", [False, True])
@pytest.mark.parametrize("front", ["each run", "each call", "made anew"])
def test_a_system_message_made_anew_costs_no_further_summary(front: str, *, reload: bool) -> None:
    asked, said = talk("", reload=False)
    assert asked == 16
    assert talk(front, reload=reload) == (asked, said)


@pytest.mark.parametrize("damaged", [[["0", "x"]], [[99, "x"]], [[0]], 7, [[0, "another time"]]])
def test_a_saved_front_that_does_not_fit_is_made_anew(damaged: object) -> None:
    client, clock = ScriptedClient(CallsFirst(8)), Clock()

    async def model(_: list[dict[str, str]]) -> str:
        return "Short."

    strategy = SummarizationStrategy(client=model, target_count=4, threshold=4)
    provider = as_context_provider(CompactionProvider(strategy))
    agent = Agent(
        client=client,
        tools=[lookup],
        context_providers=[clock, provider, InMemoryHistoryProvider()],
    )

    async def main() -> None:
        session = agent.create_session()
        await agent.run("Question.", session=session)
        saved = json.loads(json.dumps(session.to_dict()))
        assert saved["state"]["compaction"]["in_flight"]["system"] == [[0, "It is 1 o'clock."]]
        saved["state"]["compaction"]["in_flight"]["system"] = damaged
        await agent.run("And now?", session=AgentSession.from_dict(saved))

    run(main())
    opening = [m.text for m in client.sent[9]]
    assert opening[0] == "It is 2 o'clock."
    assert opening[1].startswith("[Summary]")
    assert opening[-1] == "And now?"

"""An agent whose model is a script, and what it was sent."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from chatfold import ContextProvider, InMemoryHistoryProvider, Session

Message = dict[str, Any]


class Agent:
    """Runs turns in sessions, and records what each call of its model was sent."""

    def __init__(self, *providers: ContextProvider) -> None:
        self.providers = providers
        self.sent: list[list[Message]] = []
        self.reports: list[str] = []

    async def turn(
        self, session: Session, asked: Sequence[Message], steps: Iterable[Sequence[Message]] = ()
    ) -> list[Message]:
        """Run one turn: before each step the model is called; a step is what comes of the call."""
        async with session.run(self.providers, asked) as run:
            for step in steps:
                self.sent.append(await run.messages())
                run.extend(step)
        self.reports += map(str, run.reports)
        return run.response_messages

    async def talk(self, session: Session, count: int, first: int = 0) -> None:
        """Run turns of a question and an answer."""
        for number in range(first, first + count):
            await self.turn(session, *question(number))


def question(number: int) -> tuple[list[Message], list[list[Message]]]:
    asked = {"role": "user", "content": f"question {number}: " + "why? " * 20}
    return [asked], [[{"role": "assistant", "content": f"answer {number}: " + "so. " * 30}]]


def in_another_process(session: Session) -> Session:
    """Save a session and load it from nothing but the text."""
    return Session.from_dict(json.loads(json.dumps(session.to_dict())))


def texts(messages: Sequence[Message]) -> list[str]:
    return [str(message["content"])[:12] for message in messages]


def loaded(session: Session) -> list[Message]:
    """What the next run gets of what is stored."""
    return list(InMemoryHistoryProvider().history(session).loaded(skip_excluded=True))

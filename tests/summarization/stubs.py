"""Summarizers that only pretend, and histories for them."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeAlias, TypeVar

from chatfold import CompactionReport, MessageIndex, SummarizationStrategy

Message = dict[str, Any]
Client: TypeAlias = Any
Option: TypeAlias = Any
T = TypeVar("T")


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(coroutine)


class Stub:
    """An async callable that records what it is shown and answers with a text."""

    def __init__(self, answer: str | Callable[[int], str] = "The gist.") -> None:
        self.answer = answer
        self.seen: list[list[Message]] = []

    async def __call__(self, messages: list[Message]) -> str:
        self.seen.append(messages)
        await asyncio.sleep(0)
        return self.answer if isinstance(self.answer, str) else self.answer(len(self.seen))

    @property
    def shown(self) -> list[str]:
        """What each call was shown beside its instruction."""
        return [messages[1]["content"] for messages in self.seen]


class Held:
    """An async callable that answers when it is let go."""

    def __init__(self, answer: str = "The gist.") -> None:
        self.answer = answer
        self.asked, self.free = asyncio.Event(), asyncio.Event()
        self.calls = self.most = self.inside = 0

    async def __call__(self, messages: list[Message]) -> str:
        del messages
        self.calls += 1
        self.inside += 1
        self.most = max(self.most, self.inside)
        self.asked.set()
        await self.free.wait()
        self.inside -= 1
        return self.answer


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


class Failing:
    """An async callable that raises."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = RuntimeError("boom") if error is None else error
        self.calls = 0

    async def __call__(self, messages: list[Message]) -> str:
        del messages
        self.calls += 1
        await asyncio.sleep(0)
        raise self.error


def user(text: str) -> Message:
    return {"role": "user", "content": text}


def assistant(text: str) -> Message:
    return {"role": "assistant", "content": text}


def system(text: str) -> Message:
    return {"role": "system", "content": text}


def tool_round(number: int, result: str, name: str = "read") -> list[Message]:
    """Make a call and its result."""
    function = {"name": name, "arguments": f'{{"n": {number}}}'}
    calls = [{"id": f"c{number}", "type": "function", "function": function}]
    return [
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": f"c{number}", "content": result},
    ]


def turns(count: int, first: int = 0) -> list[Message]:
    """Make turns of a question and an answer, long enough for a summary to pay."""
    numbers = range(first, first + count)
    said = ((f"question {n}: " + "why? " * 20, f"answer {n}: " + "so. " * 30) for n in numbers)
    return [message for asked, told in said for message in (user(asked), assistant(told))]


def compacted(
    messages: list[Message] | MessageIndex, client: Client, **options: Option
) -> tuple[MessageIndex, CompactionReport]:
    """Summarize once."""
    index = messages if isinstance(messages, MessageIndex) else MessageIndex(messages)
    strategy = SummarizationStrategy(client=client, **options)
    return index, run(index.acompact(strategy))


def texts(index: MessageIndex) -> list[Any]:
    return [message["content"] for message in index.included_messages()]


def exclude_one(index: MessageIndex) -> None:
    index.exclude(index.included_groups[0], reason="mine")


async def slow(messages: list[Message]) -> str:
    del messages
    await asyncio.sleep(30)
    return "too late"


def answering(answer: object) -> Client:
    async def client(messages: list[Message]) -> object:
        del messages
        return answer

    return client

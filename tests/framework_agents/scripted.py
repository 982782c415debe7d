"""A chat client of the framework whose model follows a script, and conversations for it."""

import asyncio
import copy
from collections.abc import AsyncIterable, Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar

from agent_framework import (
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationLayer,
    Message,
    ResponseStream,
)

T = TypeVar("T")

Script = Callable[[Sequence[Message]], list[Content | str]]


def run(waiting: Awaitable[T]) -> T:
    async def wait() -> T:
        return await waiting

    return asyncio.run(wait())


def echo(messages: Sequence[Message]) -> list[Content | str]:
    """Answer without any tool."""
    return [f"I have read {len(messages)} messages."]


class CallsFirst:
    """Calls a tool in so many rounds of each turn, then answers; tells turns by what users say."""

    def __init__(self, rounds: int, *, parallel: int = 1, name: str = "lookup") -> None:
        self.rounds, self.parallel, self.name = rounds, parallel, name
        self.asked = ""
        self.done = self.made = 0

    def __call__(self, messages: Sequence[Message]) -> list[Content | str]:
        asked = [message.text for message in messages if message.role == "user"]
        if asked and asked[-1] != self.asked:
            self.asked, self.done = asked[-1], 0
        if self.done == self.rounds:
            return [f"Done after {self.done} rounds."]
        self.done += 1
        self.made += 1
        return [
            Content.from_function_call(
                f"call_{self.made}_{at}", self.name, arguments={"query": f"{self.made}/{at}"}
            )
            for at in range(self.parallel)
        ]


class RawScriptedClient(BaseChatClient):
    """Keeps what it was sent, and answers by script."""

    def __init__(self, *, script: Script = echo, **options: Any) -> None:  # noqa: ANN401 (as the framework has them)
        super().__init__(**options)
        self.script = script
        self.sent: list[list[Message]] = []
        self.conversation_id: str | None = None

    def _inner_get_response(
        self,
        *,
        messages: Sequence[Message],
        stream: bool,
        options: Mapping[str, Any],  # noqa: ARG002 (the framework's signature)
        **_: Any,  # noqa: ANN401 (the framework's signature)
    ) -> Awaitable[ChatResponse] | ResponseStream[ChatResponseUpdate, ChatResponse]:
        self.sent.append([copy.copy(message) for message in messages])
        contents = self.script(messages)
        if stream:

            async def updates() -> AsyncIterable[ChatResponseUpdate]:
                for content in contents:
                    listed = [Content.from_text(content) if isinstance(content, str) else content]
                    yield ChatResponseUpdate(role="assistant", contents=listed)

            return self._build_response_stream(updates())

        async def answer() -> ChatResponse:
            return ChatResponse(
                messages=[Message("assistant", contents)], conversation_id=self.conversation_id
            )

        return answer()


class ScriptedClient(FunctionInvocationLayer, ChatMiddlewareLayer, RawScriptedClient):
    """A client with the framework's tool loop and middleware."""

    def __init__(self, script: Script = echo, **options: Any) -> None:  # noqa: ANN401 (as there)
        super().__init__(script=script, **options)


def tool_round(number: int, *results: str, name: str = "lookup") -> list[Message]:
    """Make calls in parallel and one message with all their results, as the framework does."""
    calls = [
        Content.from_function_call(f"c{number}_{at}", name, arguments={"n": number})
        for at in range(len(results))
    ]
    answers = [
        Content.from_function_result(f"c{number}_{at}", result=result)
        for at, result in enumerate(results)
    ]
    return [Message("assistant", calls), Message("tool", answers)]


def conversation(turns: int) -> list[Message]:
    """Make a conversation with a tool round in each turn."""
    messages = [Message("system", ["Be brief."])]
    for turn in range(turns):
        messages.append(Message("user", [f"question {turn} " * 6]))
        messages += tool_round(turn, f"first result {turn} " * 20, f"second result {turn} " * 5)
        messages.append(Message("assistant", [f"answer {turn} " * 8]))
    return messages


def texts(messages: Sequence[Message]) -> list[str]:
    return [message.text for message in messages]


def pairs_closed(messages: Sequence[Message]) -> bool:
    """Tell whether each call has its result after it, and each result its call before it."""
    calls: set[str | None] = set()
    results: set[str | None] = set()
    for message in messages:
        for content in message.contents:
            if content.type == "function_call":
                calls.add(content.call_id)
            elif content.type == "function_result":
                if content.call_id not in calls:
                    return False
                results.add(content.call_id)
    return calls == results

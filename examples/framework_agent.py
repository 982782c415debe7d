"""An agent of Microsoft's agent framework whose tool loop and stored history stay small.

Needs ``pip install 'chatfold[agent-framework]'``, and no network: the model is a script, which reads
every file of a folder with a tool and then answers. Put a chat client of the framework in its place to
have a real model do it. Run ``python examples/framework_agent.py``.
"""

import asyncio
import json
from collections.abc import Awaitable, Mapping, Sequence
from pathlib import Path
from typing import Any

from agent_framework import (
    Agent,
    AgentSession,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    Content,
    FunctionInvocationLayer,
    InMemoryHistoryProvider,
    Message,
    tool,
)

from chatfold import CompactionProvider, MessageIndex, ToolResultCompactionStrategy, triggers
from chatfold.integrations.agent_framework import as_context_provider
from chatfold.integrations.agent_framework.messages import to_chat

FOLDER = Path(__file__).parent / "session"


@tool(approval_mode="never_require")
def read_file(name: str) -> str:
    """Read a file of the folder."""
    return (FOLDER / name).read_text(encoding="utf-8")


class Script(BaseChatClient):
    """Plays the model: reads the files one by one, then answers; keeps what it was sent."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 (the framework's)
        """Take the options of the framework's clients."""
        super().__init__(**options)
        self.sent: list[list[Message]] = []
        self._waiting: list[str] = []

    def _inner_get_response(
        self,
        *,
        messages: Sequence[Message],
        stream: bool,
        options: Mapping[str, Any],  # noqa: ARG002 (the framework's)
        **_: Any,  # noqa: ANN401 (the framework's)
    ) -> Awaitable[ChatResponse]:
        if stream:
            raise NotImplementedError("this script does not stream")
        self.sent.append(list(messages))
        if messages[-1].role == "user":
            self._waiting = sorted(path.name for path in FOLDER.glob("*.py"))
        if self._waiting:
            name = self._waiting.pop(0)
            call_id = f"call_{len(self.sent)}"
            call = Content.from_function_call(call_id, "read_file", arguments={"name": name})
            return self._answer(call)
        return self._answer("I have read them all.")

    async def _answer(self, content: Content | str) -> ChatResponse:
        return ChatResponse(messages=[Message("assistant", [content])])


class ScriptedClient(FunctionInvocationLayer, ChatMiddlewareLayer, Script):
    """The script with the framework's tool loop."""


def tokens(messages: Sequence[Message]) -> int:
    """Count what a model would read."""
    chat = [to_chat(message) for message in messages]
    return MessageIndex(chat, tokenizer="o200k_base").included_token_count


async def main() -> None:
    """Run three turns, and save and load the session between them."""
    digests = ToolResultCompactionStrategy(
        trigger=triggers.tokens_exceed(4_000), minimum_preserved=2, max_chars=200
    )
    compaction = as_context_provider(
        CompactionProvider(before_strategy=digests, after_strategy=digests, tokenizer="o200k_base")
    )
    client = ScriptedClient()
    # Compaction stands first, so that it comes last after a run: when the turn is stored.
    agent = Agent(
        client=client,
        tools=[read_file],
        context_providers=[compaction, InMemoryHistoryProvider(skip_excluded=True)],
    )
    session = agent.create_session()
    for turn in range(3):
        start = len(client.sent)
        response = await agent.run(f"Read the files, please ({turn + 1}).", session=session)
        sent = client.sent[start:]
        print(f"turn {turn + 1}: {response.messages[-1].text}")
        print(
            f"  {len(sent)} calls of the model, of at most {max(map(tokens, sent)):,} tokens each"
        )
        session = AgentSession.from_dict(json.loads(json.dumps(session.to_dict())))
    stored = session.state["in_memory"]["messages"]
    left_out = [each for each in stored if each.additional_properties.get("_excluded")]
    print(f"stored: {tokens(stored):,} tokens, of which {tokens(left_out):,} are left out")


if __name__ == "__main__":
    asyncio.run(main())

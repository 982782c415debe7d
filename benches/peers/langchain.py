"""The tasks with langchain-core: ``trim_messages``, set up as its documentation recommends.

Once with exact counts by tiktoken, once with its own approximate counter.
"""

from typing import Any

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    trim_messages,
)

from benches.corpus import Message
from benches.measure import Contender
from benches.peers import counters
from benches.peers.task import ENCODING, GROUPS, TOKENS, Peer, Task, more_turns

_TYPES = {"system": SystemMessage, "user": HumanMessage, "assistant": AIMessage}


def _own(message: Message) -> BaseMessage:
    if message["role"] == "tool":
        return ToolMessage(message["content"], tool_call_id=message["tool_call_id"])
    return _TYPES[message["role"]](message["content"] or "")


def _text(message: BaseMessage) -> str:
    return str(message.content)


def _exact(messages: list[BaseMessage]) -> int:
    count = counters.load("tiktoken", ENCODING)
    return sum(count(str(message.content)) for message in messages) if count else 0


def _trim(messages: list[BaseMessage], size: int, counter: Any) -> list[BaseMessage]:  # noqa: ANN401
    return trim_messages(
        messages,
        max_tokens=size,
        token_counter=counter,
        strategy="last",
        start_on="human",
        include_system=True,
    )


def _turn(own: list[BaseMessage], counter: Any) -> Contender:  # noqa: ANN401
    own = list(own)
    pairs = ((_own(first), _own(second)) for first, second in more_turns())

    def run(pair: tuple[BaseMessage, BaseMessage]) -> list[BaseMessage]:
        own.extend(pair)
        return _trim(own, TOKENS, counter)

    return Contender(run, lambda: next(pairs))


def peers(task: Task, history: list[Message]) -> dict[str, Peer]:
    """Give the contenders of a task; it has no groups, no digests and no removal of calls."""
    if task not in {"truncate", "window", "turn"}:
        return {}
    own = [_own(message) for message in history]
    name = "langchain-core"
    if task == "window":
        window = Contender(lambda _: _trim(own, GROUPS + 1, len))
        return {name: Peer(window, _text)}
    both = {name: _exact, f"{name} (approximate)": "approximate"}
    if task == "turn":
        return {name: Peer(_turn(own, counter), _text) for name, counter in both.items()}
    return {
        name: Peer(Contender(lambda _, counter=counter: _trim(own, TOKENS, counter)), _text)
        for name, counter in both.items()
    }

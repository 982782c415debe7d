"""The tasks with agent-framework-core: its strategies of the same names, on messages of its own.

Its strategies write what they find into the messages, so each run gets messages without that. Its
functions are coroutines that never wait, and are run without an event loop. It counts the JSON of a
message, so that it keeps fewer messages for the same number of tokens.
"""

from collections.abc import Coroutine
from typing import Any, TypeVar

from agent_framework import (
    Content,
    SelectiveToolCallCompactionStrategy,
    SlidingWindowStrategy,
    ToolResultCompactionStrategy,
    TruncationStrategy,
    annotate_message_groups,
    apply_compaction,
)
from agent_framework import Message as Own

from benches.corpus import Message
from benches.measure import Contender
from benches.peers import counters
from benches.peers.task import ENCODING, GROUPS, TOKENS, Peer, Task, more_turns

T = TypeVar("T")


class _Tokenizer:
    def __init__(self) -> None:
        self._count = counters.load("tiktoken", ENCODING)

    def count_tokens(self, text: str) -> int:
        return self._count(text) if self._count else 0


def as_own(message: Message) -> Own:
    if message["role"] == "tool":
        result = Content.from_function_result(message["tool_call_id"], result=message["content"])
        return Own("tool", [result])
    contents = [Content.from_text(message["content"])] if message["content"] else []
    for call in message.get("tool_calls") or ():
        function = call["function"]
        contents.append(
            Content.from_function_call(
                call["id"], function["name"], arguments=function["arguments"]
            )
        )
    return Own(message["role"], contents)


def _text(message: Own) -> str:
    parts = []
    for content in message.contents:
        parts += [content.text, content.name, content.arguments, content.result]
    return "".join(part for part in parts if isinstance(part, str))


def finish(coroutine: Coroutine[Any, Any, T]) -> T:
    try:
        coroutine.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    raise RuntimeError("it waits for something")


def _turn(own: list[Own]) -> Contender:
    strategy = TruncationStrategy(max_n=TOKENS, compact_to=TOKENS * 3 // 4, tokenizer=_Tokenizer())
    # By a window at first: truncation of a long history takes it long, and is not measured here.
    finish(apply_compaction(own, strategy=SlidingWindowStrategy(keep_last_groups=GROUPS)))
    pairs = ((as_own(first), as_own(second)) for first, second in more_turns())

    def run(pair: tuple[Own, Own]) -> list[Own]:
        own.extend(pair)
        return finish(apply_compaction(own, strategy=strategy))

    return Contender(run, lambda: next(pairs))


def peers(task: Task, history: list[Message]) -> dict[str, Peer]:
    """Give the contenders of a task."""
    own = [as_own(message) for message in history]

    def fresh() -> list[Own]:
        for message in own:
            message.additional_properties.clear()
        return list(own)

    if task == "ingest":
        contender = Contender(lambda messages: len(annotate_message_groups(messages)), fresh)
    elif task == "turn":
        contender = _turn(own)
    else:
        strategy = {
            "truncate": TruncationStrategy(max_n=TOKENS, compact_to=TOKENS, tokenizer=_Tokenizer()),
            "window": SlidingWindowStrategy(keep_last_groups=GROUPS),
            "collapse": ToolResultCompactionStrategy(keep_last_tool_call_groups=1),
            "remove": SelectiveToolCallCompactionStrategy(keep_last_tool_call_groups=1),
        }[task]
        contender = Contender(
            lambda messages: finish(apply_compaction(messages, strategy=strategy)), fresh
        )
    return {"agent-framework-core": Peer(contender, _text)}

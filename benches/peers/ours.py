"""The tasks with chatfold."""

from benches.corpus import Message
from benches.measure import Contender
from benches.peers.task import ENCODING, GROUPS, TOKENS, Peer, Task, more_turns
from chatfold import (
    MessageIndex,
    SelectiveToolCallCompactionStrategy,
    SlidingWindowStrategy,
    ToolResultCompactionStrategy,
    TruncationStrategy,
    compact,
)


def _text(message: Message) -> str:
    calls = message.get("tool_calls") or ()
    return (message["content"] or "") + "".join(
        call["function"]["name"] + call["function"]["arguments"] for call in calls
    )


def _turn(history: list[Message]) -> Contender:
    strategy = TruncationStrategy(max_n=TOKENS, compact_to=TOKENS * 3 // 4, tokenizer=ENCODING)
    index = MessageIndex(history, tokenizer=ENCODING)
    index.compact(strategy)
    pairs = more_turns()

    def run(pair: tuple[Message, Message]) -> list[Message]:
        index.append(pair[0])
        index.append(pair[1])
        index.compact(strategy)
        return index.included_messages()

    return Contender(run, lambda: next(pairs))


def peers(task: Task, history: list[Message]) -> dict[str, Peer]:
    """Give the contenders of a task."""
    if task == "ingest":
        contender = Contender(lambda _: MessageIndex(history))
    elif task == "turn":
        contender = _turn(history)
    else:
        strategy = {
            "truncate": TruncationStrategy(max_n=TOKENS, compact_to=TOKENS, tokenizer=ENCODING),
            "window": SlidingWindowStrategy(keep_last_groups=GROUPS),
            "collapse": ToolResultCompactionStrategy(),
            "remove": SelectiveToolCallCompactionStrategy(),
        }[task]
        contender = Contender(lambda _: compact(history, strategy))
    return {"chatfold": Peer(contender, _text)}

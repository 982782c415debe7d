"""What a task on a history is, the same for chatfold and for each other package."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Literal, TypeAlias

from benches.corpus import Message, conversation
from benches.measure import Contender

Task: TypeAlias = Literal["ingest", "truncate", "window", "collapse", "remove", "turn"]

TASKS: dict[Task, str] = {
    "ingest": "group the messages of a history",
    "truncate": "cut a history to 8,000 exact tokens",
    "window": "keep the newest 50 groups",
    "collapse": "replace old tool results by digests",
    "remove": "remove old tool calls",
    "turn": "one more turn: append 2 messages, cut to the budget, project",
}
AGENT: frozenset[Task] = frozenset({"collapse", "remove"})
"""Tasks on the history of an agent; the others have a chat."""

TOKENS = 8_000
GROUPS = 50
ENCODING = "o200k_base"


@dataclass(frozen=True)
class Peer:
    """How one package does a task on one history.

    Attributes:
        contender: What is timed; where the result is a list of messages, it is what the model sees.
        text: The text of a message of the package's own type, to count what was kept.
    """

    contender: Contender
    text: Callable[[Any], str]

    def kept(self) -> Sequence[Any] | None:
        """Do it once; give what is kept, where there is something to keep."""
        result = self.contender.run(self.contender.prepare())
        return result if isinstance(result, list) else None


def more_turns() -> Iterator[tuple[Message, Message]]:
    """Give the pairs of messages that further turns append."""
    for seed in count(2):
        more = conversation(2_001, "chat", seed=seed)[1:]
        yield from zip(more[::2], more[1::2], strict=True)

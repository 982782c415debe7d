"""Handing an index the whole list again, turn after turn."""

from benches.corpus import conversation
from benches.measure import Contender, median, unit
from chatfold import MessageIndex

SIZES = [1_000, 10_000, 100_000, 1_000_000]


class Sync:
    """A list of which the index knows all but the newest two messages.

    "same" hands out the same objects again, "equal" copies of them.
    """

    params = (SIZES, ["same", "equal"])
    param_names = ("messages", "objects")
    timeout = 300

    def setup(self, messages: int, objects: str) -> None:
        self.history = conversation(messages, "chat")
        self.handed = (
            self.history if objects == "same" else [dict(message) for message in self.history]
        )

    @unit("ms")
    def track_sync(self, *_: object) -> float:
        # Extending is measured with it, and is small.
        return (
            median(
                Contender(
                    lambda index: index.sync(self.handed), lambda: MessageIndex(self.history[:-2])
                )
            )
            * 1e3
        )

"""Building a message index, against the floor."""

from benches.corpus import conversation, parsed
from benches.measure import Contender, ratio, unit
from chatfold import MessageIndex, _core

SIZES = [1_000, 10_000, 100_000, 1_000_000]


class Index:
    """Building an index of a whole history; "parsed" is a chat that came out of a JSON document."""

    params = (SIZES, ["chat", "agent", "parsed"])
    param_names = ("messages", "kind")
    timeout = 300

    def setup(self, messages: int, kind: str) -> None:
        if kind == "parsed":
            self.history = parsed(conversation(messages, "chat"))
        else:
            self.history = conversation(messages, "agent" if kind == "agent" else "chat")

    def time_build(self, *_: object) -> None:
        MessageIndex(self.history)

    @unit("x floor")
    def track_build_over_floor(self, *_: object) -> float:
        return ratio(
            Contender(lambda _: MessageIndex(self.history)),
            Contender(lambda _: _core.read_floor(self.history)),
        )

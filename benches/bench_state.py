"""Saving the state of an index, as JSON, and loading it."""

import json

from benches.corpus import conversation
from benches.measure import unit
from benches.strategies import ENCODING, make
from chatfold import MessageIndex

SIZES = [1_000, 10_000, 100_000]


class State:
    """A history of an agent, most of it excluded or replaced by digests."""

    params = (SIZES,)
    param_names = ("messages",)
    timeout = 300

    def setup(self, messages: int) -> None:
        self.history = conversation(messages, "agent")
        self.index = MessageIndex(self.history, tokenizer=ENCODING)
        self.index.compact(make("collapse to digests"))
        self.saved = json.dumps(self.index.to_state())

    def time_save(self, *_: object) -> None:
        json.dumps(self.index.to_state())

    def time_load(self, *_: object) -> None:
        MessageIndex.from_state(json.loads(self.saved), self.history)

    @unit("bytes a message")
    def track_size(self, messages: int) -> float:
        return len(self.saved) / messages

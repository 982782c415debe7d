"""The floor: a loop in the extension that reads the role and content of each dict, and no more."""

from benches.corpus import Kind, conversation
from chatfold import _core

SIZES = [1_000, 10_000, 100_000, 1_000_000]


class Floor:
    """Reading role and content; what all else is compared with."""

    params = (SIZES, ["chat", "agent"])
    param_names = ("messages", "kind")

    def setup(self, messages: int, kind: Kind) -> None:
        self.history = conversation(messages, kind)

    def time_read_role_and_content(self, *_: object) -> None:
        _core.read_floor(self.history)

"""Memory of an index beyond its messages."""

from benches import probes
from benches.measure import unit

SIZES = [100_000, 1_000_000]


class Memory:
    """Growth of a process that builds an index, per message.

    A fifth of the chats is in languages beyond ASCII: their texts must not be left with a copy of their UTF-8,
    which Python keeps with a text once anyone has asked for it. The chat in ASCII could have none.
    """

    params = (SIZES, ["chat", "agent", "ascii chat"])
    param_names = ("messages", "kind")
    timeout = 300

    @unit("bytes")
    def track_bytes_a_message(self, messages: int, kind: str) -> float:
        return probes.run("memory", str(messages), kind)["bytes"] / messages

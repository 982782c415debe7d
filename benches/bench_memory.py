"""Memory of an index beyond its messages."""

from benches import probes
from benches.measure import unit

SIZES = [100_000, 1_000_000]


class Memory:
    """Growth of a process that builds an index, per message.

    Python keeps the UTF-8 of a text beyond ASCII with the text, once anyone asked for it: the chats
    in several languages show that, and the chat in ASCII has none of it.
    """

    params = (SIZES, ["chat", "agent", "ascii chat"])
    param_names = ("messages", "kind")
    timeout = 300

    @unit("bytes")
    def track_bytes_a_message(self, messages: int, kind: str) -> float:
        return probes.run("memory", str(messages), kind)["bytes"] / messages

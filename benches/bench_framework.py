"""chatfold within Microsoft's agent framework, beside the framework's own strategies."""

from typing import Any

from benches.measure import quiet, unit

try:
    from benches import framework
except ImportError:  # the package is missing
    framework = None  # type: ignore[assignment]

NAMES = list(framework.PAIRS) if framework else ["none"]


class Framework:
    """Each strategy of both sides, on a list of the framework's messages."""

    params = ([500, 4_000], NAMES, ["chatfold", "agent-framework-core"])
    param_names = ("messages", "strategy", "side")
    timeout = 600

    def setup(self, messages: int, name: str, side: str) -> None:
        if framework is None:
            raise NotImplementedError
        self.make: Any = framework.sides(framework.PAIRS[name])[side]
        self.messages = messages

    @unit("ms")
    def track_first(self, *_: object) -> float:
        with quiet():
            return framework.first(self.make, self.messages) * 1e3

    @unit("ms")
    def track_turn(self, *_: object) -> float:
        with quiet():
            return framework.turn(self.make, self.messages) * 1e3

"""What the calls of a branch used: a conversation that is forked takes back what came after the fork."""

from collections.abc import Iterable
from typing import Any, NamedTuple


class Call(NamedTuple):
    """One call of a model.

    Attributes:
        position: How many messages the conversation had.
        input_tokens: What the model read.
        output_tokens: What it wrote.
        cost: What that cost; None where no price is known.
    """

    position: int
    input_tokens: int
    output_tokens: int
    cost: float | None


class Ledger:
    """The calls of a branch in order, and their sums."""

    def __init__(self, calls: Iterable[Call] = ()) -> None:
        """Take calls that were made before."""
        self._calls: list[Call] = []
        self.input_tokens = self.output_tokens = self.unpriced_calls = 0
        self._cost = 0.0
        for call in calls:
            self.add(call)

    def add(self, call: Call) -> None:
        """Take one more call."""
        self._calls.append(call)
        self.input_tokens += call.input_tokens
        self.output_tokens += call.output_tokens
        self._cost += call.cost or 0.0
        self.unpriced_calls += call.cost is None

    @property
    def cost(self) -> float | None:
        """What the calls cost whose price is known; None where there are none."""
        return self._cost if self.unpriced_calls < len(self._calls) else None

    def fork(self, position: int) -> None:
        """Forget the calls that were made with more messages than that."""
        kept = [call for call in self._calls if call.position <= position]
        if len(kept) < len(self._calls):
            self.__init__(kept)  # type: ignore[misc]  # the sums anew

    def to_list(self) -> list[list[Any]]:
        """Write the calls in plain JSON types."""
        return [list(call) for call in self._calls]

"""What fits into a context window, and how local counts relate to those of the provider."""

from math import ceil, floor
from typing import NamedTuple

LEAST_RATIO, LARGEST_RATIO = 0.5, 2.0
"""Counts that are further off are no counts of the same messages."""

_WEIGHT = 0.5
"""Of a new observation: one that is off by chance is half forgotten with the next."""


def calibrated(ratio: float, *, counted: int, reported: int) -> float:
    """Move the ratio of reported to counted tokens towards a new observation, within bounds."""
    if counted <= 0 or reported <= 0:
        return ratio
    seen = min(LARGEST_RATIO, max(LEAST_RATIO, reported / counted))
    return ratio + _WEIGHT * (seen - ratio)


class Budget(NamedTuple):
    """The context window, in tokens of the provider, and what is known of local counts.

    Attributes:
        max_context_tokens: The window.
        reserved: What is left free of it.
        instructions: Local count of the instructions.
        tools: Local count of the tool schemas.
        ratio: Tokens of the provider for each token of a local count.
    """

    max_context_tokens: int
    reserved: int
    instructions: int = 0
    tools: int = 0
    ratio: float = 1.0

    @property
    def fixed(self) -> int:
        """Local count of what is sent beside the messages."""
        return self.instructions + self.tools

    @property
    def limit(self) -> int:
        """Tokens of the provider that may be in use."""
        return self.max_context_tokens - self.reserved

    @property
    def room(self) -> int:
        """Local tokens that messages may have; 0 where nothing fits."""
        return max(0, self.local(self.limit) - self.fixed)

    @property
    def full(self) -> int:
        """Local tokens of messages that fill the whole window."""
        return max(0, self.local(self.max_context_tokens) - self.fixed)

    @property
    def holds_fixed(self) -> bool:
        """Whether there is room for what is sent beside the messages."""
        return self.fixed <= self.local(self.limit)

    def local(self, reported: int) -> int:
        """Tell how many local tokens the provider will count as no more than that."""
        if self.ratio == 1:
            return reported
        # Rounding may be off by one on either side.
        most = floor(reported / self.ratio) + 1
        while self.reported(most) > reported:
            most -= 1
        return most

    def reported(self, local: int) -> int:
        """Tell what the provider will count for a local count."""
        return local if self.ratio == 1 else ceil(local * self.ratio)

    def in_use(self, messages: int) -> int:
        """Tokens of the provider for messages of a local count and all that is sent beside them."""
        return self.reported(messages + self.fixed)

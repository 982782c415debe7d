"""The gauge: how full a context window is, and what the conversation has used so far."""

from typing import Any, NamedTuple

__all__ = ["ContextUsage"]


class ContextUsage(NamedTuple):
    """How full a context window is, in tokens of the provider as far as they are known.

    Attributes:
        tokens: In use: instructions, tool schemas, the summary, and what came after it.
        limit: The context window.
        baseline: The part of ``tokens`` that the summary takes.
        instructions: The part that the instructions take.
        tools: The part that the tool schemas take.
        reserved: What is left free on purpose.
        input_tokens: What models have read over the whole branch, to write summaries too.
        output_tokens: What they have written over the whole branch.
        cost: What that cost, as far as prices are known; None where none is.
        unpriced_calls: Calls whose price is not known.
    """

    tokens: int
    limit: int
    baseline: int = 0
    instructions: int = 0
    tools: int = 0
    reserved: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    unpriced_calls: int = 0

    @property
    def share(self) -> float:
        """The share of the window that is in use; over 1 where not even the floor fits."""
        return self.tokens / self.limit

    @property
    def remaining(self) -> int:
        """Tokens that are free."""
        return max(0, self.limit - self.tokens)

    @property
    def messages(self) -> int:
        """Tokens of what came after the summary."""
        return self.tokens - self.baseline - self.instructions - self.tools

    def to_dict(self) -> dict[str, Any]:
        """Give all figures by name, for a user interface."""
        figures = {"share": self.share, "remaining": self.remaining, "messages": self.messages}
        return {**self._asdict(), **figures}

    def __repr__(self) -> str:
        """Show how full it is."""
        return f"ContextUsage({self.tokens:,} of {self.limit:,} tokens)"

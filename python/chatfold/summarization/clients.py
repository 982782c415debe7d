"""Clients: who writes summaries, and how they are asked."""

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, Protocol, TypeAlias, cast, runtime_checkable

from chatfold.errors import OptionError, OptionTypeError

__all__ = ["Summarizer", "SummarizerLike", "SummaryResponse"]


class SummaryResponse(NamedTuple):
    """What a summarizer answers.

    Attributes:
        text: The summary.
        model: Who wrote it.
        input_tokens: What the model read, where that is known.
        output_tokens: What it wrote, where that is known.
        cut: Whether it had to stop before it was done.
    """

    text: str
    model: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cut: bool = False


@runtime_checkable
class Summarizer(Protocol):
    """Anything that writes summaries."""

    async def summarize(
        self, messages: list[dict[str, str]], *, max_tokens: int
    ) -> SummaryResponse:
        """Answer chat messages, an instruction and the history, with a summary of that size."""
        ...


SummarizerLike: TypeAlias = Summarizer | Callable[[list[dict[str, Any]]], Awaitable[str]]
"""An object with ``summarize``, or an async callable from chat messages to a text."""


class _Callable:
    """An async callable as a summarizer."""

    def __init__(self, function: Callable[[list[dict[str, Any]]], Any]) -> None:
        self.function = function

    async def summarize(
        self, messages: list[dict[str, str]], *, max_tokens: int
    ) -> SummaryResponse:
        del max_tokens  # the instruction says it
        answer = self.function(messages)
        return cast("SummaryResponse", await answer if isinstance(answer, Awaitable) else answer)


def as_summarizers(client: object) -> tuple[Summarizer, ...]:
    """Take one client, or several in the order in which they are tried."""
    clients = list(client) if isinstance(client, (list, tuple)) else [client]
    if not clients:
        raise OptionError("client is an empty list; pass at least one client")
    return tuple(map(_as_summarizer, clients))


def _as_summarizer(client: object) -> Summarizer:
    if not isinstance(client, type):
        if callable(getattr(client, "summarize", None)):
            return cast("Summarizer", client)
        if callable(client):
            return _Callable(client)
    hint = "an async callable that takes messages, an OpenAISummarizer, or an object with summarize"
    if hasattr(client, "chat"):
        hint = "OpenAISummarizer(client, model=...) around it"
    raise OptionTypeError(f"client is {client!r}; pass {hint}")

"""Clients: who writes summaries, and how they are asked."""

import time
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, Protocol, TypeAlias, cast, runtime_checkable

from chatfold._run import running_asyncio
from chatfold.errors import EmptySummaryError, OptionError, OptionTypeError, SummaryTimeoutError
from chatfold.report import SummaryUsage

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


class Calls:
    """Asks clients in order, each with its own time; adds up what that takes."""

    def __init__(self, clients: tuple[Summarizer, ...], timeout: float | None) -> None:
        """Start with nothing used."""
        self.clients = clients
        self.timeout = timeout
        self.usage = SummaryUsage()
        self.cut = False

    async def ask(self, messages: list[dict[str, str]], max_tokens: int) -> str:
        """Give the first answer that holds text; raise the last error where nobody gives one."""
        errors: list[Exception] = []
        for client in self.clients:
            started = time.monotonic()
            usage = SummaryUsage(calls=1)
            try:
                # A copy each: what one client does to its messages is no other's business.
                copy = [dict(message) for message in messages]
                answer = await self._in_time(client.summarize(copy, max_tokens=max_tokens))
                response = _response(answer)
                usage = _used(response)
                if response.text.strip():
                    self.cut |= response.cut
                    return response.text
                raise EmptySummaryError("the summarizer's answer holds no text")  # noqa: TRY301
            except Exception as error:  # noqa: BLE001 (the next client is tried, or it is raised)
                errors.append(error)
            finally:
                spent = usage._replace(seconds=time.monotonic() - started)
                self.usage = self.usage.plus(spent)
        *earlier, last = errors
        for each in earlier:
            last.add_note(f"an earlier client failed with {type(each).__name__}: {each}")
        raise last

    async def _in_time(self, answer: Awaitable[object]) -> object:
        asyncio = running_asyncio()
        if self.timeout is None or asyncio is None:
            return await answer
        limit = asyncio.timeout(self.timeout)
        try:
            async with limit:
                return await answer
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise SummaryTimeoutError(
                f"the summarizer gave no answer within {self.timeout:g} s"
            ) from error


def _response(answer: object) -> SummaryResponse:
    """Take a text, or an object with ``text``; whatever else there is holds no text."""
    if isinstance(answer, SummaryResponse) and isinstance(answer.text, str):
        return answer
    text = answer if isinstance(answer, str) else getattr(answer, "text", None)
    return SummaryResponse(
        text if isinstance(text, str) else "",
        _if(str, getattr(answer, "model", None)),
        _if(int, getattr(answer, "input_tokens", None)),
        _if(int, getattr(answer, "output_tokens", None)),
        getattr(answer, "cut", False) is True,
    )


def _if(kind: type[Any], value: object) -> Any:  # noqa: ANN401 (of that kind)
    return value if isinstance(value, kind) else None


def _used(response: SummaryResponse) -> SummaryUsage:
    return SummaryUsage(
        calls=1,
        input_tokens=response.input_tokens or 0,
        output_tokens=response.output_tokens or 0,
        models=(response.model,) if response.model else (),
    )

"""Summaries written by a model behind the OpenAI chat completions protocol."""

import sys
from collections.abc import AsyncIterable, Mapping
from typing import TYPE_CHECKING, Any

from chatfold._options import text
from chatfold.errors import OptionError, OptionTypeError, SummaryError
from chatfold.summarization.clients import SummaryResponse

if TYPE_CHECKING:
    from openai import AsyncOpenAI

__all__ = ["OpenAISummarizer"]

_OWN = ("messages", "model")


class OpenAISummarizer:
    """Asks a model through ``openai.AsyncOpenAI``.

    Any server that speaks the same protocol does: give the client its ``base_url``. The client's own
    retries and timeout apply to each call, inside the time that the strategy allows.

    No limit of output tokens is sent, since reasoning models spend it before they write, and since
    servers disagree on its name. Where a runaway answer would be dear, put the parameter that the
    server knows into ``parameters``.

    Args:
        client: An ``openai.AsyncOpenAI``.
        model: The model that writes the summaries.
        parameters: What else is passed to each call, such as ``temperature``, ``stream`` or
            ``max_completion_tokens``.

    Raises:
        OptionError: A wrong value; names the option.
        OptionTypeError: A wrong type; names the option.
    """

    def __init__(
        self,
        client: "AsyncOpenAI",
        *,
        model: str,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        """Check the options; nothing is asked yet."""
        openai = sys.modules.get("openai")
        waits = openai is None or not isinstance(client, openai.OpenAI)
        if not waits or not hasattr(getattr(client, "chat", None), "completions"):
            raise OptionTypeError(f"client is {client!r}; pass an openai.AsyncOpenAI")
        text("model", model)
        self.client = client
        self.model = model
        self.parameters = dict(parameters or {})
        for name in _OWN:
            if name in self.parameters:
                raise OptionError(f"parameters has {name!r}, which the summarizer sets itself")

    async def summarize(
        self, messages: list[dict[str, str]], *, max_tokens: int
    ) -> SummaryResponse:
        """Ask for a summary."""
        del max_tokens  # the instruction says it
        create: Any = self.client.chat.completions.create
        answer = await create(model=self.model, messages=messages, **self.parameters)
        if isinstance(answer, AsyncIterable):
            return await self._streamed(answer)
        choice = answer.choices[0] if getattr(answer, "choices", None) else None
        message = getattr(choice, "message", None)
        said = getattr(message, "content", None) or ""
        self._refuse(said, getattr(message, "refusal", None))
        return self._response(said, getattr(choice, "finish_reason", None), answer)

    async def _streamed(self, chunks: AsyncIterable[Any]) -> SummaryResponse:
        texts: list[str] = []
        refusal: list[str] = []
        reason = told = None
        async for chunk in chunks:
            # The usage comes in a last chunk without choices, where it was asked for.
            told = chunk if told is None or getattr(chunk, "usage", None) else told
            for choice in chunk.choices[:1]:
                texts.append(getattr(choice.delta, "content", None) or "")
                refusal.append(getattr(choice.delta, "refusal", None) or "")
                reason = choice.finish_reason or reason
        if reason is None:
            raise SummaryError("the stream of the answer broke off before its end")
        said = "".join(texts)
        self._refuse(said, "".join(refusal))
        return self._response(said, reason, told)

    def _refuse(self, said: object, refusal: object) -> None:
        """Tell an answer that is nothing but a refusal by what it says."""
        if not said and isinstance(refusal, str) and refusal:
            raise SummaryError(f"{self.model} refused: {refusal}")

    def _response(self, said: str, reason: str | None, told: object) -> SummaryResponse:
        if reason == "content_filter":
            raise SummaryError(f"{self.model} was stopped by a content filter")
        usage = getattr(told, "usage", None)
        return SummaryResponse(
            said,
            model=getattr(told, "model", None) or self.model,
            input_tokens=getattr(usage, "prompt_tokens", None),
            output_tokens=getattr(usage, "completion_tokens", None),
            cut=reason == "length",
        )

    def __repr__(self) -> str:
        """Show the model, and nothing that the client holds."""
        return f"OpenAISummarizer(model={self.model!r})"

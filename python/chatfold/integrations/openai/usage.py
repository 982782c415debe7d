"""The prompt tokens that a provider reports, in each form that an answer may have."""

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, TypeAlias

Learn: TypeAlias = Callable[[int], None]


def watch(answer: Any, learn: Learn) -> None:  # noqa: ANN401 (of another package)
    """Pass on the prompt tokens of an answer: now, or when its stream comes to them.

    Answers whose body nobody has read yet (``with_streaming_response``) are left alone.
    """
    raw = getattr(answer, "http_response", None)
    if raw is not None:
        _watch_raw(answer, raw, learn)
        return
    stream = getattr(answer, "_raw_stream", answer)
    iterator = getattr(stream, "_iterator", None)
    if iterator is None:
        _learn_from(answer, learn)
    elif hasattr(iterator, "__anext__"):
        stream._iterator = _awatched(iterator, learn)
    else:
        stream._iterator = _watched(iterator, learn)


def _watch_raw(answer: Any, raw: Any, learn: Learn) -> None:  # noqa: ANN401
    """Read a raw answer that has come whole; of a stream, what the caller will get by parsing it."""
    if getattr(answer, "_stream", False):
        if callable(getattr(answer, "parse", None)):
            watch(answer.parse(), learn)
        return
    if not raw.is_closed:
        return
    try:
        body = raw.json()
    except ValueError:
        return
    usage = body.get("usage") if isinstance(body, dict) else None
    if isinstance(usage, dict):
        _pass_on(usage.get("prompt_tokens"), learn)


def _watched(chunks: Iterator[Any], learn: Learn) -> Iterator[Any]:
    for chunk in chunks:
        _learn_from(chunk, learn)
        yield chunk


async def _awatched(chunks: AsyncIterator[Any], learn: Learn) -> AsyncIterator[Any]:
    async for chunk in chunks:
        _learn_from(chunk, learn)
        yield chunk


def _learn_from(answer: object, learn: Learn) -> None:
    _pass_on(getattr(getattr(answer, "usage", None), "prompt_tokens", None), learn)


def _pass_on(tokens: object, learn: Learn) -> None:
    if isinstance(tokens, int):
        learn(tokens)

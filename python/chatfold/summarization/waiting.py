"""Waits for a client as long as it may take, and not for one that takes no notice of its end."""

from collections.abc import Awaitable
from typing import Any

from chatfold._run import running_asyncio
from chatfold.errors import SummaryTimeoutError

GRACE = 0.1
"""Seconds that a client has to close what it opened, once it was told to stop."""

# The loop itself holds tasks weakly.
_left_behind: set[Any] = set()


async def in_time(answer: Awaitable[object], limit: float | None) -> object:
    """Give an answer that comes within so many seconds; None waits for as long as it takes.

    The client runs in a task of its own: one that goes on after it was told to stop, since its time
    is up or since the caller was cancelled, is left to itself, and nobody sees its answer.

    Raises:
        SummaryTimeoutError: There was none.
    """
    asyncio = running_asyncio()
    if asyncio is None:
        return await answer
    task = asyncio.ensure_future(answer)
    try:
        await asyncio.wait([task], timeout=limit)
        if task.done():
            return task.result()
    except asyncio.CancelledError:
        await _stop(asyncio, task)
        raise
    await _stop(asyncio, task)
    raise SummaryTimeoutError(f"the summarizer gave no answer within {limit:g} s")


async def _stop(asyncio: Any, task: Any) -> None:  # noqa: ANN401 (a module, a task)
    """Tell a task to stop, and wait for a moment."""
    _left_behind.add(task)
    task.add_done_callback(_forget)
    task.cancel()
    await asyncio.wait([task], timeout=GRACE)


def _forget(task: Any) -> None:  # noqa: ANN401 (a task)
    """Let go of a task; nobody else asks for its error."""
    _left_behind.discard(task)
    if not task.cancelled():
        task.exception()

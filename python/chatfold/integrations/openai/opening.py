"""Answers that are opened with ``with``: what is sent is compacted when they are."""

from collections.abc import Callable
from typing import Any

from chatfold.integrations.openai.calls import Compaction, Options


class Opening:
    """A call whose request goes out when it is entered."""

    def __init__(
        self, compaction: Compaction, method: Callable[..., Any], options: Options
    ) -> None:
        """Take the method that makes the context manager, and its options."""
        self._compaction = compaction
        self._method = method
        self._options = options
        self._manager: Any = None

    def __enter__(self) -> Any:  # noqa: ANN401 (what the client's own context manager gives)
        """Compact, send, and enter."""
        return self._compaction.call(self._open, self._options)

    def _open(self, **options: Any) -> Any:  # noqa: ANN401
        self._manager = self._method(**options)
        return self._manager.__enter__()

    def __exit__(self, *error: object) -> Any:  # noqa: ANN401
        """Leave the client's own context manager."""
        return self._manager.__exit__(*error)


class AsyncOpening:
    """A call whose request goes out when it is entered and awaited."""

    def __init__(
        self, compaction: Compaction, method: Callable[..., Any], options: Options
    ) -> None:
        """Take the method that makes the context manager, and its options."""
        self._compaction = compaction
        self._method = method
        self._options = options
        self._manager: Any = None

    async def __aenter__(self) -> Any:  # noqa: ANN401
        """Compact, send, and enter."""
        return await self._compaction.acall(self._open, self._options)

    async def _open(self, **options: Any) -> Any:  # noqa: ANN401
        self._manager = self._method(**options)
        return await self._manager.__aenter__()

    async def __aexit__(self, *error: object) -> Any:  # noqa: ANN401
        """Leave the client's own context manager."""
        return await self._manager.__aexit__(*error)

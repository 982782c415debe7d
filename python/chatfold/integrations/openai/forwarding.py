"""Objects that stand in front of a client and its resources, and change what chat calls send."""

from collections.abc import Callable
from copy import copy
from functools import wraps
from typing import Any, Self

from chatfold.integrations.openai.calls import Compaction
from chatfold.integrations.openai.opening import AsyncOpening, Opening

# Where the service may keep the history; each has parts, such as the runs of threads.
_MANAGED = ("responses", "conversations", "realtime", "live", "threads", "agents", "chatkit")
_MANAGED_PARTS = ("runs", "messages", "items", "calls", "sessions", "events", "turns", "forks")
_RAW = ("with_raw_response", "with_streaming_response")

# From each level, the attributes that lead to another one.
_LEVELS: dict[str, dict[str, str]] = {
    "client": {"chat": "chat", "beta": "client", **dict.fromkeys(_MANAGED, "managed")},
    "chat": {"completions": "completions"},
    "completions": {},
    "managed": dict.fromkeys(_MANAGED_PARTS, "managed"),
}
_SENDING = ("create", "parse", "stream")
_STARTING = (*_SENDING, "connect")
"""How the names of methods begin that send something new to a conversation."""
_COPYING = ("copy", "with_options")


class Forwarding:
    """Stands in front of an object: all that it does not define itself is that object's.

    ``isinstance`` takes it for one of that object's class.
    """

    __slots__ = ("_compaction", "_level", "_streamed", "_target")

    def __init__(
        self, target: object, compaction: Compaction, level: str, *, streamed: bool = False
    ) -> None:
        """Take the object, and where in the client it is found."""
        object.__setattr__(self, "_target", target)
        object.__setattr__(self, "_compaction", compaction)
        object.__setattr__(self, "_level", level)
        object.__setattr__(self, "_streamed", streamed)

    @property  # type: ignore[misc]  # nobody sets it
    def __class__(self) -> Any:  # noqa: ANN401 (the object's)
        """Say the class of the object."""
        return self._target.__class__

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        """Give the object's attribute, or what stands in front of it."""
        value = getattr(self._target, name)
        level = self._level if name in _RAW else _LEVELS[self._level].get(name)
        if level is not None:
            streamed = self._streamed or name == "with_streaming_response"
            return Forwarding(value, self._compaction, level, streamed=streamed)
        if self._level == "completions" and name in _SENDING:
            opens = self._streamed or name == "stream"
            return _sending(value, self._compaction, opens=opens)
        if self._level == "client" and name in _COPYING:
            return _copying(value, self._compaction)
        if self._level == "managed" and name.startswith(_STARTING):
            return _telling(value, self._compaction, type(self._target).__name__)
        return value

    def __setattr__(self, name: str, value: object) -> None:
        """Set the object's attribute."""
        setattr(self._target, name, value)

    def __delattr__(self, name: str) -> None:
        """Delete the object's attribute."""
        delattr(self._target, name)

    def __dir__(self) -> list[str]:
        """List the object's attributes."""
        return dir(self._target)

    def __copy__(self) -> Self:
        """Stand in front of a copy of the object."""
        target = copy(self._target)
        return type(self)(target, self._compaction, self._level, streamed=self._streamed)

    def __reduce_ex__(self, protocol: Any) -> Any:  # noqa: ANN401 (as pickle has it)
        """Refuse as the object does: its connections can't be copied deeply or sent elsewhere."""
        raise TypeError(f"cannot pickle {self!r}: make the client anew, and with_compaction of it")

    def __repr__(self) -> str:
        """Show the object."""
        return f"<{self._target!r} with compaction>"


class ForwardingClient(Forwarding):
    """Stands in front of an ``OpenAI``."""

    __slots__ = ()

    def __enter__(self) -> Self:
        """Enter the client."""
        self._target.__enter__()
        return self

    def __exit__(self, *error: object) -> Any:  # noqa: ANN401
        """Leave the client."""
        return self._target.__exit__(*error)


class ForwardingAsyncClient(Forwarding):
    """Stands in front of an ``AsyncOpenAI``."""

    __slots__ = ()

    async def __aenter__(self) -> Self:
        """Enter the client."""
        await self._target.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> Any:  # noqa: ANN401
        """Leave the client."""
        return await self._target.__aexit__(*error)


def in_front_of(client: object, compaction: Compaction) -> Any:  # noqa: ANN401 (passes as the client)
    """Make what stands in front of a client."""
    kind = ForwardingAsyncClient if compaction.is_async else ForwardingClient
    return kind(client, compaction, "client")


def _sending(
    method: Callable[..., Any], compaction: Compaction, *, opens: bool
) -> Callable[..., Any]:
    if opens:
        kind = AsyncOpening if compaction.is_async else Opening

        @wraps(method)
        def open_(*args: Any, **options: Any) -> Any:  # noqa: ANN401
            if args or not compaction.applies(options):
                return method(*args, **options)
            return kind(compaction, method, options)

        return open_

    if compaction.is_async:

        @wraps(method)
        async def asend(*args: Any, **options: Any) -> Any:  # noqa: ANN401
            if args or not compaction.applies(options):
                return await method(*args, **options)
            return await compaction.acall(method, options)

        return asend

    @wraps(method)
    def send(*args: Any, **options: Any) -> Any:  # noqa: ANN401
        if args or not compaction.applies(options):
            return method(*args, **options)
        return compaction.call(method, options)

    return send


def _copying(method: Callable[..., Any], compaction: Compaction) -> Callable[..., Any]:
    @wraps(method)
    def copied(*args: Any, **options: Any) -> Any:  # noqa: ANN401
        return in_front_of(method(*args, **options), compaction)

    return copied


def _telling(method: Callable[..., Any], compaction: Compaction, name: str) -> Callable[..., Any]:
    @wraps(method)
    def tell(*args: Any, **options: Any) -> Any:  # noqa: ANN401
        compaction.say_managed(name)
        return method(*args, **options)

    return tell

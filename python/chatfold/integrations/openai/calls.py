"""The calls of a client: each sends a compacted copy of its messages."""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from chatfold._logging import info, warn
from chatfold._run import LONG_COUNT_BYTES, beside_the_loop
from chatfold.compaction import LONG_LIST
from chatfold.index import MessageIndex, check_iterable
from chatfold.integrations._conversations import Conversation, Conversations
from chatfold.integrations.openai.package import APIStatusError
from chatfold.integrations.openai.too_long import is_too_long, share_that_fits
from chatfold.integrations.openai.usage import watch
from chatfold.integrations.openai.window import Window
from chatfold.report import CompactionReport
from chatfold.strategies import PipelineCompactionStrategy, Strategy, TruncationStrategy
from chatfold.triggers import always, tokens_exceed

Options: TypeAlias = dict[str, Any]
Send: TypeAlias = Callable[..., Any]

_last: ContextVar[CompactionReport | None] = ContextVar("chatfold_last_report", default=None)
_inside: ContextVar[bool] = ContextVar("chatfold_inside_call", default=False)


def last_report() -> CompactionReport | None:
    """Give the report of the last compaction of a call in this thread or task; None before any.

    Threads and tasks don't see each other's; a new task starts with that of the one that made it. A
    call that ran in a task of its own, as under ``asyncio.gather``, left its report there: take it
    with ``on_report``.
    """
    return _last.get()


class Request(NamedTuple):
    """What is sent.

    Attributes:
        options: The options of the call, with the compacted messages.
        report: What the compaction did.
        counted: Tokens of messages and schemas where they are asked for, else 0.
    """

    options: Options
    report: CompactionReport
    counted: int


class Compaction:
    """Compacts what the calls of a client send.

    Attributes:
        is_async: Whether the client is one whose calls are awaited.
        conversations: The conversations that are known.
    """

    def __init__(
        self,
        strategy: Strategy | None,
        *,
        window: Window | None,
        retry: bool,
        conversations: Conversations,
        on_report: Callable[[CompactionReport], object] | None,
        is_async: bool,
    ) -> None:
        """Take the parts."""
        self.conversations = conversations
        self.is_async = is_async
        self._strategy = strategy
        self._window = window
        self._retry = retry
        self._on_report = on_report
        self._managed_said = False

    def applies(self, options: Mapping[str, Any]) -> bool:
        """Tell whether a call has messages; one that a strategy makes for itself is left alone."""
        messages = options.get("messages")
        return messages is not None and hasattr(messages, "__iter__") and not _inside.get()

    def call(self, send: Send, options: Options) -> Any:  # noqa: ANN401 (what the client answers)
        """Send a compacted copy; where it is refused as too long, maybe a shorter one."""
        options = _listed(options)
        request = self._compacted(options)
        try:
            return self._watched(send(**request.options), request)
        except APIStatusError as error:
            if not self._goes_again(error):
                raise
            request = self._compacted(options, share_that_fits(error))
            if not request.report.changed:
                raise
            return self._watched(send(**request.options), request)

    async def acall(self, send: Callable[..., Awaitable[Any]], options: Options) -> Any:  # noqa: ANN401
        """Send a compacted copy; where it is refused as too long, maybe a shorter one."""
        options = _listed(options)
        request = await self._acompacted(options)
        try:
            return self._watched(await send(**request.options), request)
        except APIStatusError as error:
            if not self._goes_again(error):
                raise
            request = await self._acompacted(options, share_that_fits(error))
            if not request.report.changed:
                raise
            return self._watched(await send(**request.options), request)

    def say_managed(self, name: str) -> None:
        """Say once that a service keeps a history itself."""
        if not self._managed_said:
            self._managed_said = True
            warn(
                "compaction has no effect on %s, where the service may keep the history itself; "
                "only chat.completions is compacted",
                name,
            )

    def _compacted(self, options: Options, share: float | None = None) -> Request:
        messages = options["messages"]
        with self.conversations.held(messages) as conversation, _inside_a_call():
            index = conversation.index
            index.sync(messages)
            conversation.stands_at(messages)
            strategy = self._strategy_for(options) if share is None else _stricter(index, share)
            request = self._request(options, index, index.compact(strategy))
        return self._told(request)

    async def _acompacted(self, options: Options, share: float | None = None) -> Request:
        messages = options["messages"]
        async with self.conversations.aheld(messages) as conversation:
            with _inside_a_call():
                index = conversation.index
                await _async_sync(conversation, messages)
                if share is None:
                    strategy = self._strategy_for(options)
                else:
                    await _counted(index)
                    strategy = _stricter(index, share)
                report = await index.acompact(strategy)
                if self._window is not None and self._window.calibrate:
                    await _counted(index)
                request = self._request(options, index, report)
        return self._told(request)

    def _strategy_for(self, options: Options) -> Strategy:
        if self._window is None:
            return self._strategy or PipelineCompactionStrategy()
        guard = self._window.guard(options)
        return (
            guard if self._strategy is None else PipelineCompactionStrategy(self._strategy, guard)
        )

    def _request(self, options: Options, index: MessageIndex, report: CompactionReport) -> Request:
        counted = 0
        if self._window is not None and self._window.calibrate:
            counted = index.included_token_count + self._window.schema_tokens(options)
        return Request({**options, "messages": index.included_messages()}, report, counted)

    def _told(self, request: Request) -> Request:
        _last.set(request.report)
        if self._on_report is not None:
            self._on_report(request.report)
        return request

    def _goes_again(self, error: APIStatusError) -> bool:
        if not (self._retry and is_too_long(error)):
            return False
        info("the request was refused as too long: %s", error.message)
        return True

    def _watched(self, answer: Any, request: Request) -> Any:  # noqa: ANN401
        window = self._window
        if window is not None and window.calibrate:
            model = request.options.get("model")
            watch(answer, partial(window.learn, model, counted=request.counted))
        return answer


@contextmanager
def _inside_a_call() -> Iterator[None]:
    token = _inside.set(True)
    try:
        yield
    finally:
        _inside.reset(token)


def _listed(options: Options) -> Options:
    """List what may be an iterator, since it is read more than once."""
    listed = {**options, "messages": check_iterable(options["messages"])}
    if hasattr(options.get("tools"), "__next__"):
        listed["tools"] = list(options["tools"])
    return listed


async def _async_sync(conversation: Conversation, messages: list[Any]) -> None:
    if len(messages) - len(conversation.index) < LONG_LIST:
        conversation.index.sync(messages)
    else:
        await beside_the_loop(conversation.index.sync, messages)
    conversation.stands_at(messages)


async def _counted(index: MessageIndex) -> None:
    """Count what is included; in another thread where it may take long."""
    if index._uncounted_bytes() >= LONG_COUNT_BYTES:
        await beside_the_loop(index._included_tokens)


def _stricter(index: MessageIndex, share: float) -> Strategy:
    """Make what excludes the oldest groups until a share of the tokens is left."""
    target = ~tokens_exceed(int(index.included_token_count * share))
    return TruncationStrategy(trigger=always, target=target, minimum_preserved=1)

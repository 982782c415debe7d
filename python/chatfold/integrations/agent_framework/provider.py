"""chatfold's compaction provider as one of the framework's context providers."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from agent_framework import (
    AgentSession,
    ChatContext,
    ChatMiddleware,
    ContextProvider,
    Message,
    SessionContext,
    SupportsAgentRun,
)

from chatfold.errors import OptionTypeError
from chatfold.index import MessageIndex
from chatfold.integrations._adapter import AdaptedHistory, Recent
from chatfold.integrations.agent_framework.annotated import AnnotatedHistories
from chatfold.integrations.agent_framework.messages import ADAPTER
from chatfold.provider import CompactionProvider
from chatfold.report import CompactionReport


class _Turn(NamedTuple):
    """What a compaction provider has to know of a run."""

    session: Any
    reports: list[CompactionReport]


class CompactionContextProvider(ContextProvider):
    """Has a compaction provider of chatfold at work in an agent of the framework.

    Attributes:
        provider: The provider.
        last_reports: What the compactions of the last run did, in order.
    """

    after_run_once_per_turn = True

    def __init__(self, provider: CompactionProvider) -> None:
        """Take the provider, and its name."""
        super().__init__(provider.source_id)
        self.provider = provider
        self.last_reports: list[CompactionReport] = []
        self._in_flight: Recent[AdaptedHistory[Message]] = Recent()
        self._stored = AnnotatedHistories(MessageIndex)

    async def before_run(
        self,
        *,
        agent: SupportsAgentRun,  # noqa: ARG002 (the framework's signature)
        session: AgentSession,
        context: SessionContext,
        state: dict[str, Any],  # noqa: ARG002 (the framework's signature)
    ) -> None:
        """See to it that each call of the model gets a compacted copy of its messages."""
        reports: list[CompactionReport] = []
        self.last_reports = reports
        turn: Any = _Turn(session, reports)
        if _is_service_managed(session, context.options):
            self.provider._say_service_managed(turn)
        elif self.provider.before_strategy is not None:
            context.extend_middleware(self.source_id, _InFlight(self, session, reports))

    async def compacted(
        self, messages: list[Message], session: AgentSession, reports: list[CompactionReport]
    ) -> list[Message]:
        """Give what the model is to see of a list; the list is left alone."""
        strategy = self.provider.before_strategy
        if strategy is None or not messages:
            return messages
        first = ADAPTER.first_part(messages[0])
        history = self._in_flight.take(first) or AdaptedHistory(ADAPTER, MessageIndex)
        try:
            history.follow(messages)
            turn: Any = _Turn(session, reports)
            await self.provider._compact("before_run", turn, history.index, strategy)
            return history.included()
        finally:
            self._in_flight.put(first, history)

    async def after_run(
        self,
        *,
        agent: SupportsAgentRun,  # noqa: ARG002 (the framework's signature)
        session: AgentSession,
        context: SessionContext,
        state: dict[str, Any],  # noqa: ARG002 (the framework's signature)
    ) -> None:
        """Compact what the history provider has stored."""
        strategy = self.provider.after_strategy
        history = session.state.get(self.provider.history_source_id)
        stored = history.get("messages") if isinstance(history, dict) else None
        if strategy is None or not stored or _is_service_managed(session, context.options):
            return
        turn: Any = _Turn(session, self.last_reports)
        with self._stored.of(stored) as annotated:
            await self.provider._compact("after_run", turn, annotated.index, strategy)
            annotated.write(stored)


class _InFlight(ChatMiddleware):
    """Puts itself before each call of the model, inside the tool loop as well."""

    def __init__(
        self,
        owner: CompactionContextProvider,
        session: AgentSession,
        reports: list[CompactionReport],
    ) -> None:
        self._compacted = partial(owner.compacted, session=session, reports=reports)

    async def process(self, context: ChatContext, call_next: Callable[[], Awaitable[None]]) -> None:
        """Send a compacted copy."""
        if not (context.options or {}).get("conversation_id"):
            context.messages = await self._compacted(list(context.messages))
        await call_next()


def _is_service_managed(session: AgentSession, options: Mapping[str, Any]) -> bool:
    """Tell whether a service keeps the conversation itself."""
    return session.service_session_id is not None or bool(options.get("conversation_id"))


def as_context_provider(provider: CompactionProvider) -> CompactionContextProvider:
    """Put a compaction provider of chatfold into an agent of the framework.

    Give it to the ``Agent`` after the history provider that ``history_source_id`` names. Before each
    call of the model, inside the tool loop as well, ``before_strategy`` compacts a copy of what is to
    be sent: neither the list of the run nor what is stored is changed by it. After the turn
    ``after_strategy`` annotates what is stored; whether the next run loads what it left out is up to
    ``InMemoryHistoryProvider(skip_excluded=True)``. Hooks get the framework's session.

    Args:
        provider: The provider, with its strategies, tokenizer, names and hooks.

    Raises:
        OptionTypeError: It is none.
    """
    if not isinstance(provider, CompactionProvider):
        raise OptionTypeError(f"provider is {provider!r}; pass a chatfold.CompactionProvider")
    return CompactionContextProvider(provider)

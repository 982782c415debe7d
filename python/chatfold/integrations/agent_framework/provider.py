"""chatfold's compaction provider as one of the framework's context providers."""

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from agent_framework import (
    AgentSession,
    ContextProvider,
    HistoryProvider,
    InMemoryHistoryProvider,
    Message,
    SessionContext,
    SupportsAgentRun,
)

from chatfold._options import shown
from chatfold.errors import OptionTypeError
from chatfold.index import MessageIndex
from chatfold.integrations._adapter import AdaptedHistory, Recent
from chatfold.integrations.agent_framework.annotated import AnnotatedHistories
from chatfold.integrations.agent_framework.in_flight import InFlight, made_anew
from chatfold.provider import CompactionProvider
from chatfold.provider.run import names_conversation
from chatfold.report import CompactionReport


class _Turn(NamedTuple):
    """What a compaction provider has to know of a run."""

    session: Any
    reports: list[CompactionReport]


class CompactionContextProvider(ContextProvider):
    """Has a compaction provider of chatfold at work in an agent of the framework.

    Attributes:
        provider: The provider.
        last_reports: What the compactions of the run that began last did, in order.
    """

    after_run_once_per_turn = True

    def __init__(self, provider: CompactionProvider) -> None:
        """Take the provider, and its name."""
        super().__init__(provider.source_id)
        self.provider = provider
        self.last_reports: list[CompactionReport] = []
        self._in_flight: Recent[AdaptedHistory[Message]] = Recent()
        self._stored = AnnotatedHistories(MessageIndex)
        self._turns: WeakKeyDictionary[SessionContext, _Turn] = WeakKeyDictionary()

    async def before_run(
        self,
        *,
        agent: SupportsAgentRun,
        session: AgentSession,
        context: SessionContext,
        state: dict[str, Any],
    ) -> None:
        """See to it that each call of the model gets a compacted copy of its messages."""
        reports: list[CompactionReport] = []
        self.last_reports = reports
        saved: object = state
        if not isinstance(saved, dict):
            made_anew(f"it is {shown(saved)}")
            state = session.state[self.source_id] = {}
        turn: Any = _Turn(session, reports)
        self._turns[context] = turn
        if _is_service_managed(agent, session, context.options):
            self.provider._say_service_managed(turn)
        else:
            compact = None
            if self.provider.before_strategy is not None:
                strategy = self.provider.before_strategy
                compact = partial(self.provider._compact, "before_run", turn, strategy=strategy)
            stored = partial(_stored, session, self.provider.history_source_id)
            late = _loads_late(agent)
            in_flight = InFlight(compact, self._in_flight, state, stored, loads_late=late)
            context.extend_middleware(self.source_id, in_flight)

    async def after_run(
        self,
        *,
        agent: SupportsAgentRun,
        session: AgentSession,
        context: SessionContext,
        state: dict[str, Any],  # noqa: ARG002 (the framework's signature)
    ) -> None:
        """Compact what the history provider has stored."""
        for each in context.middleware.get(self.source_id, ()):
            if isinstance(each, InFlight):
                each.save()
        strategy = self.provider.after_strategy
        if strategy is None or _is_service_managed(agent, session, context.options):
            return
        turn: Any = self._turns.pop(context, _Turn(session, []))
        stored = _stored(session, self.provider.history_source_id)
        if not stored:
            if not _stores_in_session(agent, self.provider.history_source_id):
                self.provider._say_no_history(
                    turn,
                    f"no provider {self.provider.history_source_id!r} stores messages in the session",
                )
            return
        with self._stored.of(stored) as annotated:
            await self.provider._compact("after_run", turn, annotated.index, strategy)
            if annotated.knows(stored):
                annotated.write(stored, turn.reports[-1])


def _stored(session: AgentSession, source_id: str) -> list[Message]:
    """Give the list of what a history provider has stored in a session; an empty one if it has none."""
    history = session.state.get(source_id)
    stored = history.get("messages") if isinstance(history, dict) else None
    return stored if isinstance(stored, list) else []


def _stores_in_session(agent: SupportsAgentRun, source_id: str) -> bool:
    """Tell whether an agent has a provider of this name that stores messages in the session."""
    return any(
        isinstance(each, InMemoryHistoryProvider) and each.source_id == source_id
        for each in getattr(agent, "context_providers", ())
    )


def _loads_late(agent: SupportsAgentRun) -> bool:
    """Tell whether an agent has its history loaded and stored in each call of the model."""
    return bool(getattr(agent, "require_per_service_call_history_persistence", False)) and any(
        isinstance(each, HistoryProvider) for each in getattr(agent, "context_providers", ())
    )


def _is_service_managed(
    agent: SupportsAgentRun, session: AgentSession, options: Mapping[str, Any]
) -> bool:
    """Tell whether a service keeps the conversation itself."""
    of_all_runs: Mapping[str, Any] = getattr(agent, "default_options", None) or {}
    return session.service_session_id is not None or names_conversation({**of_all_runs, **options})


def as_context_provider(provider: CompactionProvider) -> CompactionContextProvider:
    """Put a compaction provider of chatfold into an agent of the framework.

    Give it to the ``Agent`` before the history provider that ``history_source_id`` names: after a run
    the framework calls its providers in reverse, so that the turn is stored by then. Before each call
    of the model, inside the tool loop as well, ``before_strategy`` compacts a copy of what is to be
    sent: neither the list of the run nor what is stored is changed by it. After the turn
    ``after_strategy`` annotates what is stored; whether the next run loads what it left out is up to
    ``InMemoryHistoryProvider(skip_excluded=True)``. Hooks get the framework's session. What is
    remembered of both is saved with the session.

    Args:
        provider: The provider, with its strategies, tokenizer, names and hooks.

    Raises:
        OptionTypeError: It is none.
    """
    if not isinstance(provider, CompactionProvider):
        raise OptionTypeError(f"provider is {provider!r}; pass a chatfold.CompactionProvider")
    return CompactionContextProvider(provider)

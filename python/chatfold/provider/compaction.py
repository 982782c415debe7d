"""The provider that keeps a session small."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any

from chatfold import tracing
from chatfold._logging import info, warn
from chatfold._options import function, text
from chatfold._run import unchanged
from chatfold._traced import told
from chatfold.errors import TokenizerMismatchError
from chatfold.index import MessageIndex
from chatfold.provider.history import StoredHistory
from chatfold.provider.hooks import CompactionEvent, CompactionHook, Phase, allowed
from chatfold.provider.in_flight import InFlight
from chatfold.provider.run import Run
from chatfold.provider.session import Session
from chatfold.report import CompactionReport
from chatfold.strategies import Strategy, StrategyLike, as_strategy
from chatfold.tokenizers import Tokenizer, TokenizerLike, resolve


class CompactionProvider:
    """Compacts what the model is about to see, and what is stored.

    Put it after the history provider. What providers before it loaded, the input, and what the run
    adds while its tool loop goes on, is compacted before each model call, in an index of its own that
    lives as long as the session; the stored history is not touched by it. What providers after it
    add is sent as it is. Stored history is compacted once a run has ended: never under its tool loop.

    After an error or a cancellation the session is as it was, and the exception reaches the caller;
    what a run that went well has stored stays stored.

    Args:
        before_strategy: Compacts what the model is about to see; None leaves it.
        after_strategy: Compacts what is stored after each run, so that the next one starts smaller;
            None leaves it.
        tokenizer: What both count with; by default the strategy's own, else the estimator.
        source_id: Its name in runs and in the state of sessions.
        history_source_id: The name of the history provider that stores the session.
        before_hook: Called with a :class:`CompactionEvent` before each compaction; ``False`` prevents
            it. Plain or async.
        after_hook: Called with it after each compaction; ``False`` undoes it. Plain or async.

    Raises:
        OptionTypeError: A wrong type; names the option.
        TokenizerMismatchError: ``tokenizer`` and a strategy's own are different.
    """

    def __init__(
        self,
        before_strategy: StrategyLike | None = None,
        after_strategy: StrategyLike | None = None,
        tokenizer: TokenizerLike = None,
        source_id: str = "compaction",
        history_source_id: str = "in_memory",
        *,
        before_hook: CompactionHook | None = None,
        after_hook: CompactionHook | None = None,
    ) -> None:
        """Check the options."""
        self.source_id = text("source_id", source_id)
        self.history_source_id = text("history_source_id", history_source_id)
        self.tokenizer = None if tokenizer is None else resolve(tokenizer)
        self.before_strategy = self._strategy("before_strategy", before_strategy)
        self.after_strategy = self._strategy("after_strategy", after_strategy)
        for name, hook in (("before_hook", before_hook), ("after_hook", after_hook)):
            if hook is not None:
                function(name, hook)
        self.before_hook = before_hook
        self.after_hook = after_hook
        self._said: set[str] = set()

    def _strategy(self, name: str, value: StrategyLike | None) -> Strategy | None:
        strategy = None if value is None else as_strategy(name, value)
        own = None if strategy is None else strategy.tokenizer
        if own is not None and self.tokenizer is not None and own != self.tokenizer:
            raise TokenizerMismatchError(
                f"tokenizer is {self.tokenizer!r} and {name} counts with {own!r}; give both the same "
                "one, or only one of them any"
            )
        return strategy

    async def before_run(self, run: Run) -> None:
        """Say in the log where compaction will have no effect; see :meth:`before_model_call`."""
        if run.is_service_managed:
            self._say_service_managed(run)
        elif self.after_strategy is not None and self._history(run.session) is None:
            known = [each.source_id for each in run.providers]
            if self.history_source_id not in known[: known.index(self.source_id)]:
                self._say_no_history(
                    run, f"no history provider before it is called {self.history_source_id!r}"
                )

    def _say_service_managed(self, run: Run) -> None:
        self._say(run, "has no effect where a service keeps the conversation itself")

    def _say_no_history(self, run: Run, why: str) -> None:
        self._say(run, f"has no effect after runs, since {why}")

    def _say(self, run: Run, what: str) -> None:
        if what not in self._said:
            self._said.add(what)
            warn("%s %s: session %r", self, what, run.session.session_id)

    async def before_model_call(
        self, run: Run, context: Sequence[Sequence[Any]], added: Sequence[Any]
    ) -> list[Any]:
        """Compact what the model is about to see."""
        if self.before_strategy is None or run.is_service_managed:
            return [*chain.from_iterable(context), *added]
        memory = self.in_flight(run.session)
        await memory.follow(context, added)
        await self._compact("before_run", run, memory.index, self.before_strategy)
        return memory.index.included_messages()

    async def after_run(self, run: Run) -> None:
        """Compact what is stored."""
        history = self._history(run.session)
        if self.after_strategy is not None and history is not None and not run.is_service_managed:
            await self._compact("after_run", run, history.index, self.after_strategy)

    def in_flight(self, session: Session) -> InFlight:
        """Give what is remembered of compacting on the way to the model.

        Raises:
            StateError: The state of the session is damaged.
        """
        history = self._history(session)
        load, new = partial(InFlight.from_state, history=history), partial(InFlight, history)
        return session.live(self.source_id, load, new, kind=InFlight)

    def _history(self, session: Session) -> StoredHistory | None:
        state = session.state.get(self.history_source_id)
        if isinstance(state, Mapping) and StoredHistory.is_state(state):
            state = session.live(
                self.history_source_id, StoredHistory.from_state, StoredHistory, kind=StoredHistory
            )
        # A history provider of the user's own may keep anything.
        return state if isinstance(state, StoredHistory) else None

    async def _compact(
        self, phase: Phase, run: Run, index: MessageIndex, strategy: Strategy
    ) -> None:
        attributes = {
            "compaction.provider.source_id": self.source_id,
            "compaction.provider.phase": phase,
            "gen_ai.conversation.id": run.session.session_id,
        }
        with tracing.span("compaction.provider.invoke", **attributes) as span:
            event = partial(CompactionEvent, phase, run.session, strategy=strategy, index=index)
            report = await self._report(event, index, strategy)
            if span is not None:
                span.done()
                await told(span, report, strategy.name, index._uncounted_bytes())
        run.reports.append(report)

    async def _report(
        self, event: Callable[..., CompactionEvent], index: MessageIndex, strategy: Strategy
    ) -> CompactionReport:
        if self.before_hook is not None:
            report = unchanged(index)
            if not await allowed(self.before_hook, event(report=report)):
                info("%s was vetoed", strategy.name)
                return report

        async def accept(report: CompactionReport) -> bool:
            return await allowed(self.after_hook, event(report=report))

        return await index._acompact(
            strategy,
            tokenizer=self._tokenizer_of(strategy),
            accept=None if self.after_hook is None else accept,
        )

    def _tokenizer_of(self, strategy: Strategy) -> Tokenizer | None:
        return strategy.tokenizer if self.tokenizer is None else self.tokenizer

    def __repr__(self) -> str:
        """Show what compacts what."""
        given = {"before_strategy": self.before_strategy, "after_strategy": self.after_strategy}
        shown = [f"{name}={each.name}" for name, each in given.items() if each is not None]
        return f"CompactionProvider({', '.join(shown)})"

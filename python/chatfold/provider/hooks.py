"""Hooks: functions of the user's own that see each compaction and may veto it."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Literal, TypeAlias

from chatfold.index import MessageIndex
from chatfold.report import CompactionReport
from chatfold.strategies import Strategy

if TYPE_CHECKING:
    from chatfold.provider.session import Session

Phase: TypeAlias = Literal["before_run", "after_run"]
"""Whether it is about what the model is to see, or about what is stored."""


class CompactionEvent:
    """A compaction that is about to begin, or that was just done.

    Attributes:
        phase: ``before_run`` for what the model is about to see, ``after_run`` for what is stored.
        session: The session.
        strategy: What compacts it.
        index: What is compacted.
        report: What came of it; before it, the figures of now.
    """

    def __init__(
        self,
        phase: Phase,
        session: "Session",
        *,
        strategy: Strategy,
        index: MessageIndex,
        report: CompactionReport,
    ) -> None:
        """Take what there is to tell."""
        self.phase = phase
        self.session = session
        self.strategy = strategy
        self.index = index
        self.report = report

    def __repr__(self) -> str:
        """Show what happens where."""
        return f"<CompactionEvent {self.phase} of {self.session.session_id!r}: {self.report}>"


CompactionHook: TypeAlias = Callable[[CompactionEvent], bool | Awaitable[bool | None] | None]
"""Takes the event; where it gives ``False``, the compaction is not done, or undone."""


async def allowed(hook: CompactionHook | None, event: CompactionEvent) -> bool:
    """Ask a hook; only ``False`` is a veto, so that one that merely looks may give nothing."""
    if hook is None:
        return True
    answer = hook(event)
    if isinstance(answer, Awaitable):
        answer = await answer
    return answer is not False

"""Attempts to summarize an index: what comes of each, and what is done about it."""

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

from chatfold._run import note
from chatfold.errors import (
    EmptySummaryError,
    SummarizerPausedError,
    SummaryNotSmallerError,
    SummaryOutdatedError,
)
from chatfold.index import MessageGroup, MessageIndex
from chatfold.report import SummaryOutcome, SummaryReport
from chatfold.summarization.background import Background
from chatfold.summarization.folding import Instructions
from chatfold.summarization.material import Material, gather
from chatfold.summarization.memory import Memory
from chatfold.summarization.rule import Rule
from chatfold.summarization.writing import Draft, Writer
from chatfold.triggers import Trigger, never

OnFailure: TypeAlias = Literal["keep", "raise", "digest"]

REASON = "summarized"

_OUTCOMES: tuple[tuple[type[Exception], SummaryOutcome], ...] = (
    (SummarizerPausedError, "paused"),
    (EmptySummaryError, "empty"),
    (SummaryNotSmallerError, "not smaller"),
    (SummaryOutdatedError, "outdated"),
    (TimeoutError, "timed out"),
    (Exception, "failed"),
)


class Attempts(NamedTuple):
    """How an index is summarized, with the memory of earlier attempts.

    Attributes:
        rule: When, and how much of it.
        writer: Who writes the summaries.
        role: Whom they speak as.
        max_chars: Longer tool results are shown without their middle.
        on_failure: What is done where nobody writes one.
        background: The summaries that are prepared.
        fruitless: What a summary would not be shorter than.
        condenses: Whether a summary so far that is too large is summarized where nothing is new.
    """

    rule: Rule
    writer: Writer
    role: str
    max_chars: int
    on_failure: str
    background: Background
    fruitless: Memory[Material]
    condenses: bool = False

    async def run(self, index: MessageIndex, instructions: Instructions) -> bool:
        """Summarize where the trigger is true; say whether anything changed."""
        if not self.rule.trigger(index):
            self._prepare(index, instructions)
            return False
        length = len(index)
        prepared = await self.background.take(index)
        changed = prepared is not None and self._use(index, *prepared)
        # A summary longer than expected may leave the trigger true: then all goes that may. What
        # came while the model wrote is for the next run.
        for target in (self.rule.target, never):
            if changed and len(index) > length:
                break
            if (changed or prepared is not None) and not self.rule.trigger(index):
                break
            material = self._material(index, target)
            if material is None:
                if not changed:
                    note(SummaryReport("nothing to do", target_met=self.rule.met(index)))
                break
            draft = await self.writer.write(material, instructions, _count(index))
            if not self._finish(index, material, draft):
                break
            changed = True
        return changed

    def _material(self, index: MessageIndex, target: Trigger | None) -> Material | None:
        """Read what is to be summarized; None where nothing is new, or nothing to gain."""
        if not self.writer.has_room(_count(index)):
            return None
        selection = self.rule.select(index, target=target)
        if not selection.fresh and not self._has_outgrown(selection.previous):
            return None
        material = gather(selection, self.max_chars)
        if not material.can_shrink or material.same(self.fruitless.get(index)):
            return None
        return material

    def _has_outgrown(self, summaries: list[MessageGroup]) -> bool:
        most = self.writer.limits.summary
        return self.condenses and sum(group.token_count for group in summaries) > most

    def _prepare(self, index: MessageIndex, instructions: Instructions) -> None:
        start = self.rule.start
        if start is None or not self.background.can_start(index) or not start(index):
            return
        material = self._material(index, self.rule.early())
        if material is not None:
            writing = self.writer.write(material, instructions, _count(index))
            self.background.start(index, material, writing)
            note(SummaryReport("preparing", groups=len(material.covered)))

    def _use(self, index: MessageIndex, material: Material, draft: Draft) -> bool:
        """Apply a summary that was prepared; where that can't be, another one is written."""
        if draft.error is None and material.unchanged(index):
            return self._apply(index, material, draft, "written")
        error = draft.error or _outdated()
        self._note(index, material, draft, _outcome(error), error)
        return False

    def _finish(self, index: MessageIndex, material: Material, draft: Draft) -> bool:
        error = draft.error
        if not material.unchanged(index):
            error = error or _outdated()
        elif error is None:
            return self._apply(index, material, draft, "written")
        elif self.on_failure == "digest":
            digest = self.writer.digest(material, _count(index))
            if digest.error is None:
                mechanical = digest._replace(error=error, usage=draft.usage)
                return self._apply(index, material, mechanical, "digest")
        if isinstance(error, SummaryNotSmallerError):
            self.fruitless.set(index, material)
        self._note(index, material, draft, _outcome(error), error)
        if self.on_failure == "raise":
            raise error
        return False

    def _apply(
        self, index: MessageIndex, material: Material, draft: Draft, outcome: SummaryOutcome
    ) -> bool:
        index.replace(material.groups, draft.text, role=self.role, reason=REASON)
        self._note(index, material, draft, outcome, draft.error)
        return True

    def _note(
        self,
        index: MessageIndex,
        material: Material,
        draft: Draft,
        outcome: SummaryOutcome,
        error: Exception | None,
    ) -> None:
        groups, met = len(material.covered), self.rule.met(index)
        note(SummaryReport(outcome, error, groups, draft.cut, met, draft.usage))


def _outcome(error: Exception) -> SummaryOutcome:
    return next(outcome for kind, outcome in _OUTCOMES if isinstance(error, kind))


def _outdated() -> SummaryOutdatedError:
    return SummaryOutdatedError("what the summary covers has changed since it was begun")


def _count(index: MessageIndex) -> Callable[[str], int]:
    return index.tokenizer.count_tokens

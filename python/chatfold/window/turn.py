"""One turn: prune, drop, and summarize what was dropped."""

from typing import NamedTuple

from chatfold.index import MessageIndex
from chatfold.report import SummaryReport
from chatfold.triggers import tokens_exceed
from chatfold.window.budget import Budget
from chatfold.window.debug import logger
from chatfold.window.dropping import Dropped
from chatfold.window.due import should_summarize
from chatfold.window.fading import Fading
from chatfold.window.summaries import Summaries


class Turn(NamedTuple):
    """What a turn is run with.

    Attributes:
        budget: What fits.
        trigger: When a summary is due; None means whenever messages were dropped.
        fading: How tool results fade.
        summaries: Who writes summaries; None where nobody does.
        dropped: What was dropped so far.
    """

    budget: Budget
    trigger: object | None
    fading: Fading
    summaries: Summaries | None
    dropped: Dropped

    async def run(self, index: MessageIndex) -> "Outcome":
        """Make what is included fit."""
        budget = self.budget
        before = self._in_use(index)
        pruned = self.fading.prune(index)
        dropped = self.dropped.drop_until(budget.room)
        logger.debug(
            "%s tokens were in use before, of %d with %d reserved; %d groups pruned, %d messages "
            "dropped, %d dropped in all",
            f"{before:,}" if before < budget.max_context_tokens else "too many",
            budget.max_context_tokens,
            budget.reserved,
            pruned,
            dropped,
            self.dropped.messages,
        )
        summary = None
        if self.summaries is not None:
            due = self._is_due(index, before) or self._is_stuck(index, self.summaries)
            if due and not self.summaries.wait():
                summary = await self._summarize(index, self.summaries)
        if dropped or summary is not None:
            # The list is shorter, and what is left in it older; a prompt cache starts anew anyway.
            pruned += self.fading.prune(index)
        met = budget.holds_fixed and not tokens_exceed(budget.room)(index)
        return Outcome(pruned, dropped, summary, met)

    def _in_use(self, index: MessageIndex) -> int:
        """Tell how many tokens are in use, of the provider's; all that exceed the window as one."""
        budget = self.budget
        if tokens_exceed(budget.full)(index):
            return budget.max_context_tokens
        return budget.in_use(index.included_token_count)

    def _is_due(self, index: MessageIndex, before: int) -> bool:
        """Ask the trigger; the figures alone may ask for a summary before anything is dropped."""
        messages = self.dropped.messages
        if self.trigger is None or getattr(self.trigger, "type", "") == "messages_to_refine":
            return self._asks(before, messages)
        return self._asks(before, 1) and (messages > 0 or self._pays(index))

    def _asks(self, before: int, messages: int) -> bool:
        return should_summarize(
            self.trigger,
            max_context_tokens=self.budget.max_context_tokens,
            tokens_before=before,
            remaining_tokens=self.budget.max_context_tokens - before,
            messages_to_refine=messages,
        )

    def _pays(self, index: MessageIndex) -> bool:
        """Tell whether a summary would be shorter than what it takes the place of."""
        assert self.summaries is not None  # noqa: S101 (asked only where there are summaries)
        self.summaries.fit(index, self.budget)
        older = self.summaries.older(index)
        return sum(group.token_count for group in older) > self.summaries.max_tokens

    def _is_stuck(self, index: MessageIndex, summaries: Summaries) -> bool:
        """Tell whether nothing more can go, and the summary was written for more room."""
        if not tokens_exceed(self.budget.room)(index):
            return False
        summaries.fit(index, self.budget)
        return summaries.have_outgrown(index)

    async def _summarize(self, index: MessageIndex, summaries: Summaries) -> SummaryReport:
        summaries.fit(index, self.budget)
        if self.dropped.messages:
            self.dropped.bring_back()
        summary = await summaries.write(index)
        again = self.dropped.drop_until(self.budget.room)
        logger.debug("summary %s; %d messages dropped after it", summary, again)
        return summary


class Outcome(NamedTuple):
    """What a turn came to.

    Attributes:
        pruned: Groups that had tool results shortened; one counts twice that was trimmed, and cleared
            after something was dropped.
        dropped: Messages that did not fit.
        summary: What the attempt to summarize came to; None where none was due.
        target_met: Whether the rest fits, beside instructions and tool schemas.
    """

    pruned: int
    dropped: int
    summary: SummaryReport | None
    target_met: bool

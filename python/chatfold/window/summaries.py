"""The summaries of a window: which part of the history they are about, and what comes of them."""

from collections.abc import Iterable
from itertools import tee

from chatfold.config import SummarizationConfig
from chatfold.index import MessageGroup, MessageIndex
from chatfold.report import SummaryReport
from chatfold.summarization import (
    BRIEF_PROMPT,
    UPDATE_PROMPT,
    RetainRecent,
    SummarizationStrategy,
    SummarizerLike,
)
from chatfold.summarization.entries import summary_text
from chatfold.summarization.floor import floor
from chatfold.window.budget import Budget
from chatfold.window.dropping import summary_of

_LARGEST_SHARE = 4
"""A summary takes a quarter of the room at most, so that recent turns fit beside it."""
_DEFAULT_TOKENS = 2_000
_LARGEST_INPUT = 64_000
_SMALLEST_ROOM = 1_024
"""For a piece of the history and what stands around it."""
_LONGEST_WAIT = 64


class FittingTail(RetainRecent):
    """The recent turns, as far as they fit: what does not fit had better be in the summary.

    Attributes:
        room: Tokens that they may have.
    """

    __slots__ = ("room",)

    def __init__(self, *, turns: int, tokens: int | None) -> None:
        """Take the numbers of the configuration."""
        super().__init__(turns=turns, tokens=tokens)
        self.room = 0

    def tail(self, newest: Iterable[MessageGroup]) -> set[MessageGroup]:
        """Choose from groups, the newest first."""
        groups, newest = tee(newest)
        recent = super().tail(newest)
        fitting: set[MessageGroup] = set()
        room = self.room
        for group in groups:
            if group not in recent:
                break
            room -= group.token_count
            if room < 0:
                break
            fitting.add(group)
        return fitting


class Summaries:
    """Writes the summaries of one window.

    After a failure some turns go by before the next attempt, more with each: what was dropped meanwhile
    is brought back for it, and that takes time.

    Attributes:
        max_tokens: The size of a summary, as the room was that was fitted last.
    """

    def __init__(self, config: SummarizationConfig, client: SummarizerLike, budget: Budget) -> None:
        """Make the strategy."""
        recent = config.retain_recent
        self._tail = FittingTail(turns=recent.turns, tokens=recent.tokens)
        self._wanted = config.max_summary_tokens or _DEFAULT_TOKENS
        prompt = BRIEF_PROMPT if config.prompt is None else config.prompt
        update = UPDATE_PROMPT if config.update_prompt is None else config.update_prompt
        # A token of a prompt has at least one character.
        self._prompts = max(len(prompt), len(update))
        self.max_tokens = self._share(budget)
        strategy = SummarizationStrategy(
            client=client,
            trigger=self.has_older,
            retain_recent=self._tail,
            max_summary_tokens=self.max_tokens,
            max_summary_input_tokens=self._input(budget),
            prompt=prompt,
            update_prompt=update,
        )
        self._strategy = strategy._sized(self.max_tokens, self._input(budget))
        self._failures = self._waiting = 0

    def _share(self, budget: Budget) -> int:
        """Give the size of a summary in such a window."""
        return max(1, min(self._wanted, budget.room // _LARGEST_SHARE))

    def _input(self, budget: Budget) -> int:
        """Give the size of a call for a summary."""
        least = 2 * self.max_tokens + _SMALLEST_ROOM + self._prompts
        return max(least, min(_LARGEST_INPUT, budget.max_context_tokens))

    def has_older(self, index: MessageIndex) -> bool:
        """Tell whether there is anything that a summary could take the place of."""
        return bool(self.older(index)) or self.have_outgrown(index)

    def have_outgrown(self, index: MessageIndex) -> bool:
        """Tell whether the summary was written for more room than there is."""
        return baseline_of(index) > self.max_tokens

    def older(self, index: MessageIndex) -> list[MessageGroup]:
        """List what a summary would take the place of, beside an earlier summary."""
        groups = [group for group in index.included_groups if group.kind != "system"]
        always = floor(index)
        spoken = [group for group in groups if group in always or summary_text(group) is None]
        kept = self._tail.tail(reversed(spoken)) | always
        return [group for group in spoken if group not in kept]

    def fit(self, index: MessageIndex, budget: Budget) -> None:
        """Leave room for system messages and the summary beside the recent turns."""
        share = self._share(budget)
        if share != self.max_tokens:
            self.max_tokens = share
            self._strategy = self._strategy._sized(share, self._input(budget))
        systems = (group for group in index.included_groups if group.kind == "system")
        tokens = sum(group.token_count for group in systems)
        self._tail.room = budget.room - share - tokens

    def wait(self) -> bool:
        """Tell whether this turn goes by without an attempt."""
        if self._waiting > 0:
            self._waiting -= 1
            return True
        return False

    async def write(self, index: MessageIndex) -> SummaryReport:
        """Write a summary of all but the recent turns."""
        report = await index.acompact(self._strategy)
        outcome = report.summaries[-1] if report.summaries else SummaryReport("nothing to do")
        if report.changed:
            self._failures = 0
        else:
            self._failures += 1
            self._waiting = min(_LONGEST_WAIT, 2 ** min(self._failures - 1, 10)) - 1
        return outcome


def baseline_of(index: MessageIndex) -> int:
    """Count the summary that stands for what came before; 0 where there is none."""
    summary = summary_of(index)
    return 0 if summary is None else summary.token_count

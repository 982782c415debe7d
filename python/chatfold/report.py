"""Reports: what a compaction did, in exact figures."""

from typing import Literal, NamedTuple, TypeAlias

from chatfold._core import Figures, StrategyStep
from chatfold.errors import described

__all__ = ["CompactionReport", "Figures", "StrategyStep", "SummaryReport", "SummaryUsage"]

SummaryOutcome: TypeAlias = Literal[
    "written",
    "digest",
    "preparing",
    "nothing to do",
    "failed",
    "timed out",
    "empty",
    "not smaller",
    "outdated",
    "paused",
]
"""How an attempt to summarize ended; from "failed" on, the model's text was not taken."""


class SummaryUsage(NamedTuple):
    """What summaries cost.

    Attributes:
        calls: Calls of clients, failed ones among them.
        input_tokens: What the models read, as far as the clients told.
        output_tokens: What the models wrote, as far as the clients told.
        seconds: How long the calls took.
        models: Who answered, each once, in order.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    models: tuple[str, ...] = ()

    def plus(self, other: "SummaryUsage") -> "SummaryUsage":
        """Add the usage of more calls."""
        return SummaryUsage(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.seconds + other.seconds,
            tuple(dict.fromkeys(self.models + other.models)),
        )


class SummaryReport(NamedTuple):
    """What one attempt to summarize came to.

    Attributes:
        outcome: How it ended. ``written`` and ``digest`` changed the index; ``preparing`` is a
            summary that is being written in the background.
        error: Why it failed, where it did; with ``digest``, why the model's text is not there.
        groups: How many groups the summary took the place of, or would have.
        cut: Whether the text was longer than allowed and its end was left out.
        target_met: Whether the target was true at the end.
        usage: What it cost.
    """

    outcome: SummaryOutcome
    error: Exception | None = None
    groups: int = 0
    cut: bool = False
    target_met: bool = True
    usage: SummaryUsage = SummaryUsage()

    def __str__(self) -> str:
        """Say it in a few words."""
        words: str = self.outcome
        if self.cut:
            words += ", its end cut off"
        if self.error is not None:
            words += f" ({described(self.error)})"
        return words


class CompactionReport(NamedTuple):
    """What a compaction did.

    Attributes:
        before: What was included before.
        after: What is included now.
        steps: What each strategy did whose trigger was true, in order.
        target_met: Whether every target was true at the end of its strategy; a budget that the
            protected messages alone exceed is missed.
        first_changed: The position of the first message whose place changed, None where none did.
            A prompt cache is good up to it.
        summaries: What each attempt to summarize came to, in order.
    """

    before: Figures
    after: Figures
    steps: tuple[StrategyStep, ...]
    target_met: bool
    first_changed: int | None
    summaries: tuple[SummaryReport, ...] = ()

    @property
    def summary_usage(self) -> SummaryUsage:
        """What all summaries of the run cost."""
        usage = SummaryUsage()
        for summary in self.summaries:
            usage = usage.plus(summary.usage)
        return usage

    @property
    def changed(self) -> bool:
        """Whether anything is included otherwise than before; what went and came back is not."""
        return self.first_changed is not None

    def __str__(self) -> str:
        """Say it in one line, from what is known: nothing is counted for it."""
        told = "".join(
            f"; summary {summary}"
            for summary in self.summaries
            if summary.cut or summary.outcome not in ("written", "nothing to do")
        )
        if not self.changed:
            missed = "" if self.target_met else ", target missed"
            return f"unchanged: {_size(self.after)}{missed}{told}"
        steps = ", ".join(f"{step.strategy} {_touched(step)}" for step in self.steps if step.groups)
        missed = "" if self.target_met else "; target missed"
        return f"{_size(self.before)} -> {_size(self.after)} ({steps}){missed}{told}"


def _size(figures: Figures) -> str:
    tokens = figures.known_tokens
    messages = counted(figures.messages, "message")
    return messages if tokens is None else f"{messages}, {counted(tokens, 'token')}"


def _touched(step: StrategyStep) -> str:
    """Say what a step did: most strategies work on groups, some on messages in place."""
    if step.shortened:
        return f"{counted(step.shortened, 'message')} shortened"
    return counted(step.groups, "group")


def counted(number: int, word: str) -> str:
    """Write a number of things."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"

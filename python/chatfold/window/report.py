"""What preparing a model call came to."""

from typing import Any, NamedTuple

from chatfold.report import CompactionReport, SummaryReport, counted

__all__ = ["ContextReport", "PreparedContext"]


class ContextReport(NamedTuple):
    """What preparing a model call did.

    Attributes:
        compaction: What is included before and after, in exact figures.
        budget: Local tokens that messages may have.
        pruned: How many groups had tool results shortened; one counts twice that was trimmed, and
            cleared after something was dropped.
        dropped: How many messages do not fit now that did before; a summary that was written has
            them.
        summary: What the attempt to summarize came to; None where none was due.
        target_met: Whether what is sent fits, with instructions, tool schemas and the headroom.
            Where it is missed, nothing but the floor is sent: system messages, the summary, the last
            user message and the newest group.
    """

    compaction: CompactionReport
    budget: int
    pruned: int = 0
    dropped: int = 0
    summary: SummaryReport | None = None
    target_met: bool = True

    @property
    def changed(self) -> bool:
        """Whether anything that was there before is sent otherwise now."""
        return self.compaction.changed

    def __str__(self) -> str:
        """Say it in one line, from what is known: nothing is counted for it."""
        told = []
        if self.pruned:
            told.append(f"{counted(self.pruned, 'group')} pruned")
        if self.dropped:
            told.append(f"{counted(self.dropped, 'message')} dropped")
        if self.summary is not None:
            told.append(f"summary {self.summary}")
        if not self.target_met:
            told.append("target missed")
        messages = counted(self.compaction.after.messages, "message")
        done = f" ({', '.join(told)})" if told else ""
        return f"{messages} for {counted(self.budget, 'token')}{done}"


class PreparedContext(NamedTuple):
    """What to send.

    Attributes:
        messages: The messages: the caller's own, and what stands for others.
        report: What was done.
    """

    messages: list[Any]
    report: ContextReport

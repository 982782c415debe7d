"""Writes a summary from its material: asks, folds, cuts, and judges the answer."""

from typing import NamedTuple

from chatfold import tracing
from chatfold.errors import SummaryNotSmallerError
from chatfold.report import SummaryUsage
from chatfold.summarization.asking import Calls, Guarded, nothing_left
from chatfold.summarization.entries import SUMMARY_OPENING
from chatfold.summarization.extractive import digest
from chatfold.summarization.folding import Count, Instructions, Limits, fold
from chatfold.summarization.material import Material
from chatfold.summarization.stand_in import cleaned, stand_in

_SMALLEST_TOLD = 32
_BYTES_PER_TOLD = 8
"""A token has some four bytes, and a summary should have half of what it replaces at most."""


class Draft(NamedTuple):
    """A stand-in that was written, or why there is none.

    Attributes:
        text: The text of the stand-in; empty where it failed.
        error: Why it failed.
        cut: Whether its end was left out.
        usage: What it cost.
    """

    text: str
    error: Exception | None = None
    cut: bool = False
    usage: SummaryUsage = SummaryUsage()


class Writer(NamedTuple):
    """Who is asked, how long, for how much, and when not."""

    clients: tuple[Guarded, ...]
    timeout: float | None
    limits: Limits

    def has_room(self, count: Count) -> bool:
        """Tell whether a summary may have any word behind its opening."""
        return count(f"{SUMMARY_OPENING} a") <= self.limits.summary

    async def write(self, material: Material, instructions: Instructions, count: Count) -> Draft:
        """Write a summary. Only what the clients do wrong becomes part of the draft."""
        with tracing.span("compaction.summarize") as span:
            draft = await self._write(material, instructions, count)
            if span is not None:
                span.done()
                span.tell_usage(draft.usage)
                if draft.error is not None:
                    span.failed(draft.error)
            return draft

    async def _write(self, material: Material, instructions: Instructions, count: Count) -> Draft:
        told = min(self.limits.told, max(_SMALLEST_TOLD, material.bytes // _BYTES_PER_TOLD))
        calls = Calls(self.clients, self.timeout, self.limits.summary, count)
        try:
            summary = await fold(
                calls.ask,
                instructions,
                material.previous,
                material.entries,
                limits=self.limits._replace(told=told),
                count=count,
            )
        except BaseException as error:
            # A cancellation, or an error of the tokenizer's.
            if not isinstance(error, Exception) or error is not calls.failure:
                calls.give_up()
                raise
            draft = Draft("", error)
        else:
            draft = self._judged(material, summary, count)
        calls.settle(draft.error)
        return draft._replace(cut=draft.cut or calls.cut, usage=calls.usage)

    def digest(self, material: Material, count: Count) -> Draft:
        """Write a stand-in without a model."""
        text = digest(material.previous, material.entries, self.limits.summary)
        return self._judged(material, cleaned(text), count)

    def _judged(self, material: Material, summary: str, count: Count) -> Draft:
        text, was_cut = stand_in(
            summary, material.quotes, self.limits.summary, material.bytes, count
        )
        if not text:
            return Draft("", nothing_left(self.limits.summary), was_cut)
        size = len(text.encode())
        if size < material.bytes:
            return Draft(text, cut=was_cut)
        return Draft(
            "",
            SummaryNotSmallerError(
                f"the summary has {size:,} bytes and what it would replace {material.bytes:,}"
            ),
        )

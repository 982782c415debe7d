"""Tracing: spans for OpenTelemetry (extra ``otel``).

Where an application has set up the OpenTelemetry SDK, chatfold makes spans without being asked to:
``compaction.compact`` for each run of a strategy, ``compaction.summarize`` for each summary that is
written, and ``compaction.provider.invoke`` around what a :class:`chatfold.CompactionProvider` does.
Elsewhere nothing is imported, measured or counted. No text of a conversation is in any span.

Tokens before and after are exact, so a span that records has them counted where no decision needed
them. A span that is not sampled costs no count.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Any

from chatfold import _core
from chatfold.errors import MissingExtraError

if TYPE_CHECKING:
    from chatfold.report import CompactionReport, SummaryUsage

__all__ = ["instrument", "uninstrument"]

_SILENT = ("ProxyTracerProvider", "NoOpTracerProvider")
"""Providers that never record: the application has set up none."""

_chosen: Any = None
_off = False
_tracer: tuple[Any, Any] | None = None


def instrument(tracer_provider: object = None) -> None:
    """Choose where spans go.

    Args:
        tracer_provider: An OpenTelemetry ``TracerProvider``; by default the one that the application
            has set, now or later.

    Raises:
        MissingExtraError: OpenTelemetry is not installed.
    """
    global _chosen, _off
    try:
        import opentelemetry.trace  # noqa: F401, PLC0415
    except ImportError as error:
        raise MissingExtraError("tracing", "otel") from error
    _chosen, _off = tracer_provider, False


def uninstrument() -> None:
    """Make no more spans."""
    global _chosen, _off
    _chosen, _off = None, True


def _provider() -> Any:  # noqa: ANN401 (a class of a package that may be missing)
    if _off or _chosen is not None:
        return _chosen
    trace = sys.modules.get("opentelemetry.trace")
    # Another thread may be in the middle of importing it.
    get = getattr(trace, "get_tracer_provider", None)
    provider = None if get is None else get()
    return None if type(provider).__name__ in _SILENT else provider


def is_on() -> bool:
    """Tell whether spans may be recorded."""
    return _provider() is not None


@contextmanager
def span(name: str, **attributes: str | None) -> Iterator["Span | None"]:
    """Make a span; None where it does not record. An exception that passes is recorded in it."""
    global _tracer  # noqa: PLW0603 (looked up once for each provider)
    provider = _provider()
    if provider is None:
        yield None
        return
    if _tracer is None or _tracer[0] is not provider:
        _tracer = (provider, provider.get_tracer("chatfold", _core.VERSION))
    given = {key: value for key, value in attributes.items() if value is not None}
    with _tracer[1].start_as_current_span(name) as recording:
        if not recording.is_recording():
            yield None
            return
        own = Span(recording)
        own.set(given)
        yield own


class Span:
    """A span that records what a compaction came to."""

    def __init__(self, recording: Any) -> None:  # noqa: ANN401 (a span of OpenTelemetry)
        """Start to measure."""
        self._recording = recording
        self._started = perf_counter()

    def set(self, attributes: dict[str, Any]) -> None:
        """Set attributes."""
        self._recording.set_attributes(attributes)

    def done(self) -> None:
        """Set how long it took, before anything is counted for the span alone."""
        milliseconds = (perf_counter() - self._started) * 1_000
        self.set({"compaction.duration_ms": milliseconds})

    def failed(self, error: Exception) -> None:
        """Record an error that does not pass on."""
        self._recording.record_exception(error)
        self.set({"error.type": type(error).__qualname__})

    def tell(self, report: "CompactionReport", strategy: str) -> None:
        """Set what a compaction came to; tokens are counted here where they are not known."""
        self.set(
            {
                "compaction.strategy": strategy,
                "compaction.triggered": was_triggered(report),
                "compaction.compacted": report.changed,
            }
        )
        for when, figures in (("before", report.before), ("after", report.after)):
            self.set(
                {
                    f"compaction.{when}.messages": figures.messages,
                    f"compaction.{when}.groups": figures.groups,
                }
            )
            try:
                self.set({f"compaction.{when}.tokens": figures.tokens})
            except Exception as error:  # noqa: BLE001 (a figure is no reason to fail)
                self.failed(error)
        if report.changed:
            # The convention has it said only where it is true.
            self.set({"gen_ai.conversation.compacted": True})

    def tell_usage(self, usage: "SummaryUsage") -> None:
        """Set what a summary cost, as far as the clients told."""
        self.set(
            {
                "gen_ai.usage.input_tokens": usage.input_tokens,
                "gen_ai.usage.output_tokens": usage.output_tokens,
            }
        )
        if usage.models:
            self.set({"gen_ai.response.model": usage.models[-1]})


def was_triggered(report: "CompactionReport") -> bool:
    """Tell whether any trigger was true; a strategy of one's own counts where it did something."""
    return report.changed or bool(report.summaries) or any(step.reason for step in report.steps)

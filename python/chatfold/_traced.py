"""Runs of strategies inside the spans that tell of them."""

from typing import TYPE_CHECKING

from chatfold import tracing
from chatfold._logging import wants_info
from chatfold._run import LONG_COUNT_BYTES, Accept, beside_the_loop, drive, drive_async
from chatfold.report import CompactionReport

if TYPE_CHECKING:
    from chatfold.index import MessageIndex
    from chatfold.strategies import Strategy

COMPACT = "compaction.compact"


def wants_reports() -> bool:
    """Tell whether anybody but the caller wants to know what a run did."""
    return wants_info() or tracing.is_on()


def traced(index: "MessageIndex", strategy: "Strategy") -> CompactionReport:
    """Run a strategy in a span."""
    if not tracing.is_on():
        return drive(index, strategy)
    with tracing.span(COMPACT, **{"compaction.strategy": strategy.name}) as span:
        report = drive(index, strategy)
        if span is not None:
            span.done()
            span.tell(report, strategy.name)
        return report


async def traced_async(
    index: "MessageIndex", strategy: "Strategy", accept: Accept | None = None
) -> CompactionReport:
    """Run a strategy that may have to wait in a span; the loop ticks while tokens are counted."""
    if not tracing.is_on():
        return await drive_async(index, strategy, accept)
    with tracing.span(COMPACT, **{"compaction.strategy": strategy.name}) as span:
        uncounted = index._uncounted_bytes()
        report = await drive_async(index, strategy, accept)
        if span is not None:
            span.done()
            await told(span, report, strategy.name, uncounted)
        return report


async def told(span: tracing.Span, report: CompactionReport, strategy: str, uncounted: int) -> None:
    """Tell a span what a run came to, in another thread where there may be much to count."""
    if uncounted < LONG_COUNT_BYTES:
        span.tell(report, strategy)
    else:
        await beside_the_loop(span.tell, report, strategy)

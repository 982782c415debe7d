"""Spans for OpenTelemetry, with its real SDK and an exporter that keeps them in memory."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, Sampler
from opentelemetry.trace import StatusCode

from chatfold import (
    CompactionProvider,
    InMemoryHistoryProvider,
    MessageIndex,
    MissingExtraError,
    Session,
    SlidingWindowStrategy,
    SummarizationStrategy,
    SummaryResponse,
    TruncationStrategy,
    __version__,
    apply_compaction,
    compact,
    compact_many,
    count_cache,
    tracing,
    triggers,
)
from providers.agent import Agent
from summarization.stubs import Failing, Stub, run, turns
from talk import talk
from work import Work

FIGURES = {
    f"compaction.{when}.{what}"
    for when in ("before", "after")
    for what in ("tokens", "messages", "groups")
}
TOLD = {"strategy", "triggered", "compacted", "duration_ms"}
ALL = FIGURES | {f"compaction.{name}" for name in TOLD}
WINDOW = SlidingWindowStrategy(keep_last_groups=3)


class Spans:
    """What was recorded."""

    def __init__(self, exporter: InMemorySpanExporter) -> None:
        self.exporter = exporter

    @property
    def finished(self) -> tuple[ReadableSpan, ...]:
        return self.exporter.get_finished_spans()

    @property
    def names(self) -> list[str]:
        return [span.name for span in self.finished]

    def told(self, at: int) -> dict[str, object]:
        return dict(self.finished[at].attributes or {})


def provider(exporter: InMemorySpanExporter, sampler: Sampler | None = None) -> TracerProvider:
    made = TracerProvider(sampler=sampler)
    made.add_span_processor(SimpleSpanProcessor(exporter))
    return made


@pytest.fixture
def spans() -> Iterator[Spans]:
    exporter = InMemorySpanExporter()
    tracing.instrument(provider(exporter))
    yield Spans(exporter)
    tracing.instrument()


def test_a_compaction_has_a_span_with_its_figures(spans: Spans) -> None:
    index = MessageIndex(talk(10), tokenizer="o200k_base")
    report = index.compact(WINDOW)
    assert spans.names == ["compaction.compact"]
    told = spans.told(0)
    assert told.keys() == ALL | {"gen_ai.conversation.compacted"}
    assert isinstance(told.pop("compaction.duration_ms"), float)
    assert told == {
        "compaction.strategy": "SlidingWindowStrategy",
        "compaction.triggered": True,
        "compaction.compacted": True,
        "compaction.before.tokens": report.before.tokens,
        "compaction.after.tokens": report.after.tokens,
        "compaction.before.messages": 10,
        "compaction.after.messages": report.after.messages,
        "compaction.before.groups": 10,
        "compaction.after.groups": report.after.groups,
        "gen_ai.conversation.compacted": True,
    }
    assert report.before.tokens == index.total_token_count > report.after.tokens
    scope = spans.finished[0].instrumentation_scope
    assert scope is not None
    assert (scope.name, scope.version) == ("chatfold", __version__)


@pytest.mark.parametrize(
    ("strategy", "triggered"),
    [
        (TruncationStrategy(max_n=99), False),
        (TruncationStrategy(trigger=triggers.always), True),
        (lambda _: False, False),
        (SummarizationStrategy(client=Stub()), False),
    ],
)
def test_what_changes_nothing_is_not_said_to_have_compacted(
    spans: Spans, strategy: TruncationStrategy, *, triggered: bool
) -> None:
    run(MessageIndex(talk(1)).acompact(strategy))
    told = spans.told(0)
    assert told["compaction.triggered"] is triggered
    assert told["compaction.compacted"] is False
    assert "gen_ai.conversation.compacted" not in told


def test_every_way_to_compact_has_the_span(spans: Spans) -> None:
    compact(talk(9), WINDOW)
    run(apply_compaction(talk(9), strategy=WINDOW))
    compact_many([talk(9), talk(5)], WINDOW)
    run(MessageIndex(talk(9)).acompact(WINDOW))
    assert spans.names == 5 * ["compaction.compact"]
    figures = [spans.told(at)["compaction.before.messages"] for at in range(5)]
    assert figures == [9, 9, 9, 5, 9]


def test_a_summary_is_a_span_inside_and_tells_no_text(spans: Spans) -> None:
    class Client:
        async def summarize(self, messages: object, *, max_tokens: int) -> SummaryResponse:
            del messages, max_tokens
            return SummaryResponse("Secret gist.", "tiny", input_tokens=70, output_tokens=5)

    strategy = SummarizationStrategy(client=Client(), target_count=2, threshold=0)
    run(MessageIndex(turns(4)).acompact(strategy))
    assert spans.names == ["compaction.summarize", "compaction.compact"]
    inner, outer = spans.finished
    assert inner.parent is not None
    assert inner.parent.span_id == outer.context.span_id
    told = spans.told(0)
    assert isinstance(told.pop("compaction.duration_ms"), float)
    assert told == {
        "gen_ai.usage.input_tokens": 70,
        "gen_ai.usage.output_tokens": 5,
        "gen_ai.response.model": "tiny",
    }
    assert not any(
        "gist" in span.to_json() or "question" in span.to_json() for span in spans.finished
    )


def test_a_summary_that_fails_is_recorded(spans: Spans) -> None:
    strategy = SummarizationStrategy(client=Failing(), target_count=2, threshold=0)
    run(MessageIndex(turns(4)).acompact(strategy))
    assert spans.told(0)["error.type"] == "RuntimeError"
    assert [event.name for event in spans.finished[0].events] == ["exception"]
    assert spans.told(1)["compaction.triggered"] is True
    assert spans.told(1)["compaction.compacted"] is False


def test_an_error_that_passes_on_marks_the_span(spans: Spans) -> None:
    def failing(index: MessageIndex) -> bool:
        raise RuntimeError(str(len(index)))

    with pytest.raises(RuntimeError, match="9"):
        MessageIndex(talk(9)).compact(failing)
    assert spans.finished[0].status.status_code is StatusCode.ERROR
    assert spans.told(0) == {"compaction.strategy": "failing"}


def test_a_tokenizer_that_fails_for_the_span_alone_fails_nothing(spans: Spans) -> None:
    def broken(text: str) -> int:
        raise RuntimeError(text)

    report = MessageIndex(talk(9), tokenizer=broken).compact(WINDOW)
    assert report.changed
    told = spans.told(0)
    assert told["error.type"] == "RuntimeError"
    assert told["compaction.after.messages"] == 3
    assert not {"compaction.before.tokens", "compaction.after.tokens"} & told.keys()


def test_a_provider_has_a_span_around_that_of_the_compaction(spans: Spans) -> None:
    compaction = CompactionProvider(WINDOW, WINDOW)
    agent, session = Agent(InMemoryHistoryProvider(), compaction), Session("s1")
    run(agent.talk(session, 2))
    assert spans.names == 4 * ["compaction.compact", "compaction.provider.invoke"]
    for inner, outer in zip(spans.finished[::2], spans.finished[1::2], strict=True):
        assert inner.parent is not None
        assert inner.parent.span_id == outer.context.span_id
    told = [spans.told(at) for at in (1, 3, 5, 7)]
    phases = [each["compaction.provider.phase"] for each in told]
    assert phases == 2 * ["before_run", "after_run"]
    assert all(each.keys() >= ALL for each in told)
    assert {each["gen_ai.conversation.id"] for each in told} == {"s1"}
    assert [each["compaction.compacted"] for each in told] == [False, False, False, True]


def test_a_veto_is_a_provider_span_without_a_compaction(spans: Spans) -> None:
    compaction = CompactionProvider(WINDOW, before_hook=lambda _: False)
    run(Agent(compaction).turn(Session(), turns(4), [[]]))
    assert spans.names == ["compaction.provider.invoke"]
    assert spans.told(0)["compaction.triggered"] is False


def test_the_spans_of_sessions_at_once_are_apart(spans: Spans) -> None:
    strategy = SummarizationStrategy(client=Stub(), target_count=2, threshold=0)

    async def all_at_once() -> None:
        await asyncio.gather(*(MessageIndex(turns(4)).acompact(strategy) for _ in range(5)))

    run(all_at_once())
    inner = [span for span in spans.finished if span.name == "compaction.summarize"]
    parents = {span.parent.span_id for span in inner if span.parent is not None}
    assert len(inner) == len(parents) == 5


def counted_for(index: MessageIndex) -> int:
    count_cache.clear()
    work = Work()
    index.compact(WINDOW)
    return work.done.texts_counted


def test_only_a_span_that_records_has_tokens_counted(spans: Spans) -> None:
    index = MessageIndex(talk(50), tokenizer="o200k_base")
    assert counted_for(index) == 50
    assert len(spans.finished) == 1
    tracing.instrument(provider(spans.exporter, ALWAYS_OFF))
    assert counted_for(MessageIndex(talk(50), tokenizer="o200k_base")) == 0
    tracing.uninstrument()
    assert counted_for(MessageIndex(talk(50), tokenizer="o200k_base")) == 0
    assert len(spans.finished) == 1


def in_a_new_interpreter(code: str) -> str:
    done = subprocess.run(  # noqa: S603 (our own interpreter and code)
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


COMPACTING = """
from chatfold import MessageIndex, SlidingWindowStrategy, compact, work_done
messages = [{"role": "user", "content": f"Message {n}."} for n in range(5_000)]
compact(messages, SlidingWindowStrategy(keep_last_groups=2), tokenizer="o200k_base")
"""


def test_who_does_not_trace_pays_nothing() -> None:
    code = f"{COMPACTING}\nimport sys\nprint(work_done().messages_read < 200, 'opentelemetry' in sys.modules)"
    assert in_a_new_interpreter(code) == "True False"
    # An application that has imported the package, as frameworks do, but set nothing up.
    assert in_a_new_interpreter(f"import opentelemetry.trace\n{code}") == "True True"


def test_an_application_that_traces_gets_spans_without_asking() -> None:
    code = f"""
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
exporter = InMemorySpanExporter()
{COMPACTING}
trace.set_tracer_provider(TracerProvider())
trace.get_tracer_provider().add_span_processor(SimpleSpanProcessor(exporter))
compact(messages, SlidingWindowStrategy(keep_last_groups=2))
print(*(span.name for span in exporter.get_finished_spans()))
"""
    assert in_a_new_interpreter(code) == "compaction.compact"


def test_a_missing_package_names_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.trace", None)
    with pytest.raises(MissingExtraError, match=r"tracing needs .*pip install 'chatfold\[otel\]'"):
        tracing.instrument()
    compact(talk(9), WINDOW)

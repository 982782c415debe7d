"""The public types of summarization; checked, never run."""

from typing import Any, assert_type

from openai import AsyncOpenAI

from chatfold import (
    CompactionReport,
    ExtractiveSummarizer,
    MessageIndex,
    OpenAISummarizer,
    RetainRecent,
    SummarizationStrategy,
    SummaryReport,
    SummaryResponse,
    SummaryUsage,
    triggers,
)
from chatfold.summarization import Breaker, Summarizer


async def ask(messages: list[dict[str, Any]]) -> str:
    return str(messages)


class Own:
    async def summarize(
        self, messages: list[dict[str, str]], *, max_tokens: int
    ) -> SummaryResponse:
        return SummaryResponse(str(messages), output_tokens=max_tokens)


own: Summarizer = Own()
extractive: Summarizer = ExtractiveSummarizer()
openai: Summarizer = OpenAISummarizer(AsyncOpenAI(), model="m", parameters={"temperature": 0})

SummarizationStrategy(client=ask)
SummarizationStrategy(client=own, target_count=8, threshold=4)
strategy = SummarizationStrategy(
    client=[openai, ask, extractive],
    trigger=triggers.tokens_exceed(9) & (lambda index: len(index) > 2),
    target=lambda index: len(index) > 2,
    retain_recent=RetainRecent(turns=2, tokens=9),
    on_failure="digest",
    timeout=None,
    breaker=Breaker(failures=2, clock=lambda: 0.0),
)
assert_type(strategy.focused("the tests"), SummarizationStrategy)

SummarizationStrategy(client=ask, on_failure="never")  # type: ignore[arg-type]
SummarizationStrategy(ask)  # type: ignore[call-arg]
SummarizationStrategy(client="gpt")  # type: ignore[arg-type]


async def main(index: MessageIndex) -> None:
    report = await index.acompact(strategy)
    assert_type(report, CompactionReport)
    assert_type(report.summaries, tuple[SummaryReport, ...])
    assert_type(report.summary_usage, SummaryUsage)
    assert_type(report.summaries[0].error, Exception | None)
    assert_type(report.summary_usage.models, tuple[str, ...])

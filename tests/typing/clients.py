"""The public types of the integration with the openai package; checked, never run."""

from typing import assert_type

from openai import AsyncOpenAI, OpenAI

from chatfold import CompactionReport, Overhead, SummarizationStrategy, TruncationStrategy
from chatfold.integrations.openai import last_report, with_compaction


async def ask(messages: list[dict[str, str]]) -> str:
    return str(messages)


strategy = TruncationStrategy(max_n=9)
client = with_compaction(OpenAI(), strategy, tokenizer="o200k_base", overhead=Overhead())
assert_type(client, OpenAI)
assert_type(client.with_options(timeout=9), OpenAI)
assert_type(
    with_compaction(AsyncOpenAI(), SummarizationStrategy(client=ask), on_report=print), AsyncOpenAI
)
assert_type(
    with_compaction(
        OpenAI(), window=9, reserve=1, compact_to=0.5, calibrate=True, retry_when_too_long=True
    ),
    OpenAI,
)
assert_type(last_report(), CompactionReport | None)
with_compaction("client", strategy)  # type: ignore[type-var]
with_compaction(OpenAI(), max_n=9)  # type: ignore[call-arg]

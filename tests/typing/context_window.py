"""The public types of the configuration and the context window; checked, never run."""

from typing import Any, assert_type

from openai import AsyncOpenAI

from chatfold import ContextWindow, ExtractiveSummarizer, MessageIndex, OpenAISummarizer
from chatfold.config import (
    SummarizationConfig,
    build_summarizer,
    config_schema,
    load_config,
    migrate_config,
)
from chatfold.window import ContextReport, ContextUsage, PreparedContext, Prices

config = load_config("product.yaml")
assert_type(config, SummarizationConfig)
assert_type(load_config({"model": "gpt-4o-mini"}), SummarizationConfig)
assert_type(config.to_dict(defaults=False), dict[str, Any])
assert_type(config.to_yaml(), str)
assert_type(config.model, str | None)
assert_type(config_schema(), dict[str, Any])
assert_type(migrate_config("product.yaml", model="gpt-4o-mini", to="new.yaml"), dict[str, Any])
clients = {"openAI": AsyncOpenAI()}
assert_type(build_summarizer(config, clients, provider="openAI", model="gpt-4o"), OpenAISummarizer)

window = ContextWindow(
    config,
    max_context_tokens=16_000,
    tokenizer="o200k_base",
    summarizer=ExtractiveSummarizer(),
    prices={"gpt-4o": Prices(2.5, 10.0)},
)
assert_type(window.index, MessageIndex)
assert_type(window.usage, ContextUsage)
assert_type(window.usage.share, float)
assert_type(window.usage.cost, float | None)
assert_type(window.calibration, float)
window.record_usage(input_tokens=1, output_tokens=2, model="gpt-4o")
window.load_state(window.to_state(), [])


async def prepare() -> None:
    prepared = await window.prepare()
    assert_type(prepared, PreparedContext)
    assert_type(prepared.report, ContextReport)
    assert_type(prepared.report.target_met, bool)

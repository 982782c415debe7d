"""What type checkers make of the public API. Checked, never run."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict, assert_type

import chatfold
from chatfold import (
    CompactionReport,
    ContextWindowCompactionStrategy,
    Figures,
    MessageError,
    MessageGroup,
    MessageIndex,
    MissingExtraError,
    Overhead,
    PipelineCompactionStrategy,
    SelectiveToolCallCompactionStrategy,
    SlidingWindowStrategy,
    Strategy,
    StrategyStep,
    SummarizationStrategy,
    SummaryResponse,
    TokenBudgetComposedStrategy,
    ToolResult,
    ToolResultCompactionStrategy,
    Trigger,
    TruncationStrategy,
    apply_compaction,
    compact,
    compact_many,
    tokenizers,
    triggers,
)
from chatfold.tokenizers import CharacterEstimatorTokenizer, EncodingTokenizer, Tokenizer


class Message(TypedDict):
    role: str
    content: str


dicts: list[dict[str, Any]] = []
typed: list[Message] = []

assert_type(chatfold.__version__, str)


# Strategies and their options.

truncation = TruncationStrategy(max_n=32_000, compact_to=16_000, tokenizer="o200k_base")
TruncationStrategy(
    trigger=triggers.tokens_exceed(10),
    target=triggers.tokens_below(5),
    minimum_preserved=4,
    preserve_system=False,
    preserve_first_user_group=True,
    preserve_last_user_group=False,
)
SlidingWindowStrategy(keep_last_groups=8)
SlidingWindowStrategy(keep_last_turns=2, trigger=triggers.always)
SelectiveToolCallCompactionStrategy(keep_last_tool_call_groups=0)
ToolResultCompactionStrategy(style="names", max_chars=100)
ToolResultCompactionStrategy(
    formatter=lambda results: ", ".join(assert_type(result, ToolResult).text for result in results)
)
TokenBudgetComposedStrategy(token_budget=1_000, compact_to=500, strategies=[truncation])
ContextWindowCompactionStrategy(max_context_window_tokens=128_000, max_output_tokens=4_096)
assert_type(truncation.tokenizer, Tokenizer | None)
assert_type(truncation.name, str)

TruncationStrategy(10)  # type: ignore[call-arg]  # options are keyword-only
TruncationStrategy(max_n="10")  # type: ignore[arg-type]  # a number is meant
ToolResultCompactionStrategy(style="short")  # type: ignore[arg-type]  # there is no such style


# Strategies of one's own.


def drop_oldest(index: MessageIndex) -> bool:
    return index.exclude(index.groups[0], reason="too old")


async def ask_a_model(index: MessageIndex) -> bool:
    return index.replace(index.groups[:4], "[Summary] ...", reason="summarized") is not None


class Careful:
    def __call__(self, index: MessageIndex) -> bool:
        return truncation(index) or drop_oldest(index)


pipeline = PipelineCompactionStrategy(truncation, drop_oldest, ask_a_model, Careful())
assert_type(pipeline.strategies, tuple[Strategy, ...])


def returns_text(index: MessageIndex) -> str:
    return str(index)


PipelineCompactionStrategy(returns_text)  # type: ignore[arg-type]  # must say whether it changed


# Summaries that a model writes: a client is an async callable, or an object that summarizes.


async def answer(messages: list[dict[str, str]]) -> str:
    return messages[-1]["content"]


class Client:
    async def summarize(
        self, messages: list[dict[str, str]], *, max_tokens: int
    ) -> SummaryResponse:
        return SummaryResponse(await answer(messages), output_tokens=max_tokens)


SummarizationStrategy(client=answer, target_count=4, threshold=2)
SummarizationStrategy(client=Client(), trigger=triggers.tokens_exceed(10), max_summary_tokens=500)
SummarizationStrategy(client=[Client(), answer])
SummarizationStrategy(client="gpt-4o")  # type: ignore[arg-type]  # a client is meant
assert_type(SummaryResponse("text").input_tokens, int | None)


# One-off compaction keeps the type of the elements.

assert_type(compact(dicts, truncation), list[dict[str, Any]])
assert_type(compact(typed, truncation, tokenizer=len), list[Message])
assert_type(compact(tuple(typed), drop_oldest), list[Message])
assert_type(compact_many([typed, typed], truncation), list[list[Message]])
compact(typed)  # type: ignore[call-arg]  # a strategy is needed


async def compacting() -> None:
    assert_type(await apply_compaction(typed, strategy=pipeline), list[Message])
    assert_type(await apply_compaction(dicts, strategy=ask_a_model), list[dict[str, Any]])
    assert_type(await apply_compaction(typed, strategy=None, tokenizer="gpt-4o"), list[Message])
    assert_type(await MessageIndex(typed).acompact(ask_a_model), CompactionReport)


# The index and its groups.

index = MessageIndex(typed, tokenizer="o200k_base", overhead=chatfold.OPENAI_CHAT_OVERHEAD)
MessageIndex(overhead=Overhead(per_message=3, image=85))
index.append({"role": "user", "content": "hello"})
index.extend(typed)
assert_type(index.sync(typed), int)
assert_type(index.to_state(), dict[str, Any])
assert_type(MessageIndex.from_state(index.to_state(), typed), MessageIndex)
assert_type(len(index), int)
assert_type(index.tokenizer, Tokenizer)
assert_type(index.included_messages(), list[Any])
assert_type(index.included_message_count, int)
assert_type(index.included_group_count, int)
assert_type(index.included_turn_count, int)
assert_type(index.included_byte_count, int)
assert_type(index.included_token_count, int)
assert_type(index.total_message_count, int)
assert_type(index.total_token_count, int)

group = index.groups[3]
assert_type(group, MessageGroup)
assert_type(index.groups[1:], list[MessageGroup])
assert_type([each for each in index.groups if not each.excluded], list[MessageGroup])
assert_type(group in index.groups, bool)
assert_type(index.group_of(0), MessageGroup)
assert_type(group.kind, Literal["system", "user", "assistant_text", "tool_call", "summary"])
assert_type(group.positions, tuple[int, ...])
assert_type(group.turn, int | None)
assert_type(group.excluded, bool)
assert_type(group.exclude_reason, str | None)
assert_type(group.summary, MessageGroup | None)
assert_type(group.summarizes, list[MessageGroup])
assert_type(index.restore(group), bool)
assert_type(index.replace([group], "[Summary] x", reason="r", role="user"), MessageGroup | None)
index.exclude(group)  # type: ignore[call-arg]  # a reason is needed


# Reports.

report = index.compact(truncation)
assert_type(report, CompactionReport)
assert_type(report.changed, bool)
assert_type(report.target_met, bool)
assert_type(report.first_changed, int | None)
assert_type(report.before, Figures)
assert_type(report.after.tokens, int)
assert_type(report.after.known_tokens, int | None)
assert_type(report.steps, tuple[StrategyStep, ...])
assert_type(report.steps[0].tokens_freed, int)
report.changed = True  # type: ignore[misc]  # a report is what was


# Triggers.

over = triggers.tokens_exceed(32_000)
assert_type(over & ~triggers.has_tool_calls(), Trigger)
assert_type(over | (lambda index: index.included_turn_count > 3), Trigger)
assert_type(drop_oldest & over, Trigger)
assert_type(triggers.all_of(over, drop_oldest), Trigger)
assert_type(triggers.any_of(over, triggers.turns_exceed(3)), Trigger)
assert_type(triggers.never, Trigger)
assert_type(over(index), bool)
triggers.bytes_exceed("many")  # type: ignore[arg-type]  # a number is meant


# Tokenizers.


class Words:
    def count_tokens(self, text: str) -> int:
        return len(text.split())


assert_type(tokenizers.resolve("cl100k_base"), Tokenizer)
assert_type(tokenizers.resolve(Path("tokenizer.json")), Tokenizer)
assert_type(tokenizers.resolve(Words()), Tokenizer)
assert_type(tokenizers.resolve(len), Tokenizer)
assert_type(tokenizers.resolve().count_tokens("text"), int)
assert_type(tokenizers.ENCODINGS, tuple[str, ...])
assert_type(EncodingTokenizer("o200k_base").encode("text"), list[int])
some: Tokenizer = Words()
estimator: Tokenizer = CharacterEstimatorTokenizer(chars_per_token=3, cjk_aware=True)


# Errors say what they know.


def position_of(error: MessageError) -> int:
    return error.position


def extra_of(error: MissingExtraError) -> str:
    return error.extra


strategies: Sequence[Strategy] = [truncation, pipeline]

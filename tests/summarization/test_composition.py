"""Summaries beside every other strategy: in pipelines and budgets, before and after it."""

import asyncio
import copy
import os
import random
from collections.abc import Callable
from itertools import chain
from typing import Any

import pytest

from chatfold import (
    ContextPruningStrategy,
    ContextWindowCompactionStrategy,
    MessageIndex,
    ObservationMaskingStrategy,
    OversizeClampingStrategy,
    PipelineCompactionStrategy,
    SelectiveToolCallCompactionStrategy,
    SlidingWindowStrategy,
    SummarizationStrategy,
    TokenBudgetComposedStrategy,
    ToolResultCompactionStrategy,
    TruncationStrategy,
    triggers,
)
from chatfold.summarization import Breaker
from summarization.chaos import Talk
from summarization.stubs import Message, Option, run
from summarization.test_promises import last_user, pairs_are_closed

SEEDS = range(max(2, int(os.environ.get("CHATFOLD_EXAMPLES", "100")) // 25))
TURNS = 12

OTHERS: dict[str, Callable[[], Any]] = {
    "truncation by count": lambda: TruncationStrategy(max_n=8),
    "truncation by tokens": lambda: TruncationStrategy(
        trigger=triggers.tokens_exceed(300), minimum_preserved=3
    ),
    "window of groups": lambda: SlidingWindowStrategy(keep_last_groups=4),
    "window of turns": lambda: SlidingWindowStrategy(keep_last_turns=2),
    "selective": SelectiveToolCallCompactionStrategy,
    "tool results": ToolResultCompactionStrategy,
    "names of tools": lambda: ToolResultCompactionStrategy(style="names"),
    "pruning": lambda: ContextPruningStrategy(
        basis="utilisation",
        max_context_tokens=300,
        keep_last_assistants=1,
        min_prunable_tool_chars=10,
    ),
    "masking": lambda: ObservationMaskingStrategy(token_budget=200),
    "clamping": lambda: OversizeClampingStrategy(max_context_window_tokens=400),
    "context window": lambda: ContextWindowCompactionStrategy(
        max_context_window_tokens=900, max_output_tokens=100
    ),
}
TOGETHER: list[Callable[[list[Any]], Any]] = [
    lambda both: PipelineCompactionStrategy(*both),
    lambda both: TokenBudgetComposedStrategy(token_budget=300, strategies=both),
    lambda both: TokenBudgetComposedStrategy(token_budget=300, strategies=both, early_stop=False),
]


def summarizing(rng: random.Random) -> SummarizationStrategy:
    """Make a strategy whose client fails now and then."""

    async def client(messages: list[Message]) -> str:
        del messages
        await asyncio.sleep(0)
        if rng.random() < 0.15:
            raise RuntimeError("boom")
        return "The gist. " + "And more. " * rng.randrange(20)

    when: list[Option] = [
        {"target_count": 4, "threshold": 3},
        {"trigger": triggers.tokens_exceed(300)},
        {"keep_user_messages": True, "max_kept_user_tokens": 50},
    ]
    breaker = Breaker(failures=10**6)
    return SummarizationStrategy(
        client=client, breaker=breaker, max_summary_tokens=80, **rng.choice(when)
    )


@pytest.mark.parametrize("name", OTHERS)
def test_promises_1_to_9_hold_beside_each_other_strategy(name: str) -> None:
    # What comes first may leave too little for a summary, but not always.
    assert sum(summaries_of_a_talk(name, seed) for seed in SEEDS)


def summaries_of_a_talk(name: str, seed: int) -> int:
    """Compact a conversation after each turn; give how many summaries were written."""
    rng = random.Random(f"{name} {seed}")  # noqa: S311 (a test that can be repeated)
    both = [summarizing(rng), OTHERS[name]()]
    rng.shuffle(both)
    strategy, talk, index = rng.choice(TOGETHER)(both), Talk(rng), MessageIndex()
    copies: list[Message] = []
    written = 0
    for _ in range(TURNS):
        for message in chain(talk.turn(), talk.late_result()):
            copies.append(copy.deepcopy(message))
            index.append(message)
        before = index.included_byte_count
        report = run(index.acompact(strategy))
        written += sum(summary.outcome == "written" for summary in report.summaries)
        check(index, copies, before)
    return written


def check(index: MessageIndex, copies: list[Message], bytes_before: int) -> None:
    kept = index.included_messages()
    # Promise 1.
    pairs_are_closed(kept)
    # Promises 2 and 4: the caller's own messages as they were, in their order.
    assert index.messages == copies
    places = {id(message): at for at, message in enumerate(index.messages)}
    own = [places[id(message)] for message in kept if id(message) in places]
    assert own == sorted(own)
    # Promise 3: by role, for what was clamped is a copy.
    roles = [message["role"] for message in kept]
    assert roles.count("system") == sum(message["role"] == "system" for message in copies)
    assert "user" in roles or not last_user(copies)
    # Promise 6.
    assert index.included_byte_count <= bytes_before
    # Promise 9.
    assert index.included_token_count == MessageIndex(kept).included_token_count
    # One summary at any time.
    assert sum(str(message.get("content")).startswith("[Summary]") for message in kept) <= 1

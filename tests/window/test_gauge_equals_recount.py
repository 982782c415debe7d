"""The gauge of random branches is what counting everything again gives, forks and summaries too."""

import json
from math import ceil
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatfold import ContextWindow, MessageIndex
from chatfold.summarization import SummaryResponse
from chatfold.window import Prices
from summarization.stubs import run

WINDOW = 1_500
INSTRUCTIONS = "Answer in few words. " * 4
TOOL = {"type": "function", "function": {"name": "look_up"}}
SUMMARY = (100, 10)


class Step(NamedTuple):
    """A turn: what goes back, what is said, and what the provider reports."""

    fork: int | None
    question: int
    answer: int
    reported: tuple[int, int] | None


sizes = st.integers(1, 200)
steps = st.builds(
    Step,
    st.none() | st.none() | st.integers(1, 40),
    sizes,
    sizes,
    st.none() | st.tuples(st.integers(1, 2_000), st.integers(0, 100)),
)
triggers = st.sampled_from([None, {"type": "token_ratio", "value": 0.6}])


class Summarizer:
    """Says what it used."""

    def __init__(self) -> None:
        self.calls = 0

    async def summarize(
        self, messages: list[dict[str, str]], *, max_tokens: int
    ) -> SummaryResponse:
        del messages, max_tokens
        self.calls += 1
        return SummaryResponse("The gist of it. " * 5, "cheap-2024-07-18", *SUMMARY)


def tokens(text: str) -> int:
    return MessageIndex([{"role": "user", "content": text}]).total_token_count


@given(st.lists(steps, max_size=25), st.sampled_from([0, 0.05, 0.3]), triggers)
def test_the_gauge_is_what_a_recount_gives(
    branch: list[Step], reserve: float, trigger: dict[str, Any] | None
) -> None:
    run(live(branch, {"reserveRatio": reserve, "trigger": trigger}))


async def live(branch: list[Step], config: dict[str, Any]) -> None:
    client = Summarizer()
    window = ContextWindow(
        config,
        max_context_tokens=WINDOW,
        summarizer=client,
        instructions=INSTRUCTIONS,
        tools=[TOOL],
        model="main-20240101",
        prices={"main": Prices(2.0, 8.0), "cheap": Prices(1.0, 4.0)},
    )
    fixed = tokens(INSTRUCTIONS) + tokens(json.dumps(TOOL, separators=(",", ":")))
    messages: list[dict[str, Any]] = []
    calls: list[tuple[int, int, int, float]] = []
    for number, step in enumerate(branch):
        if step.fork is not None and step.fork < len(messages):
            del messages[step.fork :]
            calls = [call for call in calls if call[0] <= step.fork]
        question = f"Question {number}. " + "why? " * step.question
        messages.append({"role": "user", "content": question})
        asked = client.calls
        prepared = await window.prepare(messages)
        read, wrote = SUMMARY
        calls += [(len(messages), read, wrote, read + 4.0 * wrote)] * (client.calls - asked)
        counted = fixed + MessageIndex(prepared.messages).total_token_count
        usage = window.usage
        assert usage.tokens == ceil(counted * window.calibration)
        assert usage.tokens == (usage.baseline + usage.instructions + usage.tools + usage.messages)
        assert (usage.baseline > 0) == any(
            message["content"].startswith("[Summary]") for message in prepared.messages
        )
        assert (usage.share, usage.remaining) == (
            usage.tokens / WINDOW,
            max(0, WINDOW - usage.tokens),
        )
        assert prepared.report.target_met == (usage.tokens <= WINDOW - usage.reserved)
        if step.reported is not None:
            read, wrote = step.reported
            window.record_usage(input_tokens=read, output_tokens=wrote)
            calls.append((len(messages), read, wrote, 2.0 * read + 8.0 * wrote))
            assert 0.5 <= window.calibration <= 2
        messages.append({"role": "assistant", "content": "because " * step.answer})
        usage = window.usage
        assert usage.input_tokens == sum(read for _, read, _, _ in calls)
        assert usage.output_tokens == sum(wrote for _, _, wrote, _ in calls)
        assert (usage.cost is None) == (not calls)
        cost = sum(cost for *_, cost in calls) / 1_000_000
        assert (usage.cost or 0.0) == pytest.approx(cost)
        assert usage.unpriced_calls == 0

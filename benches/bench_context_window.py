"""A chat product's window: one more turn of it, and the first one of a long history."""

import asyncio
import statistics
from typing import Any

from benches.corpus import conversation
from benches.measure import Contender, effort, median, quiet, unit
from benches.strategies import ENCODING
from chatfold import ContextWindow

SIZES = [1_000, 10_000, 100_000, 1_000_000]
TURNS = 200
ANSWER = "The user asked for several things, and most of them were found. " * 20


async def answer_at_once(messages: list[dict[str, Any]]) -> str:
    """Play a model that takes no time."""
    del messages
    return ANSWER


def window_of(how: str) -> ContextWindow:
    """Make a window of 16,000 tokens in which what does not fit is dropped, or summarized."""
    trigger = {"type": "token_ratio", "value": 0.8}
    return ContextWindow(
        {"trigger": trigger, "enabled": how == "summarizing"},
        max_context_tokens=16_000,
        tokenizer=ENCODING,
        summarizer=answer_at_once,
    )


class FirstTurn:
    """The first turn of a window that is given so many messages at once, and drops what does not fit."""

    params = SIZES
    param_names = ("messages",)
    timeout = 600

    def setup(self, messages: int) -> None:
        self.messages = conversation(messages, "chat")

    def given_at_once(self) -> ContextWindow:
        window = window_of("dropping")
        window.extend(self.messages)
        return window

    @staticmethod
    def prepare(window: ContextWindow) -> None:
        if not asyncio.run(window.prepare()).report.target_met:
            raise RuntimeError("it does not fit")

    @unit("ms")
    def track_first_turn(self, *_: object) -> float:
        return median(Contender(self.prepare, self.given_at_once)) * 1e3


class PreparedTurn:
    """A turn in a window of 16,000 tokens that has so many messages behind it.

    What fits no more is only dropped, or summarized as soon as the window is four fifths full. The
    mean over many turns has its share of either.
    """

    params = (SIZES, ["dropping", "summarizing"])
    param_names = ("messages", "how")
    timeout = 600

    def setup(self, messages: int, how: str) -> None:
        self.window = window_of(how)
        self.window.extend(conversation(messages, "chat"))
        # What is far behind is dropped once, so that no summary has to show all of it.
        for group in list(self.window.index.groups)[1:-4]:
            self.window.index.exclude(group, reason="old")
        more = conversation(2 * TURNS + 1, "chat", seed=2)[1:]
        self.turns = list(zip(more[::2], more[1::2], strict=True))

    async def take_turns(self) -> list[float]:
        """Take the turns; give the seconds of each."""
        window, clock = self.window, effort.clock
        times = []
        for question, answer in self.turns:
            start = clock()
            window.append(question)
            prepared = await window.prepare()
            window.append(answer)
            _ = window.usage.share
            times.append(clock() - start)
            if not prepared.report.target_met:
                raise RuntimeError(f"it does not fit: {prepared.report}")
        return times

    @unit("µs")
    def track_turn(self, *_: object) -> float:
        with quiet():
            rounds = [statistics.mean(asyncio.run(self.take_turns())) for _ in range(effort.least)]
        return statistics.median(rounds) * 1e6

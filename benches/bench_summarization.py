"""A turn that ends in a summary, without the time of the model."""

import asyncio
import statistics
from typing import Any

from benches.corpus import conversation
from benches.measure import effort, quiet, unit
from benches.strategies import ENCODING
from chatfold import MessageIndex, SummarizationStrategy

SIZES = [1_000, 10_000, 100_000, 1_000_000]
TURNS = 60
ANSWER = "The user asked for several things, and most of them were found. " * 20


async def answer_at_once(messages: list[dict[str, Any]]) -> str:
    """Play a model that takes no time."""
    del messages
    return ANSWER


class SummarizingTurn:
    """Append four messages, so that a summary is due; read them, update the summary, project."""

    params = SIZES
    param_names = ("messages",)
    timeout = 300

    def setup(self, messages: int) -> None:
        self.strategy = SummarizationStrategy(client=answer_at_once, target_count=4, threshold=2)
        self.index = MessageIndex(conversation(messages, "chat"), tokenizer=ENCODING)
        # All but the newest messages are excluded first, so that one summary need not show them all.
        for group in list(self.index.groups)[1:-4]:
            self.index.exclude(group, reason="old")
        more = conversation(4 * TURNS + 1, "chat", seed=2)[1:]
        self.turns = [more[at : at + 4] for at in range(0, len(more), 4)]

    async def take_turns(self) -> list[float]:
        """Take the turns; give the seconds of each."""
        index, strategy, clock = self.index, self.strategy, effort.clock
        times = []
        for turn in self.turns:
            start = clock()
            index.extend(turn)
            report = await index.acompact(strategy)
            index.included_messages()
            times.append(clock() - start)
            if not report.changed:
                raise RuntimeError(f"no summary was written: {report}")
        return times

    @unit("µs")
    def track_turn(self, *_: object) -> float:
        with quiet():
            rounds = [statistics.mean(asyncio.run(self.take_turns())) for _ in range(effort.least)]
        return statistics.median(rounds) * 1e6

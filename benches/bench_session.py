"""One run of an agent in an old session: load, compact what is sent, store, compact what is stored."""

import asyncio
import statistics

from benches.corpus import conversation
from benches.measure import effort, quiet, unit
from benches.strategies import BUDGET, ENCODING
from chatfold import CompactionProvider, InMemoryHistoryProvider, Session, TruncationStrategy

SIZES = [1_000, 10_000, 100_000, 1_000_000]
RUNS = 200


class Run:
    """A run with one call of the model, in a session whose history is kept whole or cut as well."""

    params = (SIZES, ["sent", "sent and stored"])
    param_names = ("messages", "compacted")
    timeout = 300

    def setup(self, messages: int, compacted: str) -> None:
        cut = TruncationStrategy(max_n=BUDGET, compact_to=BUDGET * 3 // 4, tokenizer=ENCODING)
        stored = cut if compacted == "sent and stored" else None
        self.history = InMemoryHistoryProvider()
        self.providers = [self.history, CompactionProvider(cut, stored)]
        self.session = Session()
        self.history.history(self.session).extend(conversation(messages, "chat"))
        more = conversation(2 * RUNS + 3, "chat", seed=2)[1:]
        self.turns = list(zip(more[::2], more[1::2], strict=True))
        asyncio.run(self.take_runs(self.turns[:1]))

    async def take_runs(self, turns: list[tuple[object, object]]) -> list[float]:
        """Take the runs; give the seconds of each."""
        clock, times = effort.clock, []
        for question, answer in turns:
            start = clock()
            async with self.session.run(self.providers, [question]) as run:
                await run.messages()
                run.append(answer)
            times.append(clock() - start)
        return times

    @unit("µs")
    def track_run(self, *_: object) -> float:
        with quiet():
            rounds = [
                statistics.mean(asyncio.run(self.take_runs(self.turns[1:])))
                for _ in range(effort.least)
            ]
        return statistics.median(rounds) * 1e6

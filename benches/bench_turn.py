"""One more turn on a long-lived index: append two messages, compact, project."""

import statistics

from benches.corpus import conversation
from benches.measure import effort, quiet, unit
from benches.strategies import BUDGET, ENCODING, make
from chatfold import MessageIndex, TruncationStrategy

SIZES = [1_000, 10_000, 100_000, 1_000_000]
TURNS = 300


class FadingTurn:
    """A round of an agent whose old tool results fade in place: a call, its result, an answer.

    Nothing is left out, so that the projection grows with the history: it is not part of the turn.
    """

    params = (SIZES, ["pruning", "masking", "clamping"])
    param_names = ("messages", "strategy")
    timeout = 300

    def setup(self, messages: int, strategy: str) -> None:
        self.strategy = make(strategy)
        self.index = MessageIndex(conversation(messages, "agent"), tokenizer=ENCODING)
        self.index.compact(self.strategy)
        self.more = conversation(TURNS, "agent", seed=2)[1:]

    @unit("µs")
    def track_message(self, *_: object) -> float:
        """Give the time of one more message, of which there are about four a turn."""
        index, strategy, clock = self.index, self.strategy, effort.clock
        with quiet():
            start = clock()
            for message in self.more:
                index.append(message)
                index.compact(strategy)
            return (clock() - start) / len(self.more) * 1e6


class Turn:
    """A turn of a conversation that is kept within a budget of exact tokens.

    The strategy cuts to three quarters of the budget, so that it has something to do every few turns;
    the mean over many turns has its share of that. "short" is the same turn with messages of at most 60
    characters, of which there is little to count and more to keep.
    """

    params = (SIZES, ["truncation", "window", "short"])
    param_names = ("messages", "strategy")
    timeout = 300

    def setup(self, messages: int, strategy: str) -> None:
        self.strategy = (
            make("window of groups")
            if strategy == "window"
            else TruncationStrategy(max_n=BUDGET, compact_to=BUDGET * 3 // 4, tokenizer=ENCODING)
        )
        self.index = MessageIndex(conversation(messages, "chat"), tokenizer=ENCODING)
        self.index.compact(self.strategy)
        more = conversation(2 * TURNS + 1, "chat", seed=2)[1:]
        if strategy == "short":
            more = [{**message, "content": message["content"][:60]} for message in more]
        self.turns = list(zip(more[::2], more[1::2], strict=True))

    def take_turns(self) -> list[float]:
        """Take the turns; give the seconds of each."""
        index, strategy, clock = self.index, self.strategy, effort.clock
        times = []
        for question, answer in self.turns:
            start = clock()
            index.append(question)
            index.append(answer)
            index.compact(strategy)
            index.included_messages()
            times.append(clock() - start)
        return times

    @unit("µs")
    def track_turn(self, *_: object) -> float:
        with quiet():
            rounds = [statistics.mean(self.take_turns()) for _ in range(effort.least)]
        return statistics.median(rounds) * 1e6

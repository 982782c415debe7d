"""One-off compaction of a whole history to 8,000 exact tokens, against the floor.

A window is one of turns that stops once the history is within the budget.
"""

from benches.corpus import conversation
from benches.measure import Contender, quiet, ratio, unit
from benches.strategies import ENCODING, EXACT, make
from chatfold import _core, compact

SIZES = [1_000, 10_000, 100_000, 1_000_000]


class Compact:
    """A list in, a shorter list out; nothing is known from before."""

    params = (SIZES, list(EXACT))
    param_names = ("messages", "strategy")
    timeout = 300

    def setup(self, messages: int, strategy: str) -> None:
        self.history = conversation(messages, "chat")
        self.strategy = make(strategy)
        self.compact()

    def compact(self) -> object:
        return compact(self.history, self.strategy, tokenizer=ENCODING)

    def time_compact(self, *_: object) -> None:
        with quiet():
            self.compact()

    @unit("x floor")
    def track_compact_over_floor(self, *_: object) -> float:
        return ratio(
            Contender(lambda _: self.compact()),
            Contender(lambda _: _core.read_floor(self.history)),
        )

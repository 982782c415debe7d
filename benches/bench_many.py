"""Many histories at once."""

from benches.corpus import conversation
from benches.measure import Contender, quiet, ratio, unit
from benches.strategies import make
from chatfold import compact_many


class Many:
    """A hundred histories of so many messages, each cut to 8,000 exact tokens."""

    params = ([100, 1_000],)
    param_names = ("messages",)
    timeout = 300

    def setup(self, messages: int) -> None:
        self.histories = [conversation(messages, "chat", seed=seed) for seed in range(100)]
        self.strategy = make("truncation to tokens")

    def time_compact_many(self, *_: object) -> None:
        with quiet():
            compact_many(self.histories, self.strategy)

    @unit("x one thread")
    def track_gain_by_threads(self, *_: object) -> float:
        return ratio(
            Contender(lambda _: compact_many(self.histories, self.strategy, max_workers=1)),
            Contender(lambda _: compact_many(self.histories, self.strategy)),
        )

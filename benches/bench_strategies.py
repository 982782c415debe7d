"""Each strategy, with and without building the index that it works on."""

from benches.corpus import conversation
from benches.measure import Contender, median, ratio, unit
from benches.strategies import AGAINST_THE_INDEX, ENCODING, NAMES, make, runner
from chatfold import MessageIndex

SIZES = [1_000, 10_000, 100_000]


class _OnAnAgent:
    """A strategy on the history of an agent."""

    param_names = ("messages", "strategy")
    timeout = 300

    def setup(self, messages: int, strategy: str) -> None:
        self.history = conversation(messages, "agent")
        self.run = runner(make(strategy))

    def build(self) -> MessageIndex:
        return MessageIndex(self.history, tokenizer=ENCODING)


class Strategies(_OnAnAgent):
    """Each strategy, with and without building its index."""

    params = (SIZES, NAMES)

    @unit("ms")
    def track_ingest_and_run(self, *_: object) -> float:
        return median(Contender(lambda _: self.run(self.build()))) * 1e3

    @unit("ms")
    def track_run(self, *_: object) -> float:
        return median(Contender(self.run, self.build)) * 1e3


class AgainstTheIndex(_OnAnAgent):
    """Those that visit each tool call, against the time of building the index."""

    params = (SIZES, AGAINST_THE_INDEX)

    @unit("x index")
    def track_run_over_build(self, *_: object) -> float:
        return ratio(Contender(self.run, self.build), Contender(lambda _: self.build()))

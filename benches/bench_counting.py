"""Exact counting on one thread, against tiktoken."""

from benches import texts
from benches.measure import Contender, effort, median, ratio, unit
from benches.peers import counters
from chatfold.tokenizers import EncodingTokenizer

TEXT_BYTES = 1_000_000
"""Of each kind; a tenth of it where each benchmark runs but once."""


class Counting:
    """Counting the tokens of texts of 2,000 characters of each kind."""

    params = (list(texts.KINDS), ["o200k_base", "cl100k_base"])
    param_names = ("text", "encoding")

    def setup(self, text: str, encoding: str) -> None:
        self.texts = texts.texts(text, TEXT_BYTES if effort.most > 1 else TEXT_BYTES // 10)
        self.megabytes = sum(len(each.encode()) for each in self.texts) / 1e6
        self.count = EncodingTokenizer(encoding).count_tokens

    def run(self, _: object) -> int:
        return sum(map(self.count, self.texts))

    @unit("MB/s")
    def track_count(self, *_: object) -> float:
        return self.megabytes / median(Contender(self.run))

    @unit("x tiktoken")
    def track_count_over_tiktoken(self, _: str, encoding: str) -> float:
        peer = counters.load("tiktoken", encoding)
        if peer is None:
            return float("nan")
        return ratio(Contender(lambda _: sum(map(peer, self.texts))), Contender(self.run))

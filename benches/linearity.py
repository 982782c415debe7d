"""Fits how the time of each strategy grows with the history: ``python -m benches.linearity``.

No strategy may grow faster than in proportion (exponent 1). To be looked at by people: on a busy
machine, or where caches of the processor overflow, exponents of 1.1 are common.
"""

import argparse
from functools import partial

from benches.corpus import Kind, Message, conversation
from benches.measure import Contender, effort, exponent, median
from benches.strategies import ENCODING, EXACT, NAMES, make, runner
from chatfold import MessageIndex, compact

SIZES = [1_000, 10_000, 100_000]
LARGE = 1_000_000


def times(name: str, kind: Kind, sizes: list[int]) -> tuple[list[float], list[float]]:
    """Give the seconds of a strategy alone, and with building its index, for each size."""
    alone, whole = [], []
    for size in sizes:
        history = conversation(size, kind)
        run = runner(make(name))

        def build(history: list[Message] = history) -> MessageIndex:
            return MessageIndex(history, tokenizer=ENCODING)

        alone.append(median(Contender(run, build)))
        whole.append(median(Contender(lambda _, run=run, build=build: run(build()))))
    return alone, whole


def one_off(name: str, sizes: list[int]) -> list[float]:
    """Give the seconds of a one-off compaction for each size."""
    strategy = make(name)

    def run(history: list[Message]) -> list[Message]:
        return compact(history, strategy, tokenizer=ENCODING)

    return [median(Contender(run, partial(conversation, size))) for size in sizes]


def show(name: str, sizes: list[int], seconds: list[float]) -> None:
    """Print the exponents from each size to the next, and over all."""
    steps = [
        f"{exponent(sizes[at : at + 2], seconds[at : at + 2]):5.2f}" for at in range(len(sizes) - 1)
    ]
    shown = "  ".join(f"{1e3 * each:10.3f}" for each in seconds)
    print(f"{name:42} {shown} ms   {' '.join(steps)}   all {exponent(sizes, seconds):5.2f}")


def main() -> None:
    """Print times and exponents of all strategies."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--large", action="store_true", help="also a history of 10^6 messages")
    options.add_argument("--seconds", type=float, default=0.3, help="to measure each figure for")
    options.add_argument("--processor-time", action="store_true", help="on a busy machine")
    chosen = options.parse_args()
    if chosen.processor_time:
        effort.use_processor_time()
    effort.seconds = chosen.seconds
    sizes = SIZES + [LARGE] * chosen.large
    print("messages:", *(f"{size:,}" for size in sizes))
    for name in EXACT:
        show(f"one-off, {name}", sizes, one_off(name, sizes))
    for name in NAMES:
        alone, whole = times(name, "agent", sizes)
        show(name, sizes, alone)
        show(f"{name}, and the index", sizes, whole)


if __name__ == "__main__":
    main()

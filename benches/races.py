"""chatfold beside other packages: tasks on histories of growing length, and counting by kind of text."""

import statistics
from typing import Any

from benches import texts
from benches.corpus import conversation
from benches.measure import Contender, exponent, interleaved, once, quiet
from benches.peers import counters, histories
from benches.peers.task import AGENT, ENCODING, Peer, Task
from chatfold import _core
from chatfold.tokenizers import EncodingTokenizer

ALONE_FROM = 0.5
"""Seconds: what takes longer is run once, so that it holds up nobody."""

MOST_MESSAGES = 100_000
"""Longer histories are for chatfold alone: to make messages of other types would take minutes."""

TURNS = 12
"""So many turns at least are measured, that some of them have to cut."""

KEPT_AT = 1_000
"""Messages of the history for which it is told what each package keeps."""


def _race(task: Task, contenders: dict[str, Contender]) -> dict[str, tuple[float, float]]:
    """Give the usual and the most seconds of each, of interleaved runs or of one where that is long.

    What is usual is the median; of turns it is the mean, since only some of them have to cut.
    """
    usual = statistics.mean if task == "turn" else statistics.median
    with quiet():
        first = {name: once(contender) for name, contender in contenders.items()}
    # The first run of a package is not its fastest: it loads what it needs.
    with quiet():
        first |= {
            name: once(contenders[name]) for name, taken in first.items() if taken > ALONE_FROM
        }
    least = TURNS if task == "turn" else 0
    short = {name: contenders[name] for name, taken in first.items() if taken <= ALONE_FROM}
    found = {name: (taken, taken) for name, taken in first.items()}
    return found | {
        name: (usual(times), max(*times, first[name]))
        for name, times in interleaved(short, least=least).items()
    }


def run_task(task: Task, sizes: list[int], longest: float) -> dict[str, Any]:
    """Run a task with all packages; one that would take longer than ``longest`` drops out."""
    result: dict[str, Any] = {"sizes": sizes, "seconds": {}, "kept": {}}
    out: set[str] = set()
    for at, size in enumerate(sizes):
        if size > MOST_MESSAGES:
            out.update(result["seconds"].keys() - {"chatfold", "floor"})
        peers = histories.contenders(task, size, without=frozenset(out))
        contenders = {name: peer.contender for name, peer in peers.items()}
        if task != "turn":
            history = conversation(size, "agent" if task in AGENT else "chat")
            contenders["floor"] = Contender(lambda _, history=history: _core.read_floor(history))
        if size == KEPT_AT and task != "ingest":
            result["kept"] = {name: _kept(peer) for name, peer in peers.items()}
        for name, (seconds, most) in _race(task, contenders).items():
            times = result["seconds"].setdefault(name, {})
            times[str(size)] = seconds
            power = 2.0 if task == "turn" else _power(times)
            growth = sizes[at + 1] / size if at + 1 < len(sizes) else 1
            if name not in {"chatfold", "floor"} and most * growth**power > longest:
                out.add(name)
    return result


def _power(times: dict[str, float]) -> float:
    """Guess how the time will grow, from the last two sizes."""
    if len(times) == 1:
        return 1.0
    sizes, seconds = [int(size) for size in times][-2:], list(times.values())[-2:]
    return min(2.0, max(1.0, exponent(sizes, seconds)))


def _kept(peer: Peer) -> list[int]:
    """Tell how many messages and tokens a package keeps."""
    count = EncodingTokenizer(ENCODING).count_tokens
    kept = peer.kept() or []
    return [len(kept), sum(count(peer.text(message)) for message in kept)]


def count_texts(encoding: str, size: int) -> dict[str, dict[str, float | None]]:
    """Give the MB/s of each counter for each kind of text; None where it counts otherwise."""
    found = {name: counters.load(name, encoding) for name in counters.NAMES}
    all_counters = {"chatfold": EncodingTokenizer(encoding).count_tokens}
    all_counters |= {name: counter for name, counter in found.items() if counter is not None}
    result: dict[str, dict[str, float | None]] = {}
    for kind in texts.KINDS:
        drawn = texts.texts(kind, size)
        megabytes = sum(len(text.encode()) for text in drawn) / 1e6
        times = interleaved(
            {
                name: Contender(lambda _, count=count, drawn=drawn: sum(map(count, drawn)))
                for name, count in all_counters.items()
            }
        )
        totals = {name: sum(map(count, drawn)) for name, count in all_counters.items()}
        right = totals.get("tiktoken", totals["chatfold"])
        result[kind] = {
            name: megabytes / statistics.median(seconds) if totals[name] == right else None
            for name, seconds in times.items()
        }
    return result

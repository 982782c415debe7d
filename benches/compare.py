"""Measures everything in one run and writes the page: ``python -m benches.compare``.

Figures go to docs/benchmarks/figures.json, and from there to docs/benchmarks.md and its plots;
``--render`` writes the page again from figures that are there. On a quiet machine, please.
"""

import argparse
import json
import os
from pathlib import Path
from time import perf_counter
from typing import Any

# Before any package with threads of its own is imported: all comparisons are on one thread.
os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"

from benches import linearity, machine, page
from benches.claims import claims
from benches.measure import effort
from benches.peers import histories
from benches.peers.task import TASKS
from benches.races import count_texts, run_task
from benches.strategies import NAMES

ROOT = Path(__file__).parent.parent
SIZES = [100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 1_000_000]


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Measure everything."""
    start = perf_counter()
    sizes = [size for size in SIZES if size <= options.max_messages]
    figures: dict[str, Any] = {"machine": machine.describe(), "versions": machine.versions()}
    figures["machine"]["time"] = "of the processor" if options.processor_time else "of the clock"

    def say(what: str) -> None:
        taken = perf_counter() - start
        if taken > options.max_seconds:
            # The rest is measured as shortly as possible.
            effort.seconds, effort.least = 0.0, 1
        print(f"{taken:6.0f} s  {what}", flush=True)

    decades = [size for size in sizes if size >= 1_000 and str(size).strip("0") == "1"]
    figures["claims"] = []
    for claim in claims(decades):
        say(f"{claim.what}: {claim.figure:.3g} {claim.unit} (must be {claim.must})")
        figures["claims"].append(claim._asdict())
    figures["counting"] = {}
    for encoding in ("o200k_base", "cl100k_base"):
        say(f"counting, {encoding}")
        figures["counting"][encoding] = count_texts(encoding, options.text_bytes)
    figures["tasks"] = {}
    for task in TASKS:
        say(task)
        figures["tasks"][task] = run_task(task, sizes, options.longest)
    figures["strategies"] = {}
    growing = [size for size in decades if size <= 100_000]
    for name in NAMES:
        say(name)
        alone, whole = linearity.times(name, "agent", growing)
        figures["strategies"][name] = {"sizes": growing, "alone": alone, "whole": whole}
    say("done")
    return figures


def main() -> None:
    """Measure, unless told not to, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small and inexact, in a minute")
    parser.add_argument("--render", action="store_true", help="only write the page again")
    parser.add_argument("--max-messages", type=int, default=1_000_000, help="longest history")
    parser.add_argument("--max-seconds", type=float, default=600, help="then hurry")
    parser.add_argument("--longest", type=float, default=10, help="seconds for a run of a peer")
    parser.add_argument("--text-bytes", type=int, default=1_000_000, help="of each kind of text")
    parser.add_argument(
        "--processor-time", action="store_true", help="not that of the clock: others work here too"
    )
    parser.add_argument("--docs", type=Path, default=ROOT / "docs", help="where to write")
    options = parser.parse_args()
    effort.seconds = 1.0
    if options.processor_time:
        effort.use_processor_time()
    if options.quick:
        effort.seconds = 0.05
        options.max_messages = min(options.max_messages, 10_000)
        options.text_bytes = min(options.text_bytes, 100_000)
        options.longest = min(options.longest, 1.0)
    kept = options.docs / "benchmarks" / "figures.json"
    if not options.render:
        figures = measure(options)
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        if "agent-framework-core" not in histories.missing():
            from benches import framework  # noqa: PLC0415 (it needs the package)

            sizes = framework.SIZES[:1] if options.quick else framework.SIZES
            framework.measure_and_write(kept.parent, sizes, figures["machine"]["time"])
    page.write(json.loads(kept.read_text(encoding="utf-8")), options.docs)


if __name__ == "__main__":
    main()

"""What must be measured in a process of its own; each probe prints its figures as JSON."""

import json
import subprocess
import sys
from pathlib import Path
from time import process_time as clock

_ROOT = Path(__file__).parent.parent


def run(probe: str, *arguments: str) -> dict[str, float]:
    """Run a probe in a new process."""
    command = [sys.executable, "-m", "benches.probe", probe, *arguments]
    if probe == "startup":
        # Not as a part of this package, which imports chatfold.
        command = [sys.executable, __file__, *arguments]
    printed = subprocess.run(command, cwd=_ROOT, check=True, capture_output=True).stdout  # noqa: S603
    figures: dict[str, float] = json.loads(printed)
    return figures


def _startup(what: str) -> float:
    # Processor time: what else the machine does while a process starts is none of ours.
    start = clock()
    import chatfold.tokenizers  # noqa: PLC0415

    if what == "import":
        return clock() - start
    start = clock()
    chatfold.tokenizers.EncodingTokenizer(what).count_tokens("first")
    return clock() - start


if __name__ == "__main__":
    sys.path.pop(0)
    print(json.dumps({"seconds": _startup(sys.argv[1])}))

"""Probes that need the corpus: run one by name in a process of its own, see :mod:`benches.probes`."""

import gc
import json
import sys
from pathlib import Path

from benches.corpus import conversation
from chatfold import MessageIndex


def _resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096


def memory(messages: int, kind: str) -> dict[str, float]:
    """Give how much the process grew by building an index."""
    history = conversation(messages, "agent" if kind == "agent" else "chat")
    if kind == "ascii chat":
        history = [
            {**message, "content": message["content"].encode("ascii", "replace").decode()}
            for message in history
        ]
    MessageIndex(history[:100])
    gc.collect()
    before = _resident_bytes()
    index = MessageIndex(history)
    grown = _resident_bytes() - before
    return {"bytes": grown, "messages": len(index)}


if __name__ == "__main__":
    print(json.dumps(memory(int(sys.argv[2]), sys.argv[3])))

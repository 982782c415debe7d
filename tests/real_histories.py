"""Recorded conversations of real agents, which are not part of the repository."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(
    os.environ.get("CHATFOLD_REAL_HISTORIES") or Path(__file__).parents[2] / "shared" / "real"
)

History = list[dict[str, Any]]


def load_real_histories() -> list[History]:
    """Load them all, or skip the test that asks for them."""
    files = sorted(FOLDER.glob("*.jsonl"))
    if not files:
        pytest.skip("no recorded conversations; CHATFOLD_REAL_HISTORIES names their folder")
    return [
        json.loads(line)["messages"]
        for file in files
        for line in file.read_text(encoding="utf-8").splitlines()
    ]

"""Recorded histories and what became of them, one vector for each strategy run."""

import gzip
import json
from pathlib import Path
from typing import Any

Vector = dict[str, Any]

# How the names in the vectors read in the descriptions that the twin and the product share.
KINDS = {
    "truncation_messages": "truncation",
    "truncation_tokens": "truncation",
    "sliding_window": "sliding_window",
    "selective_tool_call": "selective_tool_call",
    "tool_result": "tool_result",
    "token_budget": "token_budget",
}


def load_vectors(name: str = "strategies") -> list[Vector]:
    path = Path(__file__).parent / "golden" / f"{name}.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def spec_of(vector: Vector) -> dict[str, Any]:
    """Describe the strategy of a vector as plain data."""
    spec = {"kind": KINDS[vector["strategy"]], **vector["params"]}
    if vector["strategy"] == "truncation_tokens":
        spec["tokens"] = True
    if vector["strategy"] == "token_budget":
        keep_last = spec.pop("keep_last_groups")
        last_user = spec.get("preserve_last_user_group", True)
        spec["strategies"] = [
            {"kind": "tool_result", "keep_last_tool_call_groups": 1},
            {
                "kind": "sliding_window",
                "keep_last_groups": keep_last,
                "preserve_last_user_group": last_user,
            },
        ]
    return spec


def expected_messages(vector: Vector) -> list[dict[str, Any]]:
    messages = vector["messages"]
    return [messages[kept] if isinstance(kept, int) else kept for kept in vector["expected"]]

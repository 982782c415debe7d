"""A file of a chat product is handed over by its path, and the window does what it says."""

from pathlib import Path
from typing import Any

import pytest

from chatfold import ContextWindow
from chatfold.config import load_config, migrate_config
from config.files import GOOD, HERE
from summarization.stubs import Stub, run
from validity import faults

WINDOW = 128_000
CHARS = 60_000
"""Of a tool result: 15,000 tokens as the estimator has them."""


def turn(number: int) -> list[dict[str, Any]]:
    call = {"id": f"c{number}", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    return [
        {"role": "user", "content": f"Question {number}?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{number}", "content": "row\n" * (CHARS // 4)},
        {"role": "assistant", "content": f"Answer {number}."},
    ]


class Lived(dict[str, set[str]]):
    """The texts that each result was sent with, and the summaries that were written."""

    def __init__(self, path: Path | str, turns: int) -> None:
        super().__init__()
        self.client = Stub("The gist.")
        self.window = ContextWindow(path, max_context_tokens=WINDOW, summarizer=self.client)
        self.fullest = 0
        for number in range(turns):
            self.window.extend(turn(number))
            prepared = run(self.window.prepare())
            assert prepared.report.target_met
            assert faults(prepared.messages) == []
            if not self.client.seen:
                self.fullest = max(self.fullest, self.window.usage.tokens)
            for message in prepared.messages:
                if message["role"] == "tool":
                    self.setdefault(message["tool_call_id"], set()).add(message["content"])


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_every_good_file_makes_a_window_that_keeps_its_limit(path: Path) -> None:
    assert Lived(str(path), 24).window.config == load_config(path)


@pytest.mark.parametrize(
    ("name", "kept", "placeholder"),
    [
        ("full.yaml", 1_500, "[Old tool result content cleared]"),
        ("product.yaml", 1_500, "[Old tool result content cleared]"),
        ("custom_trims.yaml", 2_500, "[Content removed for context management]"),
    ],
)
def test_results_fade_as_a_file_says(name: str, kept: int, placeholder: str) -> None:
    texts = set.union(*Lived(HERE / "good" / name, 16).values())
    rows = "row\n" * (CHARS // 4)
    assert {rows, placeholder} < texts
    (trimmed,) = texts - {rows, placeholder}
    head, marker, tail = trimmed.partition(f"[... kept {2 * kept - 4} of {CHARS} characters ...]\n")
    # Cuts are at line ends nearby.
    assert (len(head), bool(marker), len(tail)) == (kept, True, kept - 4)
    assert rows.startswith(head)
    assert rows.endswith(tail)


def test_a_trigger_by_remaining_tokens_waits_for_them() -> None:
    lived = Lived(HERE / "good" / "remaining_tokens.yaml", 12)
    assert lived.client.seen
    # The headroom of a twentieth is less than 8,000 tokens; a turn more leaves no more than those.
    assert WINDOW - 8_000 - CHARS // 4 - 100 < lived.fullest < WINDOW - 8_000


def test_a_file_with_removed_fields_is_used_once_it_is_migrated(tmp_path: Path) -> None:
    path = tmp_path / "product.yaml"
    migrate_config(HERE / "bad" / "removed_fields.yaml", model="gpt-4o-mini", to=path)
    lived = Lived(path, 12)
    assert lived.window.config.model == "gpt-4o-mini"
    # Without a trigger a summary is written when something was dropped.
    assert lived.client.seen
    assert set.union(*lived.values()) == {"row\n" * (CHARS // 4)}

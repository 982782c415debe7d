"""The examples run, and the session is what its generator makes."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from chatfold import MessageIndex
from markdown_blocks import ROOT

EXAMPLES = ROOT / "examples"


def run_program(path: Path) -> str:
    ran = subprocess.run(  # noqa: S603 (our own program)
        [sys.executable, "-W", "error", str(path)], capture_output=True, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, b"")
    return ran.stdout.decode()


@pytest.mark.parametrize("name", ["compact_session.py", "custom_strategy.py"])
def test_an_example_runs(name: str) -> None:
    assert "79,685 tokens" in run_program(EXAMPLES / name).replace("  ", " ")


def test_the_agent_with_sessions_keeps_all_and_loads_little() -> None:
    *turns, stored, loaded = run_program(EXAMPLES / "agent_with_sessions.py").splitlines()
    assert stored.startswith("stored: 423 messages, ")
    assert int(loaded.split()[-2].replace(",", "")) < 8_000
    largest = [int(line.split()[-3].replace(",", "")) for line in turns]
    assert 8_000 < max(largest) <= 12_000


def test_the_chat_window_stays_inside_the_window() -> None:
    lines = run_program(EXAMPLES / "chat_window.py").splitlines()
    assert any("pruned" in line for line in lines)
    assert "missed" not in "".join(lines)
    assert lines[-1].startswith("[Summary] ")


def test_the_session_is_what_its_generator_makes(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES / "session", tmp_path / "session")
    shutil.copy(EXAMPLES / "make_agent_session.py", tmp_path)
    run_program(tmp_path / "make_agent_session.py")
    made, kept = (folder / "agent_session.json" for folder in (tmp_path, EXAMPLES))
    assert made.read_bytes() == kept.read_bytes()


def test_the_session_is_one_that_a_model_api_accepts() -> None:
    messages = json.loads((EXAMPLES / "agent_session.json").read_text(encoding="utf-8"))
    waiting: set[str] = set()
    for message in messages:
        if message["role"] == "tool":
            waiting.remove(message["tool_call_id"])
        else:
            assert not waiting
            waiting = {call["id"] for call in message.get("tool_calls", [])}
    assert not waiting
    assert len(messages) > 400
    assert MessageIndex(messages, tokenizer="o200k_base").total_token_count > 60_000

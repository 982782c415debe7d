"""Verbose logs are turned on by a variable of the environment."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import asyncio
from chatfold import ContextWindow
window = ContextWindow({"reserveRatio": 0}, max_context_tokens=100)
window.extend({"role": "user", "content": "why? " * 20} for _ in range(10))
asyncio.run(window.prepare())
window.record_usage(input_tokens=120)
"""


LATER = """
import logging
logging.basicConfig(format="mine: %(message)s", level=logging.DEBUG)
window.record_usage(input_tokens=130)
"""


def run_with(value: str | None, program: str = PROGRAM) -> str:
    environment = {name: text for name, text in os.environ.items() if name != "AGENT_DEBUG_LOGGING"}
    if value is not None:
        environment["AGENT_DEBUG_LOGGING"] = value
    ran = subprocess.run(  # noqa: S603 (our own interpreter and code)
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    return ran.stderr


@pytest.mark.parametrize("value", [None, "", "false", "0", "yes"])
def test_nothing_is_logged_unless_it_is_asked_for(value: str | None) -> None:
    assert run_with(value) == ""


@pytest.mark.parametrize("value", ["true", "TRUE", " true "])
def test_counts_and_decisions_are_logged_where_it_is(value: str) -> None:
    logged = run_with(value)
    assert "too many tokens were in use before, of 100 with 0 reserved" in logged
    assert "0 groups pruned, 6 messages dropped" in logged
    assert "the provider read 120 tokens, 100 were counted: the ratio is 1.1000" in logged


def test_who_sets_up_logging_later_is_not_told_twice() -> None:
    logged = run_with("true", PROGRAM + LATER)
    assert logged.count("the provider read 120 tokens") == 1
    assert logged.count("the provider read 130 tokens") == 1
    assert "mine: the provider read 130 tokens" in logged

"""The examples run: one with no network, one against a server on the loopback."""

import os
import subprocess
import sys

from markdown_blocks import ROOT
from summarization.server import answers, serving


def output_of(name: str, *arguments: str, **variables: str) -> str:
    ran = subprocess.run(  # noqa: S603 (our own program)
        [sys.executable, "-W", "error", str(ROOT / "examples" / name), *arguments],
        env={**os.environ, "NO_PROXY": "*", **variables},
        capture_output=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, b"")
    return ran.stdout.decode()


def test_the_one_without_a_network_runs() -> None:
    output = output_of("summarize_offline.py")
    assert output.count("summary failed (ConnectionError: the model is not available)") == 2
    assert output.count("SummarizationStrategy") == 9
    assert "[Summary] ## Goal" in output


def test_the_one_for_openai_runs() -> None:
    with serving(answers("## Goal\nShip it.")) as server:
        variables = {"OPENAI_API_KEY": "key", "OPENAI_BASE_URL": server.url}
        output = output_of("summarize_openai.py", "small", **variables)
    assert "[Summary] ## Goal\nShip it.\n\n[Failed tool results]\n" in output
    assert {request["model"] for request in server.requests} == {"small"}

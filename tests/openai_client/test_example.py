"""The example with an agent runs: by itself, and against a server that it is told of."""

import json
import os
import subprocess
import sys

from markdown_blocks import ROOT
from summarization.server import Request, answers_by, completion, serving


def output_of(*arguments: str, **variables: str) -> list[str]:
    ran = subprocess.run(  # noqa: S603 (our own program)
        [sys.executable, "-W", "error", str(ROOT / "examples" / "openai_agent.py"), *arguments],
        env={**os.environ, "NO_PROXY": "*", **variables},
        capture_output=True,
        check=False,
        text=True,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    return ran.stdout.splitlines()


def test_it_runs_by_itself() -> None:
    *calls, last = output_of()
    assert last == "shop.py is about money."
    assert len(calls) == 8
    assert "ToolResultCompactionStrategy" in calls[4]


def test_it_runs_with_a_model_of_one_s_own() -> None:
    def model(request: Request) -> bytes:
        if len(request["messages"]) > 1:
            return completion("None of them.")
        function = {"name": "read_file", "arguments": json.dumps({"name": "shop.py"})}
        calls = [{"id": "c1", "type": "function", "function": function}]
        return completion(None, "tool_calls", tool_calls=calls)

    with serving(answers_by(model)) as server:
        *_, last = output_of("small", OPENAI_API_KEY="key", OPENAI_BASE_URL=server.url)
    assert last == "None of them."
    assert [request["model"] for request in server.requests] == ["small", "small"]

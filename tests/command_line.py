"""Runs the command line in this process, with streams of its own."""

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from typing import Any
from unittest import mock

from chatfold.cli.app import app


@dataclass(frozen=True)
class Ran:
    """How a command ended, and what it wrote."""

    code: int
    out: bytes
    err: str

    @property
    def value(self) -> Any:  # noqa: ANN401 (whatever JSON holds)
        return json.loads(self.out)

    @property
    def values(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


def run(*arguments: object, stdin: bytes = b"") -> Ran:
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _ in range(2))
    given = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
    code = 0
    with mock.patch.object(sys, "stdin", given), redirect_stdout(out), redirect_stderr(err):
        try:
            app([str(each) for each in arguments])
        except SystemExit as ended:
            code = int(ended.code or 0)
        out.flush()
        err.flush()
    written = [each.buffer.getvalue() for each in (out, err)]
    return Ran(code, written[0], written[1].decode())


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def assistant(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def exchange(number: int, text: str = "a long result " * 20) -> list[dict[str, Any]]:
    """Give a question, a call with its result, and an answer."""
    function = {"name": "look_up", "arguments": "{}"}
    call = {"id": f"c{number}", "type": "function", "function": function}
    return [
        user(f"question {number}"),
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{number}", "content": text},
        assistant(f"answer {number}"),
    ]


def lines(*values: object) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)

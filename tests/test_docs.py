"""Every program of the README and the guides runs, and prints what is shown."""

import contextlib
import io
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from markdown_blocks import ROOT, commands, programs, same_lines

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
CONSOLES = [
    pytest.param(command, output, id=f"{page.name}-{number}")
    for page in PAGES
    for number, (command, output) in enumerate(commands(page))
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_programs_print_what_is_shown(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    names: dict[str, object] = {"__name__": "guide"}
    for program in programs(page):
        code = "\n" * program.code.line + program.code.text
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, page, "exec"), names)  # noqa: S102 (our own pages)
        where = f"{page.name}:{program.code.line}"
        assert (where, same_lines(printed.getvalue())) == (where, same_lines(program.output))


@pytest.mark.parametrize(("command", "output"), CONSOLES)
def test_commands_say_what_is_shown(command: str, output: str) -> None:
    name, *arguments = shlex.split(command)
    assert name == "chatfold"
    run = subprocess.run(  # noqa: S603 (our own pages)
        [sys.executable, "-m", "chatfold", *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        env=os.environ | {"COLUMNS": "80"},
        check=True,
    )
    assert same_lines(run.stdout) == same_lines(output)

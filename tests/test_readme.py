"""The commands of the README and of CONTRIBUTING fit the repository."""

import re
import shlex
import tomllib
from pathlib import Path

import pytest

from markdown_blocks import ROOT, blocks

LINES = [
    pytest.param(line, id=f"{name}-{block.line}-{number}")
    for name in ("README.md", "CONTRIBUTING.md")
    for block in blocks(ROOT / name)
    if block.language == "bash"
    for number, line in enumerate(block.lines)
]
LINKS = [
    pytest.param(page, target, id=f"{page.name}-{target}")
    for page in (*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"))
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8"))
]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
RECIPES = (ROOT / "justfile").read_text(encoding="utf-8")
KNOWN = {"python3", "cargo", "pip", ".venv/bin/pip", ".venv/bin/pytest", ".venv/bin/chatfold"}
KNOWN |= {".venv/bin/just", "just"}


def commands(line: str) -> list[list[str]]:
    words = shlex.split(line)
    parts: list[list[str]] = [[]]
    for word in words:
        if word == "&&":
            parts.append([])
        elif parts[-1] or not re.fullmatch(r"[A-Z_]+=\S*", word):
            parts[-1].append(word)
    return parts


@pytest.mark.parametrize("line", LINES)
def test_a_command_line_names_programs_that_exist(line: str) -> None:
    assert {command[0] for command in commands(line)} <= KNOWN


@pytest.mark.parametrize("line", LINES)
def test_a_command_line_names_files_groups_and_extras_that_exist(line: str) -> None:
    for command in commands(line):
        for word, after in zip(command, [*command[1:], ""], strict=True):
            if word.startswith(("examples/", "tests/")):
                assert (ROOT / word).exists()
            if word == "--group":
                assert after in PROJECT["dependency-groups"]
            if command[0].endswith("just"):
                assert re.search(rf"^{after}\b.*:", RECIPES, re.MULTILINE) or not after
            if match := re.fullmatch(r"(?:\.|chatfold)\[(\w+)\]", word):
                assert match[1] in PROJECT["project"]["optional-dependencies"]


def test_installing_and_each_job_are_one_line() -> None:
    job, tests = [line for line in _lines_of_readme() if line.startswith("python3")]
    assert "chatfold compact examples/agent_session.json" in job
    assert tests.endswith("pytest && cargo test")


def _lines_of_readme() -> list[str]:
    found = (block for block in blocks(ROOT / "README.md") if block.language == "bash")
    return [line for block in found for line in block.lines]


@pytest.mark.parametrize(("page", "target"), LINKS)
def test_a_link_leads_somewhere(page: Path, target: str) -> None:
    assert (page.parent / target).exists()

"""The code blocks of Markdown files, so that what they show can be run."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent

_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A code block, and where it stands."""

    language: str
    text: str
    line: int

    @property
    def lines(self) -> list[str]:
        return self.text.splitlines()


@dataclass(frozen=True)
class Program:
    """A block of Python, and what it prints."""

    code: Block
    output: str


def blocks(path: Path) -> list[Block]:
    text = path.read_text(encoding="utf-8")
    return [
        Block(match[1], match[2], text.count("\n", 0, match.start()) + 1)
        for match in _FENCE.finditer(text)
    ]


def programs(path: Path) -> list[Program]:
    """Give each block of Python with the block of text that follows it, if one does."""
    found = blocks(path)
    following = [*found[1:], Block("", "", 0)]
    return [
        Program(code, after.text if after.language == "text" else "")
        for code, after in zip(found, following, strict=True)
        if code.language == "python"
    ]


def commands(path: Path) -> list[tuple[str, str]]:
    """Give each command of the consoles, with what it says."""
    found: list[tuple[str, str]] = []
    for block in blocks(path):
        if block.language == "console":
            for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
                command, _, output = part.partition("\n")
                found.append((command, output))
    return found


def same_lines(text: str) -> str:
    """Leave out what can't be seen: spaces at the end of lines."""
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")

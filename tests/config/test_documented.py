"""The table of the documentation has every key, and its default."""

import re
from pathlib import Path
from typing import Any

from chatfold.config import SummarizationConfig, config_schema

PAGE = Path(__file__).parents[2] / "docs" / "configuration.md"
UNSET = {
    "the agent's own",
    "those of `SummarizationStrategy`",
    "2,000",
    "whenever messages are dropped",
    "no limit",
}
"""What a key without a value means, in words; a window chooses the size of a summary itself."""


def rows() -> dict[str, str]:
    """Give the default of each key, as the page has it."""
    found: dict[str, str] = {}
    section = PAGE.read_text(encoding="utf-8").partition("## Keys")[2].partition("\n## ")[0]
    for line in section.partition("\nA trigger has")[0].splitlines():
        if line.startswith("| `"):
            keys, _, default = line.strip("| ").split(" | ")
            found |= dict.fromkeys(re.findall(r"`([\w.]+)`", keys), default)
    return found


def leaves(name: str, around: str = "") -> set[str]:
    """List the keys of a block of the schema, with those of the blocks in it that have a row of their own."""
    found = set()
    for key, value in config_schema()["$defs"][name]["properties"].items():
        inner = re.search(r"RetainRecent|ContextPruning", str(value))
        if inner and not around:
            found |= leaves(inner[0], f"{key}.")
        else:
            found.add(f"{around}{key}")
    return found


def shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def test_every_key_has_a_row() -> None:
    assert set(rows()) == leaves("SummarizationConfig")


def test_defaults_are_those_of_the_page() -> None:
    defaults = SummarizationConfig().to_dict()["summarization"]
    for path, told in rows().items():
        value: Any = defaults
        for key in path.split("."):
            value = value.get(key) if isinstance(value, dict) else None
        if value is None:
            assert told in UNSET, path
        elif isinstance(value, dict) and value:
            assert told.replace("`", "") == ", ".join(map(shown, value.values())), path
        else:
            assert told.strip("`") == shown(value), path

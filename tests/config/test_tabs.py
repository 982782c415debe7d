"""Tabs where YAML takes them, and where it does not."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml.error import YAMLError

from chatfold.config import ConfigError, load_config, migrate_config
from chatfold.config.yaml_files import parsed
from config.files import written

TAKEN: list[tuple[str, Any]] = [
    ("a: m\t\nb: 1\n", {"a": "m", "b": 1}),
    ("a:\tm\n", {"a": "m"}),
    ("a: \t m \t # c\n", {"a": "m"}),
    ("a: 'm'\t# c\n", {"a": "m"}),
    ("a:\t# c\n  b: 1\n", {"a": {"b": 1}}),
    ("-\tx\n- \ty\n", ["x", "y"]),
    ("- -\tx\n", [["x"]]),
    ("?\ta\t\n:\tb\n", {"a": "b"}),
    ("a: {b:\t1,\tc: 2}\n", {"a": {"b": 1, "c": 2}}),
    ("\t# c\na: 1\n\t\nb: 2\n", {"a": 1, "b": 2}),
    ("a: 1\t# c\r\n\t\r\nb:\t2\r\n", {"a": 1, "b": 2}),
    # In a text it is a part of it.
    ("a: 'x\ty'\t\n", {"a": "x\ty"}),
    ("a: |\n  x\ty\t\n  \tz\nb:\t1\n", {"a": "x\ty\t\n\tz\n", "b": 1}),
]
REFUSED = [
    "\ta: 1\n",
    "a:\n\tb: 1\n",
    "a:\n  b: 1\n\tc: 2\n",
    "a: m\tn\n",
    "a: x -\ty\n",
    "a: |\n  x\n\tz\n",
]


@pytest.mark.parametrize(("text", "value"), TAKEN)
def test_a_tab_between_tokens_is_a_space(text: str, value: object) -> None:
    assert parsed(text) == value


@pytest.mark.parametrize("text", REFUSED)
def test_any_other_tab_outside_of_quotes_is_told_with_its_line(text: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"line \d has a tab where YAML takes none; write spaces"):
        load_config(written(tmp_path, text))


gaps = st.text(" \t", min_size=1, max_size=3)


@given(st.lists(st.tuples(gaps, gaps, st.booleans()), min_size=1, max_size=30))
def test_tabs_and_spaces_say_the_same(lines: list[tuple[str, str, bool]]) -> None:
    text = "".join(
        f"key{number}:{one}m{other}{'# c' if comment else ''}\n"
        for number, (one, other, comment) in enumerate(lines)
    )
    assert parsed(text) == parsed(text.replace("\t", " "))


def test_a_file_of_nothing_but_tabs_is_not_looked_at_for_ever() -> None:
    with pytest.raises(YAMLError):
        parsed("".join(f"key{number}:\tm\n" for number in range(1_000)))


def test_a_migrated_file_keeps_its_tabs(tmp_path: Path) -> None:
    before = (
        "cache:\ttrue\t# ours\nendpoints:\n  openAI:\n    summarize:\tfalse\t# off\n    x: 1\t\n"
    )
    path = written(tmp_path, before)
    migrate_config(path, to=path)
    assert path.read_text() == (
        "cache:\ttrue\t# ours\nendpoints:\n  openAI:\n    x: 1\t\n"
        "summarization:\n  enabled: false\n"
    )

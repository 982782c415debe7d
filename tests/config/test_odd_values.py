"""Values of another kind than the one that is asked for."""

from pathlib import Path

import pytest

from chatfold.config import ConfigError, load_config
from config.files import written

NUMBERS: dict[str, tuple[str, ...]] = {
    "a whole number of at least 1": ("maxSummaryTokens", "retainRecent.tokens"),
    "a whole number of at least 0": (
        "contextPruning.minPrunableToolChars",
        "contextPruning.softTrim.maxChars",
        "contextPruning.softTrim.headChars",
        "contextPruning.softTrim.tailChars",
    ),
    "a whole number from 0 to 20": ("retainRecent.turns",),
    "a whole number from 0 to 10": ("contextPruning.keepLastAssistants",),
    "a number from 0 to 1": (
        "reserveRatio",
        "contextPruning.softTrimRatio",
        "contextPruning.hardClearRatio",
    ),
    "true or false": ("enabled", "contextPruning.enabled", "contextPruning.hardClear.enabled"),
}
KEYS = [(path, allowed) for allowed, paths in NUMBERS.items() for path in paths]


@pytest.mark.parametrize(("path", "allowed"), KEYS)
@pytest.mark.parametrize("value", ["'1'", ".nan", "-1", "-.inf", "0.5", "yes", "[1]", "true", "1"])
def test_a_value_of_another_kind_is_told_with_its_path(
    path: str, allowed: str, value: str, tmp_path: Path
) -> None:
    """A flag is no number, a text is none, and a number is no flag."""
    right = {"true or false": ["true"], "a number from 0 to 1": ["0.5", "1"]}.get(allowed, ["1"])
    if value in right:
        return
    keys = ["summarization", *path.split(".")]
    lines = [f"{'  ' * depth}{key}:" for depth, key in enumerate(keys)]
    with pytest.raises(ConfigError) as caught:
        load_config(written(tmp_path, "\n".join(lines) + f" {value}\n"))
    shown = {".nan": "nan", "-.inf": "-inf", "yes": "'yes'"}.get(value, value)
    assert str(caught.value) == f"summarization.{path} is {shown}; write {allowed}"


@pytest.mark.parametrize("value", [10**400, -(10**400), 10**5_000], ids=["more", "less", "most"])
def test_a_number_that_no_reader_of_json_has_cant_be_sent(value: int) -> None:
    with pytest.raises(ConfigError, match=r"parameters\.seed is .*; write a number that JSON has"):
        load_config({"parameters": {"seed": value}})

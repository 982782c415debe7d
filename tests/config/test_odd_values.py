"""Values of another kind than the one that is asked for, and those beyond what is allowed."""

from collections import ChainMap
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from ruamel.yaml import YAML

from chatfold.config import ConfigError, load_config, migrate_config
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


LIMITS: list[tuple[str, list[float], list[float]]] = [
    ("maxSummaryTokens", [1, 2**53 - 1], [0, 2**53]),
    ("reserveRatio", [0, 1], [-1e-9, 1 + 1e-9]),
    ("trigger.token_ratio", [0, 1], [-1e-9, 1 + 1e-9]),
    ("trigger.remaining_tokens", [1, 2**53 - 1], [0, 0.5]),
    ("trigger.messages_to_refine", [1, 2**53 - 1], [0, 1.5]),
    ("retainRecent.turns", [0, 20], [-1, 21]),
    ("retainRecent.tokens", [1, 2**53 - 1], [0, 2**53]),
    ("contextPruning.keepLastAssistants", [0, 10], [-1, 11]),
    ("contextPruning.softTrimRatio", [0, 1], [-1e-9, 1 + 1e-9]),
    ("contextPruning.hardClearRatio", [0, 1], [-1e-9, 1 + 1e-9]),
    ("contextPruning.minPrunableToolChars", [0, 2**53 - 1], [-1, 2**53]),
    ("contextPruning.softTrim.maxChars", [0, 2**53 - 1], [-1, 2**53]),
    ("contextPruning.softTrim.headChars", [0, 2**53 - 1], [-1, 2**53]),
    ("contextPruning.softTrim.tailChars", [0, 2**53 - 1], [-1, 2**53]),
]


def block(path: str, value: object) -> dict[str, Any]:
    """Make the block with one value at a path; a trigger is told by its type."""
    *around, last = path.split(".")
    made: dict[str, Any] = {last: value}
    if around == ["trigger"]:
        made = {"type": last, "value": value}
    for key in reversed(around):
        made = {key: made}
    return made


@pytest.mark.parametrize(("path", "within", "beyond"), LIMITS, ids=[each[0] for each in LIMITS])
def test_what_is_allowed_ends_where_it_is_said_to(
    path: str, within: list[float], beyond: list[float]
) -> None:
    for value in within:
        written_out = load_config(block(path, value)).to_dict()["summarization"]
        for key in path.split(".")[:-1]:
            written_out = written_out[key]
        kind = "value" if path.startswith("trigger") else path.rpartition(".")[2]
        assert written_out[kind] == value
    where = "trigger.value" if path.startswith("trigger") else path
    for value in beyond:
        with pytest.raises(ConfigError) as caught:
            load_config(block(path, value))
        (problem,) = caught.value.problems
        assert (problem.path, problem.value) == (f"summarization.{where}", value)


def test_any_mapping_is_one() -> None:
    around = MappingProxyType({"softTrim": MappingProxyType({"maxChars": 5_000})})
    parameters: ChainMap[str, Any] = ChainMap({"a": MappingProxyType({"b": (1, 2)})}, {"c": None})
    block = MappingProxyType({"contextPruning": around, "parameters": parameters})
    config = load_config(MappingProxyType({"summarization": block}))
    assert config.context_pruning.soft_trim.max_chars == 5_000
    assert config.parameters == {"a": {"b": [1, 2]}, "c": None}
    assert load_config(config.to_dict()) == config
    custom = ({"summarize": True, "name": "One"},)
    assert migrate_config({"endpoints": MappingProxyType({"custom": custom})}) == {
        "endpoints": {"custom": [{"name": "One"}]},
        "summarization": {"enabled": True},
    }


def test_values_that_remember_how_they_were_written_are_plain_values() -> None:
    text = (
        "summarization:\n  enabled: &on false\n  prompt: |\n    Sum it up.\n  model: 'm'\n"
        "  maxSummaryTokens: 0x1000\n  parameters: {logprobs: *on, temperature: 0.20, stop: ['a']}\n"
        "  trigger: {type: 'token_ratio', value: &share 0.80}\n"
        "  contextPruning: {enabled: *on, softTrimRatio: *share, minPrunableToolChars: 50_000}\n"
    )
    remembering = YAML(typ="rt", pure=True).load(text)
    assert not isinstance(remembering["summarization"]["enabled"], bool)
    config = load_config(remembering)
    assert config == load_config(YAML(typ="safe", pure=True).load(text))
    assert config.parameters["logprobs"] is False
    old = {"endpoints": {"openAI": {"summarize": remembering["summarization"]["enabled"]}}}
    assert migrate_config(old)["summarization"] == {"enabled": False}

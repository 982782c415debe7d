"""What no configuration should hold is a clear error with its path, told with all others at once."""

import datetime as dt
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from chatfold import ContextWindow
from chatfold.config import ConfigError, SummarizationConfig, load_config
from summarization.stubs import Stub

MOST = 2**53 - 1

NUMBERS = [
    "maxSummaryTokens",
    "trigger.value",
    "retainRecent.tokens",
    "contextPruning.minPrunableToolChars",
    "contextPruning.softTrim.maxChars",
    "contextPruning.softTrim.headChars",
    "contextPruning.softTrim.tailChars",
]


def block(path: str, value: object) -> dict[str, Any]:
    made: Any = value
    for key in reversed(path.split(".")):
        made = {key: made}
    if path.startswith("trigger"):
        made["trigger"]["type"] = "remaining_tokens"
    made.setdefault("contextPruning", {})["enabled"] = True
    return {"summarization": made}


def told(document: object) -> str:
    with pytest.raises(ConfigError) as caught:
        load_config(document)  # type: ignore[arg-type]  # whatever a file holds
    return str(caught.value)


@pytest.mark.parametrize("path", NUMBERS)
@pytest.mark.parametrize("value", [1e20, MOST + 1, 10**30])
def test_a_number_that_is_too_large_is_told_the_limit(path: str, value: float) -> None:
    text = told(block(path, value))
    assert text.startswith(
        f"summarization.{path} is {int(value)}; write a whole number of at least "
    )
    assert text.endswith(f" and at most {MOST}")


@pytest.mark.parametrize("path", NUMBERS)
def test_the_largest_number_can_be_used(path: str) -> None:
    config = load_config(block(path, MOST))
    assert ContextWindow(config, max_context_tokens=1_000, summarizer=Stub()).config is config


def circular() -> dict[str, Any]:
    made: dict[str, Any] = {"x": 1}
    made["inner"] = [made]
    return made


def nested(depth: int, made: Any = 1) -> Any:  # noqa: ANN401 (JSON)
    for _ in range(depth):
        made = [made]
    return made


JSON = "a text in quotes, a number, true, false, a list or a mapping"
ODD = [
    ({"d": float("nan")}, "d is nan; write a number that JSON has"),
    ({"d": [1, float("-inf")]}, "d[1] is -inf; write a number that JSON has"),
    ({"d": {"e": {1, 2}}}, f"d.e is {{1, 2}}; write {JSON}"),
    ({"d": b"x"}, f"d is b'x'; write {JSON}"),
    ({"d": dt.date(2026, 12, 1)}, f"d is 2026-12-01; write {JSON}"),
    ({"d": {3: 4}}, "d.3 is 3; write keys that are texts"),
    ({"d": "a\ud800"}, r"d is 'a\ud800'; write a text without lone surrogates"),
    (
        {"d": circular()},
        "d.inner[0] is <dict of 2>; write nothing that holds itself",
    ),
    ({"d": nested(5_000)}, "; write no more than 64 lists and mappings inside each other"),
]


@pytest.mark.parametrize(("parameters", "problem"), ODD)
def test_parameters_that_cant_be_sent_are_named(parameters: object, problem: str) -> None:
    text = told({"parameters": parameters})
    assert text.startswith("summarization.parameters.d")
    assert text.endswith(problem)
    with pytest.raises(ValidationError, match=r"summarization\.parameters\.d"):
        SummarizationConfig(parameters=parameters)  # type: ignore[arg-type]


def test_an_alias_of_aliases_is_refused_before_it_fills_the_memory() -> None:
    bomb: Any = "x"
    for _ in range(20):
        bomb = [bomb] * 10
    assert told({"parameters": {"q": bomb}}).endswith("; write no more than 100000 values in all")


def test_what_can_be_sent_is_taken() -> None:
    parameters = {"stop": ["a", "b"], "seed": 10**18, "x": {"y": None, "z": nested(60)}, "f": 0.5}
    assert load_config({"parameters": parameters}).parameters == parameters


def test_all_problems_are_told_at_once() -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(
            {
                "maxSummaryTokens": 1e20,
                "parameters": {"a": float("nan"), "b": [object()], "c": {1: 2}},
                "reserveRatio": 2,
                "prompt": "\ud800",
            }
        )
    assert sorted(problem.path for problem in caught.value.problems) == [
        "summarization.maxSummaryTokens",
        "summarization.parameters.a",
        "summarization.parameters.b[0]",
        "summarization.parameters.c.1",
        "summarization.prompt",
        "summarization.reserveRatio",
    ]


@pytest.mark.parametrize("key", ["prompt", "model", "provider", "updatePrompt"])
def test_a_text_that_no_file_can_hold_is_refused(key: str) -> None:
    assert told({key: "a\ud800"}).endswith("; write a text without lone surrogates")


@pytest.mark.parametrize("text", ["[" * 5_000, "{a: " * 5_000, "- " * 5_000])
def test_a_file_that_is_nested_too_deeply_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "deep.yaml"
    path.write_text(text, encoding="utf-8")
    assert told(path) == f"{path} is nested too deeply; make it flatter"


def test_an_alias_of_itself_in_a_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "circular.yaml"
    path.write_text("summarization: &a\n  parameters:\n    again: *a\n", encoding="utf-8")
    text = told(path)
    assert text.startswith("summarization.parameters.again.parameters is <dict of 1>; ")
    assert text.endswith("; write nothing that holds itself")


@pytest.mark.filterwarnings("ignore::chatfold.config.ConfigWarning")
def test_what_means_nothing_may_be_nested_as_it_likes() -> None:
    deep: dict[str, Any] = {}
    for _ in range(5_000):
        deep = {"contextPruning": deep}
    itself: dict[str, Any] = {"model": "small"}
    itself["summarization"] = itself
    assert load_config({"summarization": {"other": deep}}) == SummarizationConfig()
    assert load_config(itself).model == "small"

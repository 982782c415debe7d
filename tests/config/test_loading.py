"""Files that must load, and how keys without meaning are told of."""

import warnings
from pathlib import Path
from typing import Any

import pytest

from chatfold import OptionTypeError
from chatfold.config import (
    ConfigWarning,
    HardClear,
    RemainingTokens,
    RetainRecent,
    SoftTrim,
    SummarizationConfig,
    TokenRatio,
    load_config,
)
from config.files import GOOD, HERE

FULL = SummarizationConfig.model_validate(
    {
        "provider": "openAI",
        "model": "gpt-4o-mini",
        "max_summary_tokens": 4096,
        "trigger": TokenRatio(value=0.8),
        "context_pruning": {"enabled": True},
    }
)


@pytest.fixture(autouse=True)
def _no_warning_unless_expected() -> None:
    warnings.simplefilter("error")


def test_an_empty_configuration_has_every_documented_default() -> None:
    config = load_config({})
    assert config.to_dict()["summarization"] == {
        "enabled": True,
        "parameters": {},
        "reserveRatio": 0.05,
        "retainRecent": {"turns": 2},
        "contextPruning": {
            "enabled": False,
            "keepLastAssistants": 3,
            "softTrimRatio": 0.3,
            "hardClearRatio": 0.5,
            "minPrunableToolChars": 50_000,
            "softTrim": {"maxChars": 4_000, "headChars": 1_500, "tailChars": 1_500},
            "hardClear": {"enabled": True, "placeholder": "[Old tool result content cleared]"},
        },
    }
    for unset in ("provider", "model", "prompt", "update_prompt", "max_summary_tokens", "trigger"):
        assert getattr(config, unset) is None


@pytest.mark.parametrize("name", ["full.yaml", "product.yaml"])
def test_a_full_block_loads_alone_and_inside_a_product_file(name: str) -> None:
    assert load_config(HERE / "good" / name) == FULL


def test_a_trigger_by_remaining_tokens_loads() -> None:
    config = load_config(HERE / "good" / "remaining_tokens.yaml")
    assert config == SummarizationConfig(trigger=RemainingTokens(value=8000))


def test_custom_trims_load() -> None:
    pruning = load_config(HERE / "good" / "custom_trims.yaml").context_pruning
    assert (pruning.enabled, pruning.keep_last_assistants) == (True, 5)
    assert (pruning.soft_trim_ratio, pruning.hard_clear_ratio) == (0.25, 0.6)
    assert pruning.min_prunable_tool_chars == 30_000
    assert pruning.soft_trim == SoftTrim(max_chars=6000, head_chars=2500, tail_chars=2500)
    assert pruning.hard_clear == HardClear(placeholder="[Content removed for context management]")


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_a_file_is_read_by_its_path_as_text_too(path: Path) -> None:
    assert load_config(str(path)) == load_config(path)


def test_json_is_read_too(tmp_path: Path) -> None:
    path = tmp_path / "product.json"
    path.write_text('{"summarization": {"retainRecent": {"turns": 4, "tokens": 8000}}}')
    assert load_config(path).retain_recent == RetainRecent(turns=4, tokens=8000)


@pytest.mark.parametrize("text", ["", "summarization:\n", "summarization: {}\n", "# nothing\n"])
def test_an_empty_block_has_the_defaults(text: str, tmp_path: Path) -> None:
    path = tmp_path / "product.yaml"
    path.write_text(text)
    assert load_config(path) == SummarizationConfig()


def test_a_key_with_nothing_behind_it_has_its_default() -> None:
    block = {"reserveRatio": None, "trigger": None, "contextPruning": {"softTrim": None}}
    assert load_config({"summarization": block}) == SummarizationConfig()


def test_whole_numbers_may_be_written_with_a_point() -> None:
    assert load_config({"maxSummaryTokens": 4096.0}).max_summary_tokens == 4096
    assert load_config({"reserveRatio": 0}).reserve_ratio == 0.0


UNKNOWN: list[tuple[dict[str, Any], str]] = [
    (
        {"summarization": {"max_summary_tokens": 5}},
        "summarization.max_summary_tokens means nothing; did you mean maxSummaryTokens?",
    ),
    (
        {"summarization": {"contextPrunning": {"enabled": True}}},
        "summarization.contextPrunning means nothing; did you mean contextPruning?",
    ),
    (
        {"summarization": {"contextPruning": {"hardClear": {"placeHolder": "x"}}}},
        "summarization.contextPruning.hardClear.placeHolder means nothing; did you mean placeholder?",
    ),
    (
        {"summarization": {"trigger": {"type": "token_ratio", "value": 0.5, "values": 1}}},
        "summarization.trigger.values means nothing; did you mean value?",
    ),
    (
        {"summarization": {"retainRecent": {"colour": "blue"}}},
        "summarization.retainRecent.colour means nothing; known are turns, tokens",
    ),
    (
        {"version": "1.3.10", "sumarization": {"model": "gpt-4o-mini"}},
        "there is no summarization block; did you mean sumarization to be it?",
    ),
    (
        {"modell": "gpt-4o-mini"},
        "there is no summarization block; did you mean modell to be model?",
    ),
    (
        {"summarization": {3: "x"}},
        (
            "summarization.3 means nothing; known are enabled, provider, model, parameters, prompt, "
            "updatePrompt, maxSummaryTokens, reserveRatio, trigger, retainRecent, contextPruning"
        ),
    ),
    (
        {"summarization": {"retainRecent": {None: "x"}}},
        "summarization.retainRecent.null means nothing; known are turns, tokens",
    ),
    (
        {"version": "1.3.10", "cache": True},
        "there is no summarization block; all defaults apply",
    ),
]


@pytest.mark.parametrize(("document", "message"), UNKNOWN)
def test_an_unknown_key_is_a_warning(document: dict[str, Any], message: str) -> None:
    with pytest.warns(ConfigWarning) as caught:
        config = load_config(document)
    assert [str(each.message) for each in caught] == [message]
    assert caught[0].filename == __file__
    assert config.context_pruning == SummarizationConfig().context_pruning


def test_parameters_of_the_model_are_taken_as_they_are() -> None:
    parameters = {"temperature": 0.2, "stop": ["###"], "extra_body": {"top_k": None}}
    assert load_config({"parameters": parameters}).parameters == parameters


def test_a_mapping_is_not_changed() -> None:
    document = {"summarization": {"trigger": {"type": "token_ratio", "value": 0.5}, "model": None}}
    load_config(document)
    assert document == {
        "summarization": {"trigger": {"type": "token_ratio", "value": 0.5}, "model": None}
    }


def test_something_that_is_no_path_and_no_mapping_is_refused() -> None:
    with pytest.raises(OptionTypeError, match="source is 3; pass the path of a file, or a mapping"):
        load_config(3)  # type: ignore[arg-type]

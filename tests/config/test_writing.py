"""A configuration written out is the same when it is read again."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from chatfold.config import SummarizationConfig, load_config
from config.files import GOOD

shares = st.floats(0, 1)
counts = st.integers(1, 2**40)
naturals = st.integers(0, 2**40)
texts = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1)
triggers = st.one_of(
    st.fixed_dictionaries({"type": st.just("token_ratio"), "value": shares}),
    st.fixed_dictionaries(
        {"type": st.sampled_from(["remaining_tokens", "messages_to_refine"]), "value": counts}
    ),
)
trims = st.fixed_dictionaries(
    {}, optional={"maxChars": naturals, "headChars": naturals, "tailChars": naturals}
)
prunings = st.fixed_dictionaries(
    {},
    optional={
        "enabled": st.booleans(),
        "keepLastAssistants": st.integers(0, 10),
        "softTrimRatio": shares,
        "hardClearRatio": shares,
        "minPrunableToolChars": naturals,
        "softTrim": trims,
        "hardClear": st.fixed_dictionaries(
            {}, optional={"enabled": st.booleans(), "placeholder": texts}
        ),
    },
)
blocks = st.fixed_dictionaries(
    {},
    optional={
        "enabled": st.booleans(),
        "provider": texts,
        "model": texts,
        "parameters": st.dictionaries(texts, st.none() | st.booleans() | naturals | texts),
        "prompt": texts,
        "updatePrompt": texts,
        "maxSummaryTokens": counts,
        "reserveRatio": shares,
        "trigger": triggers,
        "retainRecent": st.fixed_dictionaries(
            {}, optional={"turns": st.integers(0, 20), "tokens": counts}
        ),
        "contextPruning": prunings,
    },
)


@given(blocks, st.booleans())
def test_what_is_written_loads_as_the_same(block: dict[str, Any], defaults: bool) -> None:  # noqa: FBT001
    config = load_config({"summarization": block})
    assert load_config(config.to_dict(defaults=defaults)) == config
    read = YAML(typ="safe", pure=True).load(config.to_yaml(defaults=defaults))
    assert load_config(read) == config


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_a_file_written_again_loads_as_the_same(path: Path, tmp_path: Path) -> None:
    config = load_config(path)
    again = tmp_path / "again.yaml"
    again.write_text(config.to_yaml(), encoding="utf-8")
    assert load_config(again) == config


def test_without_defaults_only_what_differs_is_written() -> None:
    assert SummarizationConfig().to_yaml(defaults=False) == "summarization: {}\n"
    config = load_config({"contextPruning": {"enabled": True, "softTrim": {"tailChars": 0}}})
    assert config.to_yaml(defaults=False) == (
        "summarization:\n  contextPruning:\n    enabled: true\n    softTrim:\n      tailChars: 0\n"
    )

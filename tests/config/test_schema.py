"""The schema and the loader allow the same."""

import json
import warnings
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from chatfold.config import ConfigError, config_schema, load_config
from config.files import BAD, GOOD

VALIDATOR = jsonschema.Draft202012Validator(config_schema())
NO_JSON = {"no_yaml", "same_key_twice", "reserve_ratio_is_no_number"}
"""What is wrong in these files is not in what they hold, or is no JSON."""

values = st.sampled_from(
    [
        *(None, True, False, -1, 0, 1, 2, 10, 11, 20, 21, 0.5, 1.0, 1.5, 3.0, -0.1, 10**9),
        *(1e20, 2**53, 2**53 - 1),
        *("", "x", "0.5", "token_ratio", "remaining_tokens", [], ["x"], {}, {"x": 1}),
    ]
)
odd = st.dictionaries(st.sampled_from(["summarize", "modell", "Value"]), values, max_size=1)


def block(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Make blocks with any of the keys, in which most values are of the right kind."""
    some = st.fixed_dictionaries({}, optional=fields)
    return st.one_of(
        some, some, some, st.builds(lambda one, two: {**one, **two}, some, odd), values
    )


shares = st.one_of(st.floats(0, 1), values)
wholes = st.one_of(st.integers(0, 12), values)
kinds = st.sampled_from(["token_ratio", "remaining_tokens", "messages_to_refine", None, 3, "x"])
pruning = block(
    enabled=st.one_of(st.booleans(), values),
    keepLastAssistants=wholes,
    softTrimRatio=shares,
    hardClearRatio=shares,
    minPrunableToolChars=wholes,
    softTrim=block(maxChars=wholes, headChars=wholes, tailChars=wholes),
    hardClear=block(enabled=values, placeholder=values),
)
summarization = block(
    enabled=st.one_of(st.booleans(), values),
    provider=values,
    model=values,
    parameters=values,
    prompt=values,
    updatePrompt=values,
    maxSummaryTokens=wholes,
    reserveRatio=shares,
    trigger=st.one_of(
        st.fixed_dictionaries({"type": kinds, "value": st.one_of(shares, wholes)}),
        block(type=kinds, value=shares),
    ),
    retainRecent=block(turns=wholes, tokens=wholes),
    contextPruning=pruning,
)
endpoint = st.one_of(odd, st.lists(st.one_of(odd, values), max_size=2), values)
endpoints = st.one_of(st.dictionaries(st.sampled_from(["openAI", "custom"]), endpoint), values)
documents = st.one_of(
    summarization,
    st.fixed_dictionaries({"summarization": summarization}, optional={"cache": values}),
    st.fixed_dictionaries({"endpoints": endpoints}, optional={"summarization": summarization}),
)


def loads(document: Any) -> bool:  # noqa: ANN401
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            load_config(document)
        except ConfigError:
            return False
    return True


@given(documents)
def test_what_loads_is_what_the_schema_allows(document: Any) -> None:  # noqa: ANN401
    if isinstance(document, dict):
        assert VALIDATOR.is_valid(document) == loads(document)


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_the_schema_allows_good_files(path: Path) -> None:
    VALIDATOR.validate(YAML(typ="safe", pure=True).load(path))


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_the_schema_refuses_bad_files(path: Path) -> None:
    if path.stem not in NO_JSON:
        document = json.loads(json.dumps(YAML(typ="safe", pure=True).load(path)))
        assert not VALIDATOR.is_valid(document)


def test_the_schema_is_a_schema_in_plain_json() -> None:
    schema = config_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert json.loads(json.dumps(schema)) == schema
    pruning = schema["$defs"]["ContextPruning"]["properties"]
    assert pruning["minPrunableToolChars"]["default"] == 50_000
    assert schema["$defs"]["SummarizationConfig"]["properties"]["reserveRatio"]["default"] == 0.05


def test_each_key_is_described() -> None:
    definitions = config_schema()["$defs"]
    assert len(definitions) == 8
    for name, block in definitions.items():
        assert "Attributes" not in block["description"]
        keys = {key for key in block["properties"] if key != "type"}
        assert all(block["properties"][key]["description"].endswith(".") for key in keys), name
    pruning = definitions["ContextPruning"]["properties"]
    assert pruning["minPrunableToolChars"]["description"] == "Shorter results are left alone."

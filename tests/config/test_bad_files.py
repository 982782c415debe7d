"""Bad files, each with the message that it opens with."""

import pickle
from pathlib import Path

import pytest

from chatfold import ChatfoldError
from chatfold.config import ConfigError, ConfigProblem, load_config
from config.files import BAD, HERE, pinned_message


def test_there_are_enough_of_them() -> None:
    assert len(BAD) >= 30


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_a_bad_file_is_refused_with_the_message_that_it_opens_with(path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    assert str(caught.value) == pinned_message(path)


def test_problems_can_be_read_one_by_one() -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(HERE / "bad" / "several_at_once.yaml")
    assert caught.value.problems[0] == ConfigProblem(
        "summarization.maxSummaryTokens", -1, "a whole number of at least 1"
    )
    assert len(caught.value.problems) == 6


def test_the_error_is_a_value_error_of_chatfold_and_can_be_pickled() -> None:
    with pytest.raises(ConfigError) as caught:
        load_config({"reserveRatio": 2})
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, ChatfoldError)
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 (our own)
    assert (str(again), again.problems) == (str(caught.value), caught.value.problems)


def test_a_long_value_is_not_shown_at_any_length() -> None:
    with pytest.raises(ConfigError) as caught:
        load_config({"maxSummaryTokens": "many " * 1_000})
    assert len(str(caught.value)) < 200


def test_a_parameter_whose_name_is_no_text_is_refused() -> None:
    with pytest.raises(ConfigError) as caught:
        load_config({"summarization": {"parameters": {3: "x"}}})
    assert str(caught.value) == "summarization.parameters.3 is 3; write keys that are texts"

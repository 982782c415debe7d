"""Files with removed fields become files that load."""

from pathlib import Path
from typing import Any

import pytest

from chatfold import OptionError
from chatfold.config import ConfigError, SummarizationConfig, load_config, migrate_config
from config.files import GOOD, HERE

REMOVED = HERE / "bad" / "removed_fields.yaml"


def test_the_removed_fields_become_a_block() -> None:
    migrated = migrate_config(REMOVED)
    assert migrated == {
        "endpoints": {"custom": [{"name": "My Endpoint"}]},
        "summarization": {"model": "gpt-3.5-turbo"},
    }
    assert load_config(migrated) == SummarizationConfig(model="gpt-3.5-turbo")


def test_the_model_is_the_users_choice() -> None:
    migrated = migrate_config(REMOVED, model="gpt-4o-mini")
    shape = load_config(HERE / "good" / "migrated.yaml")
    assert load_config(migrated) == shape


def test_the_block_that_the_error_shows_is_the_one_that_is_written() -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(REMOVED)
    assert str(caught.value).endswith("summarization:\n  model: gpt-3.5-turbo")


def test_a_written_file_keeps_comments_quotes_and_order(tmp_path: Path) -> None:
    path = tmp_path / "product.yaml"
    path.write_text(
        "# our product\n"
        "version: 1.3.10\n"
        "endpoints:\n"
        "  custom:\n"
        "    - name: 'My Endpoint'  # the first\n"
        "      summarize: true\n"
        "      summaryModel: 'gpt-3.5-turbo'\n"
        "cache: true\n"
    )
    migrate_config(path, to=path)
    assert path.read_text() == (
        "# our product\n"
        "version: 1.3.10\n"
        "endpoints:\n"
        "  custom:\n"
        "    - name: 'My Endpoint'  # the first\n"
        "cache: true\n"
        "summarization:\n"
        "  model: gpt-3.5-turbo\n"
    )
    assert [each.name for each in tmp_path.iterdir()] == ["product.yaml"]
    assert load_config(path).model == "gpt-3.5-turbo"


def test_nothing_is_written_where_that_fails(tmp_path: Path) -> None:
    path = tmp_path / "product.yaml"
    before = "endpoints:\n  openAI:\n    summarize: true\nsummarization:\n  reserveRatio: 2\n"
    path.write_text(before)
    with pytest.raises(ConfigError, match=r"summarization\.reserveRatio is 2"):
        migrate_config(path, to=path)
    assert path.read_text() == before


MAPPINGS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"openAI": {"summarize": True}}, {"enabled": True}),
    ({"openAI": {"summarize": False}}, {"enabled": False}),
    ({"openAI": {"summarize": False}, "google": {"summarize": True}}, {"enabled": True}),
    ({"openAI": {"summaryModel": "current_model"}}, {"enabled": True}),
    (
        {"openAI": {"summarize": False, "summaryModel": "gpt-4o"}},
        {"enabled": False, "model": "gpt-4o"},
    ),
]


@pytest.mark.parametrize(("endpoints", "block"), MAPPINGS)
def test_the_block_says_what_the_fields_said(
    endpoints: dict[str, Any], block: dict[str, Any]
) -> None:
    assert migrate_config({"endpoints": endpoints})["summarization"] == block


def test_a_block_that_is_there_keeps_what_it_says() -> None:
    document = {
        "summarization": {"model": "gpt-4o-mini", "reserveRatio": 0.1},
        "endpoints": {"custom": [{"name": "One", "summaryModel": "gpt-3.5-turbo"}]},
    }
    before = repr(document)
    migrated = migrate_config(document)
    assert migrated["summarization"] == {"model": "gpt-4o-mini", "reserveRatio": 0.1}
    assert repr(document) == before


def test_different_models_need_a_choice() -> None:
    path = HERE / "bad" / "removed_models_differ.yaml"
    with pytest.raises(OptionError, match=r"name gpt-4o-mini, gpt-4\.1-mini; pass the one"):
        migrate_config(path)
    assert migrate_config(path, model="gpt-4o")["summarization"] == {"model": "gpt-4o"}


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_a_file_without_removed_fields_stays_as_it_is(path: Path, tmp_path: Path) -> None:
    migrate_config(path, to=tmp_path / "same.yaml")
    assert load_config(tmp_path / "same.yaml") == load_config(path)


def test_keys_of_the_same_name_elsewhere_are_not_meant() -> None:
    document = {"interface": {"summarize": True}, "summarization": {"model": "gpt-4o"}}
    assert migrate_config(document) == document

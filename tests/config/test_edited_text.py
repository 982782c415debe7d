"""A migrated file keeps every byte that is not about the removed fields."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from chatfold.config import ConfigError, load_config, migrate_config


def migrated(text: str, folder: Path, encoding: str = "utf-8") -> str:
    path = folder / "product.yaml"
    path.write_bytes(text.encode(encoding))
    told = migrate_config(path, to=path)
    config = load_config(path)
    assert load_config({"summarization": told["summarization"]}) == config
    return path.read_bytes().decode(encoding)


CASES: dict[str, tuple[str, str]] = {
    "comments_around_them": (
        (
            "endpoints:\n"
            "  azureOpenAI:\n"
            "    # switch it on\n"
            "    summarize: true\n"
            "    summaryModel: 'm'  # of this line\n"
            "    # the title\n"
            "    titleModel: t\n"
            "  custom:\n"
            "  - name: One\n"
            "    summaryModel: m\n"
            "    # the last of One\n"
            "\n"
            "# about files\n"
            "fileConfig:\n"
            "    limit: 1_000\n"
        ),
        (
            "endpoints:\n"
            "  azureOpenAI:\n"
            "    # switch it on\n"
            "    # the title\n"
            "    titleModel: t\n"
            "  custom:\n"
            "  - name: One\n"
            "    # the last of One\n"
            "\n"
            "# about files\n"
            "fileConfig:\n"
            "    limit: 1_000\n"
            "summarization:\n"
            "  model: m\n"
        ),
    ),
    "fields_that_are_merged_in": (
        (
            "base: &base\n"
            "  summarize: true\n"
            "  summaryModel: m\n"
            "  titleConvo: true\n"
            "endpoints:\n"
            "  custom:\n"
            "    - name: One\n"
            "      <<: *base\n"
        ),
        (
            "base: &base\n"
            "  titleConvo: true\n"
            "endpoints:\n"
            "  custom:\n"
            "    - name: One\n"
            "      <<: *base\n"
            "summarization:\n"
            "  model: m\n"
        ),
    ),
    "fields_that_are_merged_in_on_the_spot": (
        "endpoints: {openAI: {<<: {summarize: true, titleModel: t}, summaryModel: m}}\n",
        "endpoints: {openAI: {<<: {titleModel: t}}}\nsummarization:\n  model: m\n",
    ),
    "many_fields_of_many": (
        (
            "endpoints:\n"
            "  openAI: {summaryModel: m, summarize: true, titleModel: t}\n"
            "  custom:\n"
            "    - summarize: true\n"
            "      name: One\n"
            "      summaryModel: m  # ours\n"
            "    - {name: Two, summaryModel: m, summarize: false}\n"
            "    - name: Three\n"
            "      # of Three\n"
            "      summaryModel:\n"
            "        m\n"
            "      summarize: true\n"
        ),
        (
            "endpoints:\n"
            "  openAI: {titleModel: t}\n"
            "  custom:\n"
            "    - name: One\n"
            "    - {name: Two}\n"
            "    - name: Three\n"
            "      # of Three\n"
            "summarization:\n"
            "  model: m\n"
        ),
    ),
    "endpoints_that_are_one": (
        "endpoints:\n  google: &own\n    summarize: false\n    titleModel: t\n  openAI: *own\n",
        (
            "endpoints:\n  google: &own\n    titleModel: t\n  openAI: *own\n"
            "summarization:\n  enabled: false\n"
        ),
    ),
    "a_value_that_is_an_alias": (
        "model: &m gpt-4o\nendpoints:\n  openAI:\n    summaryModel: *m  # ours\n    titleModel: *m\n",
        (
            "model: &m gpt-4o\nendpoints:\n  openAI:\n    titleModel: *m\n"
            "summarization:\n  model: gpt-4o\n"
        ),
    ),
    "fields_in_one_line": (
        "endpoints: {custom: [{name: One, summarize: true, summaryModel: m}, {summaryModel: m}]}\n",
        "endpoints: {custom: [{name: One}, {}]}\nsummarization:\n  model: m\n",
    ),
    "the_first_key_behind_a_dash": (
        "endpoints:\n  custom:\n    - summarize: true\n      name: One\n    - summaryModel: m\n",
        "endpoints:\n  custom:\n    - name: One\n    - {}\nsummarization:\n  model: m\n",
    ),
    "a_comment_behind_the_dash": (
        "endpoints:\n  custom:\n    - summarize: true\n      # ours\n      name: One\n",
        (
            "endpoints:\n  custom:\n    - \n      # ours\n      name: One\n"
            "summarization:\n  enabled: true\n"
        ),
    ),
    "a_folded_value": (
        "endpoints:\n  openAI:\n    summaryModel: >-\n      gpt-4o\n    titleModel: t\n",
        "endpoints:\n  openAI:\n    titleModel: t\nsummarization:\n  model: gpt-4o\n",
    ),
    "a_value_that_is_not_there": (
        "endpoints:\n  openAI:\n    summarize:\n    titleModel: t\n",
        "endpoints:\n  openAI:\n    titleModel: t\nsummarization:\n  enabled: true\n",
    ),
    "a_block_that_is_there": (
        (
            "summarization:  # ours\n"
            "    # when\n"
            "    trigger:\n"
            "        {type: token_ratio, value: 0.8}\n"
            "endpoints:\n"
            "  openAI: {summarize: false, summaryModel: m, titleModel: t}"
        ),
        (
            "summarization:  # ours\n"
            "    # when\n"
            "    enabled: false\n"
            "    model: m\n"
            "    trigger:\n"
            "        {type: token_ratio, value: 0.8}\n"
            "endpoints:\n"
            "  openAI: {titleModel: t}"
        ),
    ),
    "a_block_in_one_line": (
        "summarization: {reserveRatio: 0.1}  # ours\nendpoints: {openAI: {summaryModel: m}}\n",
        'summarization: {"model": "m", reserveRatio: 0.1}  # ours\nendpoints: {openAI: {}}\n',
    ),
    "a_block_that_is_empty": (
        "summarization: {}\nendpoints: {openAI: {summaryModel: m}}\n",
        'summarization: {"model": "m"}\nendpoints: {openAI: {}}\n',
    ),
    "a_block_without_a_value": (
        "summarization: ~  # ours\nendpoints: {openAI: {summaryModel: m}}\n",
        "summarization:  # ours\n  model: m\nendpoints: {openAI: {}}\n",
    ),
    "a_model_that_the_block_names": (
        "summarization:\n  model: own\nendpoints: {openAI: {summaryModel: m}}\n",
        "summarization:\n  model: own\nendpoints: {openAI: {}}\n",
    ),
    "an_end_of_the_document": (
        "---\nendpoints: {openAI: {summaryModel: m}}\n...\n",
        "---\nendpoints: {openAI: {}}\nsummarization:\n  model: m\n...\n",
    ),
    "lines_of_windows": (
        "endpoints:\r\n  openAI:\r\n    summaryModel: m\r\n    # t\r\n    titleModel: t\r\n",
        (
            "endpoints:\r\n  openAI:\r\n    # t\r\n    titleModel: t\r\n"
            "summarization:\r\n  model: m\r\n"
        ),
    ),
    "json": (
        '{"endpoints": {"custom": [{"name": "One", "summaryModel": "m"}]}, "cache": true}\n',
        (
            '{"endpoints": {"custom": [{"name": "One"}]}, "cache": true, '
            '"summarization": {"model": "m"}}\n'
        ),
    ),
    "json_with_an_empty_block": (
        '{"summarization": null, "endpoints": {"openAI": {"summarize": false}}}',
        '{"summarization": {"enabled": false}, "endpoints": {"openAI": {}}}',
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_file_keeps_all_else_as_it_is(name: str, tmp_path: Path) -> None:
    before, after = CASES[name]
    assert migrated(before, tmp_path) == after
    assert [each.name for each in tmp_path.iterdir()] == ["product.yaml"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_file_keeps_its_encoding(encoding: str, tmp_path: Path) -> None:
    before, after = CASES["comments_around_them"]
    before, after = before.replace("One", "Café"), after.replace("One", "Café")
    assert migrated(before, tmp_path, encoding) == after


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    own, link = tmp_path / "shared" / "product.yaml", tmp_path / "product.yaml"
    own.write_text("endpoints: {openAI: {summaryModel: m}}\n")
    link.symlink_to(own)
    migrate_config(link, to=link)
    assert link.is_symlink()
    assert load_config(own).model == "m"


def test_a_file_that_cant_be_edited_stays_and_its_block_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "product.yaml"
    before = "mine: &mine\n  reserveRatio: 0.1\nsummarization: *mine\n"
    path.write_text(before + "endpoints: {openAI: {summaryModel: m}}\n")
    with pytest.raises(ConfigError, match="can be edited; take the fields out by hand") as caught:
        migrate_config(path, to=path)
    assert str(caught.value).endswith("summarization:\n  model: m\n  reserveRatio: 0.1")
    assert path.read_text().startswith(before)


@pytest.mark.parametrize("block", ["3", "[]", "true"])
def test_a_block_that_is_none_is_refused(block: str, tmp_path: Path) -> None:
    path = tmp_path / "product.yaml"
    path.write_text(f"endpoints: {{openAI: {{summaryModel: m}}}}\nsummarization: {block}\n")
    with pytest.raises(ConfigError, match=r"summarization is .*; write a block of keys"):
        migrate_config(path, to=path)
    with pytest.raises(ConfigError, match="2 values of the configuration are not allowed"):
        load_config(path)


keys = st.sampled_from(["name", "apiKey", "titleModel", "titleConvo", "iconURL"])
lines = st.one_of(
    keys.map(lambda key: f"{key}: some {key}"),
    st.just("summarize: true"),
    st.sampled_from(["summaryModel: 'm'  # ours", "summaryModel: m"]),
    st.sampled_from(["# a comment", ""]),
)
endpoints = st.lists(lines, min_size=1, max_size=8, unique_by=lambda line: line.split(":")[0])


def _is_removed(line: str) -> bool:
    return line.strip().startswith(("summarize", "summaryModel"))


def test_a_file_is_parsed_a_few_times_however_many_fields_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    composed = []
    compose = YAML.compose

    def counted(yaml: YAML, text: str) -> object:
        composed.append(len(text))
        return compose(yaml, text)

    monkeypatch.setattr(YAML, "compose", counted)
    counts = []
    for endpoints in (3, 30):
        lines = [
            f"    - name: e{number}\n      summarize: true\n      summaryModel: m\n"
            for number in range(endpoints)
        ]
        composed.clear()
        after = migrated(f"endpoints:\n  custom:\n{''.join(lines)}", tmp_path)
        assert after.count("name: e") == endpoints
        counts.append(len(composed))
    assert counts == [counts[0]] * 2


@given(st.lists(endpoints, min_size=1, max_size=4), st.sampled_from(["", "cache: true", "# end"]))
def test_every_other_line_stays(blocks: list[list[str]], last: str) -> None:
    written = ["# a file", "endpoints:", "  custom:"]
    for number, block in enumerate(blocks):
        written += [f"    - id: {number}", *(f"      {line}" for line in block)]
    text = "\n".join([*written, last, ""])
    if not any(map(_is_removed, written)):
        return
    with TemporaryDirectory() as folder:
        after = migrated(text, Path(folder))
    kept = [line for line in text.splitlines() if not _is_removed(line)]
    assert after.splitlines()[: len(kept)] == kept
    assert after.splitlines()[len(kept)] == "summarization:"

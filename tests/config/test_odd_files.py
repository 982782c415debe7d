"""Files as people and programs write them: encodings, line ends, anchors, JSON, and what is broken."""

import json
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatfold.config import ConfigError, ConfigWarning, SummarizationConfig, load_config
from config.files import written

BLOCK = "summarization:\n  model: café\n  retainRecent: {turns: 4}\n"
SAME = {
    "utf-8": BLOCK.encode(),
    "a_mark": BLOCK.encode("utf-8-sig"),
    "utf-16-le": b"\xff\xfe" + BLOCK.encode("utf-16-le"),
    "utf-16-be": b"\xfe\xff" + BLOCK.encode("utf-16-be"),
    "lines_of_windows": BLOCK.replace("\n", "\r\n").encode(),
    "lines_of_old_macs": BLOCK.replace("\n", "\r").encode(),
    "no_last_line_end": BLOCK.rstrip().encode(),
    "a_document_start": b"---\n" + BLOCK.encode() + b"...\n",
    "quoted_keys": b"'summarization':\n  \"model\": 'caf\xc3\xa9'\n  retainRecent: {'turns': 4}\n",
    "tabs": b"summarization:\t# ours\n  model:\tcaf\xc3\xa9\t\n\t\n  retainRecent: {turns:\t4}\n",
    "anchors": (
        "recent: &recent {turns: 4}\nname: &name café\n"
        "summarization:\n  model: *name\n  retainRecent: *recent\n"
    ).encode(),
    "merged": (
        "base: &base\n  model: other\n  retainRecent: {turns: 4}\n"
        "summarization:\n  <<: *base\n  model: café\n"
    ).encode(),
    "json": json.dumps({"summarization": {"model": "café", "retainRecent": {"turns": 4}}}).encode(),
    "json_with_a_mark_and_tabs": json.dumps(
        {"summarization": {"model": "café", "retainRecent": {"turns": 4}}},
        indent="\t",
        ensure_ascii=False,
    ).encode("utf-8-sig"),
    "numbers_in_other_ways": (
        "summarization:\n  model: café\n  retainRecent: {turns: 0x4}\n  reserveRatio: 5.0e-2\n"
        "  contextPruning: {minPrunableToolChars: 50_000, softTrim: {maxChars: +4e3}}\n"
    ).encode(),
}


@pytest.mark.parametrize("name", SAME)
def test_a_file_says_the_same_however_it_is_written(name: str, tmp_path: Path) -> None:
    expected = SummarizationConfig.model_validate({"model": "café", "retain_recent": {"turns": 4}})
    assert load_config(written(tmp_path, SAME[name])) == expected


@pytest.mark.parametrize("content", ["", "\ufeff", "  \n\n", "---\n", "# nothing\n", "{}", "null"])
def test_a_file_without_anything_has_the_defaults(content: str, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert load_config(written(tmp_path, content)) == SummarizationConfig()


def test_what_json_writes_as_two_halves_is_one_letter(tmp_path: Path) -> None:
    block = {"prompt": "Sum it up 🎉", "parameters": {"🎉": ["🎉"]}}
    path = written(tmp_path, json.dumps({"summarization": block}))
    assert "\\ud83c" in path.read_text()
    config = load_config(path)
    assert (config.prompt, config.parameters) == ("Sum it up 🎉", {"🎉": ["🎉"]})
    with pytest.raises(ConfigError, match=r"prompt is '\\ud83c'; write a text without lone"):
        load_config(written(tmp_path, '{"summarization": {"prompt": "\\ud83c"}}'))


BROKEN: list[tuple[str | bytes, str]] = [
    (b"summarization:\n  prompt: caf\xe9\n", "FILE, line 2 is no UTF-8; save the file as UTF-8"),
    (b"\xff\xfea\x00\n\x00b", "FILE, line 2 is no UTF-16; save the file as UTF-8"),
    ("a: b\n\x00", "FILE, line 2 has the character U+0000; YAML takes none, remove it"),
    ("a: b\x1b[0m", "FILE, line 1 has the character U+001B; YAML takes none, remove it"),
    (
        "cache: true\nversion: 1\ncache: false\n",
        (
            'FILE, line 3 is no YAML: found duplicate key "cache" with value "False" (original value: '
            '"True")'
        ),
    ),
    (
        '{"summarization": {"model": "a", "model": "b"}}',
        (
            'FILE, line 1 is no YAML: found duplicate key "model" with value "b" (original value: "a")'
        ),
    ),
    ("summarization: *none\n", "FILE, line 1 is no YAML: found undefined alias 'none'"),
    (
        "summarization: !ours {model: m}\n",
        "FILE, line 1 is no YAML: could not determine a constructor for the tag '!ours'",
    ),
    ("a: b\n---\nsummarization:\n", "FILE, line 2 is no YAML: but found another document"),
    (
        f"summarization:\n  maxSummaryTokens: {'9' * 5_000}\n",
        "summarization.maxSummaryTokens is inf; write a whole number of at least 1",
    ),
]


@pytest.mark.parametrize(("content", "message"), BROKEN)
def test_a_broken_file_is_told_with_its_line(
    content: str | bytes, message: str, tmp_path: Path
) -> None:
    path = written(tmp_path, content)
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    assert str(caught.value) == message.replace("FILE", str(path))


def test_a_file_that_is_not_there_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load_config(tmp_path / "none.yaml")
    with pytest.raises(IsADirectoryError):
        load_config(tmp_path)


def test_the_names_of_an_environment_are_left_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUMMARY_MODEL", "gpt-4o")
    path = written(tmp_path, "summarization:\n  model: ${SUMMARY_MODEL}\n  provider: '${P}'\n")
    config = load_config(path)
    assert (config.model, config.provider) == ("${SUMMARY_MODEL}", "${P}")


letters = st.characters(exclude_categories=["Cs"])
pieces = st.sampled_from(
    [*"-#'\"\\:\t\x85\u2028\x00\x1b\ufeff\ufffe\r\n é😀", "  ", "\r\n", "word "]
)
texts = st.text(letters, min_size=1) | st.lists(pieces, min_size=1, max_size=2_000).map("".join)


@given(text=texts, parameters=st.dictionaries(texts, texts, max_size=2))
def test_any_text_is_read_as_it_was_written(text: str, parameters: dict[str, str]) -> None:
    config = load_config({"prompt": text, "parameters": parameters})
    assert load_config({"summarization": config.to_dict()["summarization"]}) == config
    with TemporaryDirectory() as folder:
        assert load_config(written(Path(folder), config.to_yaml())) == config


def test_a_file_without_the_block_is_told_of(tmp_path: Path) -> None:
    with pytest.warns(ConfigWarning, match="there is no summarization block; all defaults apply"):
        assert load_config(written(tmp_path, "cache: true\n")) == SummarizationConfig()

"""Files with removed fields that are written in odd ways, or say odd things."""

import json
from pathlib import Path
from typing import Any

import pytest

from chatfold.config import ConfigError, SummarizationConfig, load_config, migrate_config
from config.files import written

PRODUCT = """\
# A whole file of a product; most of it is not about summaries.
version: 1.3.17
cache: true
interface:
  customWelcome: 'Hello!'
  termsOfService:
    modalContent: |
      # Terms
      summarize: true
      summaryModel: none
  agents:
    use: true
registration:
  socialLogins: ['github', 'google']
# summarization:
#   model: an-old-thought
endpoints:
  all: &all
    titleConvo: true  # titles
    summarize: true
  azureOpenAI:
    <<: *all
    titleModel: 'gpt-4o'
    plugins: true
    groups:
      - group: "east"
        apiKey: "${AZURE_KEY}"
        models:
          gpt-4o: {deploymentName: gpt-4o, version: "2024-08-06"}
  custom:
    - name: 'groq'
      apiKey: '${GROQ_API_KEY}'
      baseURL: 'https://example.org/v1/'
      models: {default: ['llama'], fetch: false}
      titleConvo: true
      # The model of its summaries.
      summarize: false
      summaryModel: 'mistral'
      modelDisplayLabel: 'groq'
    - name: 'Mistral'  # another one
      summaryModel: "mistral"
  agents:
    recursionLimit: 50
    capabilities: ["tools", "context"]
fileConfig:
  endpoints:
    agents: {fileLimit: 5, disabled: false}
mcpServers:
  files: {command: npx, args: ['-y', 'server', "/home"]}
"""


def test_a_whole_product_file_with_old_fields_in_many_endpoints_is_migrated(tmp_path: Path) -> None:
    path = written(tmp_path, PRODUCT)
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    assert [problem.path for problem in caught.value.problems] == [
        "endpoints.all.summarize",
        "endpoints.azureOpenAI.summarize",
        "endpoints.custom[0].summarize",
        "endpoints.custom[0].summaryModel",
        "endpoints.custom[1].summaryModel",
    ]
    assert str(caught.value).endswith(":\n\nsummarization:\n  model: mistral")
    migrate_config(path, to=path)
    gone = {
        "    summarize: true",
        "      summarize: false",
        "      summaryModel: 'mistral'",
        '      summaryModel: "mistral"',
    }
    kept = [line for line in PRODUCT.splitlines() if line not in gone]
    assert path.read_text().splitlines() == [*kept, "summarization:", "  model: mistral"]
    assert load_config(path) == SummarizationConfig(model="mistral")
    again = path.read_bytes()
    migrate_config(path, to=path)
    assert path.read_bytes() == again


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_migrated_file_keeps_the_order_of_its_bytes(encoding: str, tmp_path: Path) -> None:
    before = "\ufeffendpoints:\n  openAI: {summarize: true, titleModel: t}\n"
    path = written(tmp_path, before.encode(encoding))
    migrate_config(path, to=path)
    after = "\ufeffendpoints:\n  openAI: {titleModel: t}\nsummarization:\n  enabled: true\n"
    assert path.read_bytes() == after.encode(encoding)


def test_json_with_letters_in_two_halves_is_migrated(tmp_path: Path) -> None:
    document = {"title": "🎉", "endpoints": {"openAI": {"summarize": True, "titleModel": "t"}}}
    path = written(tmp_path, json.dumps(document))
    migrate_config(path, to=path)
    assert json.loads(path.read_text()) == {
        "title": "🎉",
        "endpoints": {"openAI": {"titleModel": "t"}},
        "summarization": {"enabled": True},
    }
    assert "\\ud83c\\udf89" in path.read_text()


def test_a_value_that_is_used_again_elsewhere_is_not_cut_out(tmp_path: Path) -> None:
    before = "endpoints:\n  openAI:\n    summaryModel: &m gpt-4o\n    titleModel: *m\n"
    path = written(tmp_path, before)
    with pytest.raises(ConfigError, match="can be edited; take the fields out by hand") as caught:
        migrate_config(path, to=path)
    assert str(caught.value).endswith("summarization:\n  model: gpt-4o")
    assert path.read_text() == before


def test_a_file_that_holds_itself_is_refused(tmp_path: Path) -> None:
    before = "ours: &ours\n  again: *ours\nendpoints:\n  openAI:\n    summarize: true\n"
    path = written(tmp_path, before)
    with pytest.raises(ConfigError, match=r"product\.yaml holds itself, or is nested too deeply"):
        migrate_config(path, to=path)
    assert path.read_text() == before


NEVER: list[tuple[dict[str, Any], str]] = [
    ({"summarize": "no"}, "summarize is 'no'; write true or false"),
    ({"summarize": 0}, "summarize is 0; write true or false"),
    ({"summaryModel": ["a", "b"]}, "summaryModel is ['a', 'b']; write a name, or pass model"),
    ({"summaryModel": 4}, "summaryModel is 4; write a name, or pass model"),
]


@pytest.mark.parametrize(("endpoint", "message"), NEVER)
def test_a_removed_field_that_says_nothing_is_not_guessed_at(
    endpoint: dict[str, Any], message: str
) -> None:
    """A word for false in older YAML must not turn summaries on."""
    document = {"endpoints": {"custom": [{"name": "One", **endpoint}]}}
    with pytest.raises(ConfigError) as caught:
        migrate_config(document)
    assert str(caught.value) == f"endpoints.custom[0].{message}"
    if "summaryModel" in endpoint:
        chosen = migrate_config(document, model="gpt-4o")
        assert chosen["summarization"] == {"model": "gpt-4o"}

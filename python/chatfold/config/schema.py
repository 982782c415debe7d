"""The JSON Schema of a file: it allows what loads, and refuses what does not."""

import re
from typing import Any

from pydantic.alias_generators import to_camel

from chatfold.config.removed import ENDPOINTS, MODEL, SWITCH
from chatfold.config.summarization import BLOCK, SummarizationConfig

_NAME = SummarizationConfig.__name__
_REMOVED = {"not": {}, "description": f"Removed: the {BLOCK} block has replaced it."}
_ENDPOINT = {"properties": {SWITCH: _REMOVED, MODEL: _REMOVED}}


def config_schema() -> dict[str, Any]:
    """Give the JSON Schema of what :func:`load_config` takes, for editors and forms.

    That is a file with a ``summarization`` block, or the block alone.
    """
    block = SummarizationConfig.model_json_schema(by_alias=True)
    definitions = {**block.pop("$defs"), _NAME: block}
    for each in definitions.values():
        _describe(each)
        _allow_empty(each)
    reference = {"$ref": f"#/$defs/{_NAME}"}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            BLOCK: {"anyOf": [reference, {"type": "null"}]},
            ENDPOINTS: {"additionalProperties": {**_ENDPOINT, "items": _ENDPOINT}},
        },
        "if": {"not": {"required": [BLOCK]}},
        "then": reference,
        "$defs": definitions,
    }


def _allow_empty(block: dict[str, Any]) -> None:
    """Let keys stand without a value where they have a default."""
    needed = block.get("required", ())
    for key, value in block["properties"].items():
        if key not in needed and {"type": "null"} not in value.get("anyOf", ()):
            about = {name: value.pop(name) for name in ("default", "description") if name in value}
            block["properties"][key] = {"anyOf": [value, {"type": "null"}], **about}


def _describe(block: dict[str, Any]) -> None:
    """Say of each key what the docstring of its block says, and of the block the rest."""
    # Docstrings may have been left out of the program.
    about, _, attributes = block.get("description", "").partition("\n\nAttributes:\n")
    block["description"] = about
    for line in re.split(r"\n    (?=\w)", "\n" + attributes)[1:]:
        name, _, words = line.partition(": ")
        value = block["properties"][to_camel(name)]
        value["description"] = " ".join(words.split())
    for value in block["properties"].values():
        value.pop("title", None)

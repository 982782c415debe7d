"""Turns a file with removed fields into one that can be used."""

import os
import shutil
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from chatfold._options import text
from chatfold.config.loading import load_config
from chatfold.config.removed import named_models, removed_fields, replacement
from chatfold.config.summarization import BLOCK
from chatfold.config.yaml_files import Source, read_yaml, write_yaml
from chatfold.errors import OptionError


def migrate_config(
    source: Source, *, model: str | None = None, to: str | os.PathLike[str] | None = None
) -> dict[str, Any]:
    """Replace the removed fields ``summarize`` and ``summaryModel`` by a ``summarization`` block.

    Args:
        source: The path of a file, or a mapping; neither is changed.
        model: The model that writes summaries; by default the one that the removed fields name.
        to: Where to write the new file, in which all else stands as in the old one, comments too;
            the path of the old one is allowed. By default none is written.

    Returns:
        What the new file holds; what the old one held where nothing was removed from it.

    Raises:
        OptionError: The removed fields name different models; pass ``model``.
        ConfigError: The block that comes out is not allowed, or the file is no YAML.
    """
    if isinstance(source, Mapping):
        document: Any = deepcopy(dict(source))
    else:
        document = read_yaml(source, with_comments=True)
    removed = removed_fields(document)
    if removed:
        block = replacement(document, _chosen(document, model))
        for each in removed:
            del each.endpoint[each.key]  # type: ignore[attr-defined]  # it is a copy of ours
        document[BLOCK] = block or {"enabled": True}
        load_config(document)
    if to is not None:
        _write(document, Path(to))
    return _plain(document)  # type: ignore[no-any-return]  # a mapping stays one


def _chosen(document: Mapping[str, Any], model: str | None) -> str | None:
    if model is not None:
        return text("model", model)
    models = named_models(document)
    if len(models) > 1:
        raise OptionError(
            f"model is None, and the removed fields name {', '.join(models)}; pass the one that "
            "writes all summaries"
        )
    return models[0] if models else None


def _write(document: Mapping[str, Any], path: Path) -> None:
    """Write a file that appears whole or not at all."""
    with TemporaryDirectory(dir=path.parent, prefix=".migrated-") as folder:
        written = Path(folder) / path.name
        with written.open("w", encoding="utf-8", newline="\n") as file:
            write_yaml(document, file)
        if path.exists():
            shutil.copymode(path, written)
        written.replace(path)


def _plain(value: Any) -> Any:  # noqa: ANN401 (any JSON)
    """Give plain types in the place of those that remember comments."""
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    for kind in (bool, int, float, str):
        if isinstance(value, kind):
            return kind(value)
    return value

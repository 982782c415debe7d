"""Turns a file with removed fields into one that can be used."""

import os
import shutil
from collections.abc import Iterable, Mapping
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from types import NoneType
from typing import Any

from ruamel.yaml.error import YAMLError

from chatfold import _options
from chatfold.config.edited_text import edited
from chatfold.config.loading import load_config
from chatfold.config.problems import ConfigError, ConfigProblem
from chatfold.config.removed import (
    MODEL,
    SWITCH,
    Removed,
    named_models,
    removed_fields,
    replacement,
    shown_block,
)
from chatfold.config.summarization import BLOCK
from chatfold.config.values import plain
from chatfold.config.yaml_files import Source, parsed, read_text, read_yaml, write_yaml
from chatfold.errors import OptionError


def migrate_config(
    source: Source, *, model: str | None = None, to: str | os.PathLike[str] | None = None
) -> dict[str, Any]:
    """Replace the removed fields ``summarize`` and ``summaryModel`` by a ``summarization`` block.

    Args:
        source: The path of a file, or a mapping; neither is changed.
        model: The model that writes summaries; by default the one that the removed fields name.
        to: Where to write the new file, in which all else stands byte for byte as in the old one,
            comments too; the path of the old one is allowed. By default none is written.

    Returns:
        What the new file holds; what the old one held where nothing was removed from it.

    Raises:
        OptionError: The removed fields name different models; pass ``model``.
        ConfigError: A removed field has a value that it never could have, the block that comes out
            is not allowed, or the file is no YAML, or one that can't be edited as it is written.
    """
    try:
        document = plain(source if isinstance(source, Mapping) else read_yaml(source))
    except RecursionError as error:
        what = "it" if isinstance(source, Mapping) else f"{source}"
        raise ConfigError.unreadable(
            f"{what} holds itself, or is nested too deeply; make it flatter"
        ) from error
    removed = removed_fields(document)
    if removed:
        _check(removed, model)
        block = replacement(document, _chosen(document, model)) or {"enabled": True}
        for each in removed:
            # Endpoints may be one and the same object.
            each.endpoint.pop(each.key, None)  # type: ignore[attr-defined]  # it is a copy of ours
        if isinstance(document.get(BLOCK), (dict, NoneType)):
            document[BLOCK] = block
        load_config(document)
    if to is not None:
        _write(_bytes(source, document, changed=bool(removed)), Path(to).resolve())
    return document  # type: ignore[no-any-return]  # a mapping stays one


def _bytes(source: Source, document: dict[str, Any], *, changed: bool) -> bytes:
    """Give what the new file holds."""
    if isinstance(source, Mapping):
        stream = StringIO()
        write_yaml(document, stream)
        return stream.getvalue().encode()
    if not changed:
        return Path(source).read_bytes()
    written = read_text(source)
    try:
        text = edited(written.text, document[BLOCK])
        holds = _holds(text, document)
    except YAMLError:
        # Such as an alias of a value that is gone.
        text, holds = "", False
    if not holds:
        raise ConfigError.unreadable(
            f"{source} is not written in a way that can be edited; take the fields out by hand, and "
            f"write:\n\n{shown_block(document[BLOCK])}"
        )
    return written.encoded(text)


def _holds(text: str, document: Mapping[str, Any]) -> bool:
    """Read an edited text again: it has to say what it said, less the removed fields."""
    again = parsed(text)
    return not removed_fields(again) and repr(_bare(again)) == repr(_bare(document))


def _bare(value: Any) -> Any:  # noqa: ANN401 (any JSON)
    """Leave the removed fields out wherever they stand: endpoints may take them from elsewhere."""
    if isinstance(value, Mapping):
        return {key: _bare(each) for key, each in value.items() if key not in (SWITCH, MODEL)}
    return [_bare(each) for each in value] if isinstance(value, list) else value


def _check(removed: Iterable[Removed], model: str | None) -> None:
    """Refuse values that never said anything: guessing what they mean may turn summaries on."""
    kinds = {SWITCH: (bool, "true or false"), MODEL: (str, "a name, or pass model")}
    problems = []
    for each in removed:
        value, (kind, allowed) = each.endpoint[each.key], kinds[each.key]
        chosen = each.key == MODEL and model is not None
        if value is not None and not isinstance(value, kind) and not chosen:
            problems.append(ConfigProblem(f"{each.path}.{each.key}", value, allowed))
    if problems:
        raise ConfigError(problems)


def _chosen(document: Mapping[str, Any], model: str | None) -> str | None:
    if model is not None:
        return _options.text("model", model)
    models = named_models(document)
    if len(models) > 1:
        raise OptionError(
            f"model is None, and the removed fields name {', '.join(models)}; pass the one that "
            "writes all summaries"
        )
    return models[0] if models else None


def _write(content: bytes, path: Path) -> None:
    """Write a file that appears whole or not at all."""
    with TemporaryDirectory(dir=path.parent, prefix=".migrated-") as folder:
        written = Path(folder) / path.name
        written.write_bytes(content)
        if path.exists():
            shutil.copymode(path, written)
        written.replace(path)

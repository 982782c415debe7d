"""YAML in and out; version 1.2 of it, in which ``on`` is a word and ``8e3`` a number."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from chatfold.config.problems import ConfigError, ConfigProblem
from chatfold.errors import OptionTypeError

Source = str | os.PathLike[str] | Mapping[str, Any]
"""The path of a file, or what one holds."""


def read_yaml(path: str | os.PathLike[str], *, with_comments: bool = False) -> dict[str, Any]:
    """Read a file; JSON is YAML too.

    Args:
        path: Its path.
        with_comments: Keep comments, quotes and order, for writing the file again.

    Raises:
        ConfigError: It is no YAML, or no keys and values; names the line.
        OSError: It can't be read.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise OptionTypeError(f"source is {path!r}; pass the path of a file, or a mapping")
    yaml = _round_trip() if with_comments else YAML(typ="safe", pure=True)
    text = Path(path).read_bytes()
    try:
        document = yaml.load(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark
        where = f"{path}, line {mark.line + 1}" if mark else f"{path}"
        raise ConfigError.unreadable(f"{where} is no YAML: {error.problem}") from error
    except (YAMLError, UnicodeDecodeError, ValueError) as error:
        raise ConfigError.unreadable(f"{path} is no YAML: {error}") from error
    document = {} if document is None else document
    if not isinstance(document, dict):
        raise ConfigError([ConfigProblem(f"{path}", document, "a block of keys and values")])
    return document


def write_yaml(document: object, stream: TextIO) -> None:
    """Write a document in block style."""
    _round_trip().dump(document, stream)


def _round_trip() -> YAML:
    yaml = YAML(typ="rt", pure=True)
    yaml.preserve_quotes = True
    yaml.width = 4_096
    # Lists as chat products write them: the dash stands two columns in.
    yaml.indent(mapping=2, sequence=4, offset=2)
    return yaml

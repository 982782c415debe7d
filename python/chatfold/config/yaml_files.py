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


def read_yaml(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a file; JSON is YAML too.

    Args:
        path: Its path.

    Raises:
        ConfigError: It is no YAML, or no keys and values; names the line.
        OSError: It can't be read.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise OptionTypeError(f"source is {path!r}; pass the path of a file, or a mapping")
    yaml = YAML(typ="safe", pure=True)
    text = Path(path).read_bytes()
    try:
        document = yaml.load(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark
        where = f"{path}, line {mark.line + 1}" if mark else f"{path}"
        raise ConfigError.unreadable(f"{where} is no YAML: {error.problem}") from error
    except (YAMLError, UnicodeDecodeError, ValueError) as error:
        raise ConfigError.unreadable(f"{path} is no YAML: {error}") from error
    except RecursionError as error:
        raise ConfigError.unreadable(f"{path} is nested too deeply; make it flatter") from error
    document = {} if document is None else document
    if not isinstance(document, dict):
        raise ConfigError([ConfigProblem(f"{path}", document, "a block of keys and values")])
    return document


def write_yaml(document: object, stream: TextIO) -> None:
    """Write a document in block style."""
    yaml = YAML(typ="rt", pure=True)
    yaml.width = 4_096
    # Lists as chat products write them: the dash stands two columns in.
    yaml.indent(mapping=2, sequence=4, offset=2)
    yaml.dump(document, stream)

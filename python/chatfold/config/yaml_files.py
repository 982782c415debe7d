"""YAML in and out; version 1.2 of it, in which ``on`` is a word and ``8e3`` a number."""

import os
import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from ruamel.yaml import YAML
from ruamel.yaml.constructor import SafeConstructor
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import ScalarNode
from ruamel.yaml.reader import ReaderError
from ruamel.yaml.representer import RoundTripRepresenter

from chatfold.config.problems import ConfigError, ConfigProblem
from chatfold.config.tabs import with_tabs
from chatfold.config.values import joined
from chatfold.errors import OptionTypeError

Source = str | os.PathLike[str] | Mapping[str, Any]
"""The path of a file, or what one holds."""


_ESCAPED = re.compile(
    r"[^\n -\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
"""Letters that end a line for some readers of YAML, and that none takes but escaped."""

_ENCODINGS = {BOM_UTF8: "utf-8", BOM_UTF16_LE: "utf-16-le", BOM_UTF16_BE: "utf-16-be"}


class Written(NamedTuple):
    """What a file holds, and how to write the like of it.

    Attributes:
        text: Its text.
        encoding: Its encoding.
        mark: What stands before the text to tell the encoding; mostly nothing.
    """

    text: str
    encoding: str
    mark: bytes

    def encoded(self, text: str) -> bytes:
        """Encode another text in the same way."""
        return self.mark + text.encode(self.encoding)


class _Constructor(SafeConstructor):
    """Makes what a file holds, with what YAML and JSON see in two ways."""


def _text(constructor: SafeConstructor, node: ScalarNode) -> str:
    """Take what JSON escapes as two halves for the one letter that it is."""
    return joined(constructor.construct_yaml_str(node))


def _whole(constructor: SafeConstructor, node: ScalarNode) -> float:
    """Take a number of thousands of digits, which Python refuses to read, for what JSON makes of it."""
    try:
        return constructor.construct_yaml_int(node)
    except ValueError:
        return float("inf")


_Constructor.add_constructor("tag:yaml.org,2002:str", _text)
_Constructor.add_constructor("tag:yaml.org,2002:int", _whole)


def parsed(text: str) -> Any:  # noqa: ANN401 (whatever a file holds)
    """Parse a text; JSON is YAML too.

    Raises:
        YAMLError: It is no YAML.
    """
    yaml = YAML(typ="safe", pure=True)
    yaml.Constructor = _Constructor
    return with_tabs(yaml.load, text)


def read_text(path: str | os.PathLike[str]) -> Written:
    """Read a file: UTF-8, or UTF-16 where a mark says so.

    Raises:
        ConfigError: It is neither; names the line.
        OSError: It can't be read.
    """
    raw = Path(path).read_bytes()
    mark = next((mark for mark in _ENCODINGS if raw.startswith(mark)), b"")
    encoding = _ENCODINGS.get(mark, "utf-8")
    content = raw[len(mark) :]
    try:
        return Written(content.decode(encoding), encoding, mark)
    except UnicodeDecodeError as error:
        line = content[: error.start].count("\n".encode(encoding)) + 1
        name = "UTF-16" if mark in (BOM_UTF16_LE, BOM_UTF16_BE) else "UTF-8"
        what = f"{path}, line {line} is no {name}; save the file as UTF-8"
        raise ConfigError.unreadable(what) from error


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
    text = read_text(path).text
    try:
        document = parsed(text)
    except (YAMLError, ValueError) as error:
        raise ConfigError.unreadable(_told(path, text, error)) from error
    except RecursionError as error:
        raise ConfigError.unreadable(f"{path} is nested too deeply; make it flatter") from error
    document = {} if document is None else document
    if not isinstance(document, dict):
        raise ConfigError([ConfigProblem(f"{path}", document, "a block of keys and values")])
    return document


def _told(path: str | os.PathLike[str], text: str, error: Exception) -> str:
    """Say where a file is no YAML, and why."""
    if isinstance(error, ReaderError):
        line, letter = text.count("\n", 0, error.position) + 1, text[error.position]
        return (
            f"{path}, line {line} has the character U+{ord(letter):04X}; YAML takes none, remove it"
        )
    mark = error.problem_mark if isinstance(error, MarkedYAMLError) else None
    if mark is None:
        return f"{path} is no YAML: {error}"
    if text[mark.index : mark.index + 1] == "\t":
        return f"{path}, line {mark.line + 1} has a tab where YAML takes none; write spaces"
    return f"{path}, line {mark.line + 1} is no YAML: {error.problem}"  # type: ignore[attr-defined]


class _Representer(RoundTripRepresenter):
    """Writes texts so that they are read as they were."""


def _as_written(representer: RoundTripRepresenter, text: str) -> ScalarNode:
    style = '"' if _ESCAPED.search(text) else None
    return representer.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Representer.add_representer(str, _as_written)


def write_yaml(document: object, stream: TextIO) -> None:
    """Write a document in block style."""
    yaml = YAML(typ="rt", pure=True)
    yaml.Representer = _Representer
    yaml.width = 4_096
    # Lists as chat products write them: the dash stands two columns in.
    yaml.indent(mapping=2, sequence=4, offset=2)
    yaml.dump(document, stream)

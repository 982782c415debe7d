"""Writes conversations in the form in which they were read, whole or not at all.

What was not changed is written as the bytes that were read.
"""

import json
import os
import secrets
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from chatfold.cli.documents import BOM, Conversation, Form
from chatfold.cli.endings import InputError
from chatfold.cli.reading import Source
from chatfold.errors import ChatfoldError

STDOUT = "-"
_IN_MEMORY = 16 * 2**20


@contextmanager
def whole_output(name: str) -> Iterator[IO[bytes]]:
    """Give a stream whose bytes reach the output only where nothing fails.

    A file is replaced at once by a finished one that was written beside it, and keeps its mode.
    Stdout, a device or a pipe gets everything at the end.
    """
    target = Path(os.path.realpath(name))
    if name != STDOUT and (not target.exists() or target.is_file()):
        with _replacing(target) as stream:
            yield stream
        return
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as spool:
        yield spool
        spool.seek(0)
        if name == STDOUT:
            shutil.copyfileobj(spool, sys.stdout.buffer)
            sys.stdout.buffer.flush()
        else:
            with target.open("wb") as device:
                shutil.copyfileobj(spool, device)


@contextmanager
def _replacing(target: Path) -> Iterator[IO[bytes]]:
    beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    # An interrupt may come as soon as the file is there: making it is guarded as well.
    try:
        try:
            stream = beside.open("xb")
        except OSError as error:
            raise ChatfoldError(f"{target} can't be written: {error.strerror}") from None
        with stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        with suppress(FileNotFoundError):
            beside.chmod(stat.S_IMODE(target.stat().st_mode))
        beside.replace(target)
    finally:
        with suppress(OSError):  # where no file could be made, there is none
            beside.unlink()


class Writer:
    """Writes the conversations of a source, each as it comes."""

    def __init__(self, source: Source, stream: IO[bytes]) -> None:
        """Start with the byte order mark that the source has."""
        self._form = source.form
        self._stream = stream
        if source.bom:
            stream.write(BOM)

    def write(self, conversation: Conversation, kept: list[Any]) -> None:
        """Write a conversation with the messages that are kept of it."""
        if self._form is Form.MESSAGE_LINES:
            for message in kept:
                raw = conversation.raw_of.get(id(message))
                self._line(_json(conversation, message) if raw is None else raw)
        elif _same(kept, conversation.messages):
            self._line(conversation.raw.removeprefix(BOM).rstrip(b"\r\n"))
        else:
            value = (
                kept if conversation.around is None else conversation.around | {"messages": kept}
            )
            self._line(_json(conversation, value, _indent(conversation.raw)))

    def _line(self, line: bytes) -> None:
        self._stream.write(line)
        self._stream.write(b"\n")


def _same(kept: list[Any], messages: list[Any]) -> bool:
    """Messages that are kept are the same objects."""
    return len(kept) == len(messages) and all(map(_is, kept, messages))


def _is(one: object, other: object) -> bool:
    return one is other


def _json(conversation: Conversation, value: object, indent: int | None = None) -> bytes:
    try:
        return json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False).encode()
    except UnicodeEncodeError:
        # A lone surrogate can only be written as an escape, the way it was read.
        return json.dumps(value, indent=indent, allow_nan=False).encode()
    except RecursionError:
        raise InputError(
            f"{conversation.where}the conversation is nested too deeply to be written again"
        ) from None
    except ValueError:
        raise InputError(
            f"{conversation.where}a number is beyond what a 64-bit float holds, such as 1e400, so "
            "that it can't be written again; write it as a string"
        ) from None


def _indent(raw: bytes) -> int | None:
    """By how much the value was indented; None where it stands in one line."""
    lines = raw.strip().split(b"\n", 2)
    if len(lines) == 1:
        return None
    return len(lines[1]) - len(lines[1].lstrip(b" "))

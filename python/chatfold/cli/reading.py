"""Recognises the form of a file and gives its conversations, one at a time."""

import itertools
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from chatfold.cli.documents import BOM, Conversation, Form, Line, from_value, of_lines, parse
from chatfold.cli.endings import InputError

STDIN = "-"


class Source:
    """A file that is being read.

    Attributes:
        form: Its form.
        bom: Whether it starts with a byte order mark.
        size: Its size in bytes, where that is known.
        bytes_read: How far it has been read.
        conversations: Its conversations; where each has a line, only one of them is in memory.
    """

    def __init__(self, stream: BinaryIO, size: int | None) -> None:
        """Read as much as it takes to recognise the form."""
        self.size = size
        self.bytes_read = 0
        self._stream = stream
        lines = self._lines()
        first = next(lines, None)
        if first is None:
            raise InputError("there is nothing in it; pass a JSON array of messages or JSON lines")
        self.bom = first[0] == 1 and first[1].startswith(BOM)
        self.form, self.conversations = self._recognised(first, lines)

    def _lines(self) -> Iterator[Line]:
        """Give the lines that are not blank."""
        for number, line in enumerate(self._stream, start=1):
            self.bytes_read += len(line)
            if line.strip():
                yield number, line

    def _recognised(
        self, first: Line, lines: Iterator[Line]
    ) -> tuple[Form, Iterator[Conversation]]:
        try:
            value = parse(first[1], first[0])
        except InputError as error:
            return self._document(first, error)
        second = next(lines, None)
        if isinstance(value, dict) and "messages" not in value:
            return Form.MESSAGE_LINES, self._messages(first, value, second, lines)
        if second is None:
            return _form_of(value), iter([from_value(value, _stripped(first[1]))])
        return Form.CONVERSATION_LINES, self._by_line(first, value, second, lines)

    def _document(self, first: Line, error: InputError) -> tuple[Form, Iterator[Conversation]]:
        """Read a value of several lines, unless it is the first of JSON lines that is broken."""
        rest = self._stream.read()
        self.bytes_read += len(rest)
        whole = b"\n" * (first[0] - 1) + first[1] + rest
        try:
            value = parse(whole)
        except InputError as broken:
            raise (error if _is_alone(whole, first) else broken) from None
        return _form_of(value), iter([from_value(value, whole)])

    def _messages(
        self, first: Line, value: object, second: Line | None, lines: Iterator[Line]
    ) -> Iterator[Conversation]:
        def read(line: Line) -> object:
            message = value if line is first else parse(line[1], line[0])
            if not isinstance(message, dict) or "messages" in message:
                raise InputError(
                    f"line {line[0]:,} is no message, as line {first[0]:,} is; give each line a "
                    "message, or each line a conversation"
                )
            return message

        rest = [] if second is None else itertools.chain([second], lines)
        yield of_lines([first, *rest], read)

    def _by_line(
        self, first: Line, value: object, second: Line, lines: Iterator[Line]
    ) -> Iterator[Conversation]:
        yield from_value(value, _stripped(first[1]), first[0])
        for number, line in itertools.chain([second], lines):
            yield from_value(parse(line, number), _stripped(line), number)


def _form_of(value: object) -> Form:
    return Form.OBJECT if isinstance(value, dict) else Form.ARRAY


def _stripped(line: bytes) -> bytes:
    return line.removeprefix(BOM).rstrip(b"\r\n")


def _is_alone(whole: bytes, first: Line) -> bool:
    """Say whether the second line is a value of its own, so that the first should be one too."""
    rest = [line for line in whole.split(b"\n", first[0] + 1)[first[0] :] if line.strip()]
    try:
        return isinstance(parse(rest[0], 2), (dict, list)) if rest else False
    except InputError:
        return False


@contextmanager
def opened(name: str) -> Iterator[Source]:
    """Open a file, or stdin for ``-``.

    Raises:
        InputError: It can't be opened or read.
    """
    if name == STDIN:
        yield Source(sys.stdin.buffer, None)
        return
    try:
        stream = Path(name).open("rb")  # noqa: SIM115 (closed below; only opening may fail here)
    except OSError as error:
        raise InputError(f"{name} can't be read: {error.strerror}") from None
    with stream:
        status = os.fstat(stream.fileno())
        yield Source(stream, status.st_size if stat.S_ISREG(status.st_mode) else None)

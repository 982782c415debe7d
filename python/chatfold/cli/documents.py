"""What a file holds: its form, and the conversations in it.

====================  ======================================================================
form                  the file
====================  ======================================================================
``ARRAY``             one JSON array of messages
``OBJECT``            one JSON object with ``messages``
``MESSAGE_LINES``     a message a line
``CONVERSATION_LINES``  an array of messages, or an object with ``messages``, a line
====================  ======================================================================
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, NoReturn

from chatfold.cli.endings import InputError
from chatfold.errors import MessageError

BOM = b"\xef\xbb\xbf"

Line = tuple[int, bytes]
"""A line with its number, which starts at 1."""


class Form(Enum):
    """The form of a file; what is written has the form of what was read."""

    ARRAY = auto()
    OBJECT = auto()
    MESSAGE_LINES = auto()
    CONVERSATION_LINES = auto()


@dataclass
class Conversation:
    """One conversation of a file.

    Attributes:
        messages: Its messages.
        raw: The bytes that it was read from, without the line end.
        line: The number of its line, where each conversation has one.
        around: The object that holds the messages, if there is one.
        line_of: The line of each message, where each message has one.
        raw_of: The bytes of each message by its id, where each message has a line.
    """

    messages: list[Any]
    raw: bytes
    line: int | None = None
    around: dict[str, Any] | None = None
    line_of: list[int] = field(default_factory=list)
    raw_of: dict[int, bytes] = field(default_factory=dict)

    @property
    def where(self) -> str:
        """What to put before a text about it."""
        return "" if self.line is None else f"line {self.line:,}: "

    def unreadable(self, error: MessageError) -> InputError:
        """Say where a message is that can't be read."""
        line = self.line_of[error.position] if self.line_of else self.line
        return InputError(f"{'' if line is None else f'line {line:,}: '}{error}")


def parse(text: bytes, line: int = 1) -> object:
    """Read one JSON value that starts on a line.

    Raises:
        InputError: It is none; names the line.
    """
    text = text.removeprefix(BOM).rstrip()  # a value that ends too early ends in its own line
    try:
        return json.loads(text.decode(), parse_constant=_no_number, parse_int=_whole)
    except json.JSONDecodeError as error:
        at = f"line {line + error.lineno - 1:,}, column {error.colno}"
        raise InputError(f"{at} is no JSON: {error.msg}") from None
    except UnicodeDecodeError as error:
        number = line + text.count(b"\n", 0, error.start)
        raise InputError(
            f"line {number:,} is not UTF-8 at its byte {_column(text, error)}"
        ) from None
    except RecursionError:
        raise InputError(f"line {line:,} is nested too deeply") from None
    except ValueError as error:
        raise InputError(f"line {line:,} can't be read: {error}") from None


def _whole(digits: str) -> int:
    try:
        return int(digits)
    except ValueError:
        raise ValueError(
            f"a number has {len(digits):,} digits, which few programs read; write it as a text"
        ) from None


def _no_number(name: str) -> NoReturn:
    """Refuse what Python would read and no JSON parser has to."""
    raise ValueError(f"{name} is no JSON")


def _column(text: bytes, error: UnicodeDecodeError) -> int:
    return error.start - text.rfind(b"\n", 0, error.start)


def from_value(value: object, raw: bytes, line: int | None = None) -> Conversation:
    """Find the messages of an array, or of an object that has them.

    Raises:
        InputError: There are none.
    """
    if isinstance(value, list):
        return Conversation(value, raw, line)
    if isinstance(value, dict) and isinstance(value.get("messages"), list):
        return Conversation(value["messages"], raw, line, around=value)
    where = "" if line is None else f"line {line:,}: "
    if isinstance(value, dict) and "messages" in value:
        raise InputError(f"{where}messages is {_shown(value['messages'])}; it must be an array")
    raise InputError(
        f"{where}{_shown(value)} is no conversation; pass an array of messages, or an object with "
        "messages"
    )


def of_lines(lines: list[Line], values: Callable[[Line], object]) -> Conversation:
    """Take a message from each line."""
    conversation = Conversation([], b"")
    for line in lines:
        message = values(line)
        conversation.messages.append(message)
        conversation.line_of.append(line[0])
        conversation.raw_of[id(message)] = line[1].removeprefix(BOM).rstrip(b"\r\n")
    return conversation


def _shown(value: object, most: int = 60) -> str:
    text = json.dumps(value)
    return text if len(text) <= most else f"{text[:most]}…"

"""How a command ends: an error in one line, or quietly."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from chatfold.errors import ChatfoldError

WRONG_INPUT = 2
"""The exit code for wrong options and for input that can't be read; other failures are 1."""


class InputError(ChatfoldError, ValueError):
    """Input that can't be read; says where and what is wrong."""


@contextmanager
def ending() -> Iterator[None]:
    """Turn what may go wrong into one line on stderr and an exit code."""
    try:
        yield
        sys.stdout.flush()
    except InputError as error:
        raise _failed(str(error), WRONG_INPUT) from None
    except BrokenPipeError:
        # What the interpreter flushes at its end must not raise once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(_killed_by("SIGPIPE")) from None
    except KeyboardInterrupt:
        raise typer.Exit(_killed_by("SIGINT")) from None
    except (OSError, ChatfoldError) as error:
        raise _failed(str(error), 1) from None


def _failed(text: str, code: int) -> typer.Exit:
    sys.stderr.write(f"chatfold: {text}\n")
    return typer.Exit(code)


def _killed_by(name: str) -> int:
    """What a shell reports for a process that a signal ended; Windows lacks SIGPIPE."""
    return 128 + int(getattr(signal, name, 0))

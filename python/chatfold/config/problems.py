"""What is wrong with a configuration: every problem at once, each with its path."""

from collections.abc import Iterable
from datetime import date
from difflib import get_close_matches
from typing import NamedTuple

from chatfold import _options
from chatfold.errors import ChatfoldError


class ConfigProblem(NamedTuple):
    """One value that is not allowed.

    Attributes:
        path: Where it stands, such as ``summarization.trigger.value``.
        value: What stands there.
        allowed: What may stand there.
    """

    path: str
    value: object
    allowed: str

    def __str__(self) -> str:
        """Say it in one line."""
        return f"{self.path} is {shown(self.value)}; write {self.allowed}"


class ConfigError(ChatfoldError, ValueError):
    """A configuration that can't be used; tells all that is wrong with it.

    Attributes:
        problems: Each value that is not allowed.
        advice: What else is to be done, such as the block to write in the place of removed fields.
    """

    def __init__(self, problems: Iterable[ConfigProblem], advice: str = "") -> None:
        """Take the problems."""
        self.problems = tuple(problems)
        self.advice = advice
        super().__init__(self.problems, advice)

    @classmethod
    def unreadable(cls, advice: str) -> "ConfigError":
        """Build the error for a file of which no value can be read."""
        return cls((), advice)

    def __str__(self) -> str:
        """Say all of it, a line for each problem."""
        lines = [str(problem) for problem in self.problems]
        if len(lines) > 1:
            lines = [f"{len(lines)} values of the configuration are not allowed:", *lines]
        return "\n".join([*lines, self.advice] if self.advice else lines)


class ConfigWarning(UserWarning):
    """A key that means nothing, most likely misspelt."""


def shown(value: object) -> str:
    """Show a value as a file has it, and not at any length."""
    if value is None or isinstance(value, bool):
        return "missing" if value is None else str(value).lower()
    if isinstance(value, date):
        return value.isoformat()
    return _options.shown(value)


def nearest(key: str, known: Iterable[str]) -> str | None:
    """Find the known key that was most likely meant."""
    by_letters = {_letters(each): each for each in known}
    found = get_close_matches(_letters(key), by_letters, n=1, cutoff=0.7)
    return by_letters[found[0]] if found else None


def _letters(key: str) -> str:
    return "".join(filter(str.isalnum, key)).lower()

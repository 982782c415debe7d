"""Every exception of chatfold.

::

    ChatfoldError
    ├── MessageError (ValueError)        a message that can't be read
    ├── OptionError (ValueError)         an option with a wrong value
    ├── OptionTypeError (TypeError)      an option with a wrong type
    ├── UnknownTokenizerError (OptionError)
    ├── TokenizerMismatchError (OptionError)
    ├── AsyncStrategyError (TypeError)   a plain call that would have to wait
    ├── IndexBusyError                   another call compacts the index
    ├── StateError (ValueError)          a saved state that can't be loaded
    ├── HistoriesError                   some of many histories failed
    ├── SummaryError                     a summary that was not taken; nothing has changed
    │   ├── EmptySummaryError            the answer holds no word
    │   ├── SummaryTimeoutError (TimeoutError)
    │   ├── SummaryNotSmallerError       the text would not make the history shorter
    │   ├── SummaryOutdatedError         what it covers changed while it was written
    │   └── SummarizerPausedError        too many failures in a row; the cool-down is not over
    └── MissingExtraError (ImportError)  a package that an extra installs

The own exception of a tokenizer, a trigger, a strategy or a summarizer reaches the caller unchanged.
"""

from typing import Any

_MOST_SAID = 500


def described(error: BaseException) -> str:
    """Name an error and what it says in one line: servers answer with pages, and some can't say it."""
    name = type(error).__name__
    try:
        said = " ".join(str(error).split())
    except Exception:  # noqa: BLE001 (of somebody else's error)
        return name
    if len(said) > _MOST_SAID:
        said = f"{said[: _MOST_SAID - 1]}…"
    return f"{name}: {said}" if said else name


class ChatfoldError(Exception):
    """The root of all exceptions of chatfold."""


class MessageError(ChatfoldError, ValueError):
    """A message that can't be read.

    Attributes:
        position: Its position in the list.
        what: What is wrong with it.
    """

    def __init__(self, position: int, what: str) -> None:
        """Name the position and what is wrong."""
        super().__init__(position, what)
        self.position = position
        self.what = what

    def __str__(self) -> str:
        """Say it in one line."""
        return f"message {self.position} can't be read: {self.what}"


class OptionError(ChatfoldError, ValueError):
    """An option whose value is not allowed; names the option, the value and what to do."""


class OptionTypeError(ChatfoldError, TypeError):
    """An option whose type is not allowed; names the option, the value and what to do."""


class UnknownTokenizerError(OptionError):
    """A name that stands for no tokenizer; lists what exists."""


class TokenizerMismatchError(OptionError):
    """Two different tokenizers for one index; names both."""


class IndexBusyError(ChatfoldError):
    """Another call compacts the index, and this one can't wait for it."""

    def __init__(self) -> None:
        """Say what to do."""
        super().__init__("the index is being compacted by another call; wait for it first")

    def __reduce__(self) -> tuple[type["IndexBusyError"], tuple[()]]:
        """Pickle no text."""
        return type(self), ()


class AsyncStrategyError(ChatfoldError, TypeError):
    """A strategy that must be awaited was given to a plain function."""


class StateError(ChatfoldError, ValueError):
    """A saved state that can't be loaded: of another version, damaged, or for other messages."""


class HistoriesError(ChatfoldError):
    """Some of many histories failed; the others are not lost.

    Attributes:
        results: What came of each history, in order; None where it failed.
        errors: The exception of each that failed, by its position.
    """

    def __init__(self, results: list[Any], errors: dict[int, Exception]) -> None:
        """Take results and errors."""
        super().__init__(results, errors)
        self.results = results
        self.errors = errors

    def __str__(self) -> str:
        """Name the first that failed and how many did."""
        position, error = next(iter(self.errors.items()))
        more = f" (and {len(self.errors) - 1} more)" if len(self.errors) > 1 else ""
        return f"history {position} of {len(self.results)} failed{more}: {described(error)}"


class SummaryError(ChatfoldError):
    """A summary that was not taken; the history is as it was."""


class EmptySummaryError(SummaryError):
    """The summarizer's answer holds no word, or none is left of it within its size."""


class SummaryTimeoutError(SummaryError, TimeoutError):
    """The summarizer gave no answer in time."""


class SummaryNotSmallerError(SummaryError):
    """The summary is not shorter than what it would replace."""


class SummaryOutdatedError(SummaryError):
    """What the summary covers changed while it was written."""


class SummarizerPausedError(SummaryError):
    """Summaries failed several times in a row; none is asked for until the cool-down is over."""


class MissingExtraError(ChatfoldError, ImportError):
    """A package that is not installed; names the line that installs it."""

    def __init__(self, feature: str, extra: str) -> None:
        """Name the feature and the extra that brings it."""
        super().__init__(f"{feature} needs another package: pip install 'chatfold[{extra}]'")
        self.feature = feature
        self.extra = extra

    def __reduce__(self) -> tuple[type["MissingExtraError"], tuple[str, str]]:
        """Pickle the two parts, not the text."""
        return type(self), (self.feature, self.extra)

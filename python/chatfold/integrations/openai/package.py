"""What is used of the ``openai`` package, or the line that installs it."""

from chatfold.errors import MissingExtraError

try:
    from openai import APIStatusError, AsyncOpenAI, OpenAI
except ImportError as error:
    raise MissingExtraError("compaction for a client of the openai package", "openai") from error

__all__ = ["APIStatusError", "AsyncOpenAI", "OpenAI"]

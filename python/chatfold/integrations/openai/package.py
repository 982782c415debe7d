"""What is used of the ``openai`` package, or the line that installs it."""

from chatfold.errors import MissingExtraError

try:
    from openai import APIStatusError, AsyncOpenAI, OpenAI
except ImportError as error:
    raise MissingExtraError("chatfold.integrations.openai", "openai") from error

__all__ = ["APIStatusError", "AsyncOpenAI", "OpenAI"]

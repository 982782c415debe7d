"""Tokenizers of chatfold as tokenizers of the framework."""

import json

from agent_framework import Content, Message

from chatfold.index import MessageIndex
from chatfold.integrations.agent_framework.messages import to_chat
from chatfold.overhead import Overhead
from chatfold.tokenizers import TokenizerLike, resolve

_OPENING = '{"contents": ['


class Tokenizer:
    """A tokenizer of chatfold that the framework takes as one of its own."""

    def __init__(self, tokenizer: TokenizerLike, overhead: Overhead | None) -> None:
        """Check the options."""
        self._tokenizer = resolve(tokenizer)
        self._overhead = Overhead() if overhead is None else overhead
        MessageIndex(overhead=self._overhead)

    def count_tokens(self, text: str) -> int:
        """Count what the framework asks for: a message in its JSON, or a plain text."""
        message = _message_in(text)
        if message is None:
            return self._tokenizer.count_tokens(text)
        index = MessageIndex(tokenizer=self._tokenizer, overhead=self._overhead)
        index.append(to_chat(message))
        return index.included_token_count - self._overhead.per_history

    def __repr__(self) -> str:
        """Show the tokenizer."""
        return f"as_tokenizer({self._tokenizer!r})"


def _message_in(text: str) -> Message | None:
    """Read a message from the JSON that the framework has counted; None where it is none."""
    if not text.startswith(_OPENING):
        return None
    try:
        match json.loads(text):
            case {"contents": list(contents), "message_id": _, "role": str(role), **rest} if (
                not rest
            ):
                return Message(role, [Content.from_dict(each) for each in contents])
    except (ValueError, TypeError, KeyError, AttributeError):
        pass
    return None


def as_tokenizer(tokenizer: TokenizerLike, *, overhead: Overhead | None = None) -> Tokenizer:
    """Make a tokenizer of chatfold one of the framework's ``TokenizerProtocol``.

    The framework has a message counted as JSON, with ids, types and payloads in base64. This one
    counts what the model gets to read, as an index of chatfold does: texts, names and arguments of
    calls, results, readable reasoning, and what ``overhead`` says for each message and payload.

    Args:
        tokenizer: See :mod:`chatfold.tokenizers`.
        overhead: What counts beside text; what it has for a history is left out.

    Raises:
        UnknownTokenizerError: A name that stands for no tokenizer.
    """
    return Tokenizer(tokenizer, overhead)

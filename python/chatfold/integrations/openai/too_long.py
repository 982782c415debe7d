"""Tells a request that is too long for the model from all others that a server refuses."""

import re

from chatfold.integrations.openai.package import APIStatusError

_STATUSES = (400, 413, 422)
_CODES = frozenset({"context_length_exceeded", "exceed_context_size_error"})
# What OpenAI, Azure, vLLM, llama.cpp, TGI, Mistral, OpenRouter and Anthropic's bridge say.
_WORDS = re.compile(
    r"""
    maximum\ context\ length
    | max(?:imum)?[\ _]model[\ _]len
    | context[\ _](?:length|window|size)\b.{0,60}\b(?:exceed|too\ (?:long|large)|limit)
    | exceed\w*\b.{0,60}\bcontext[\ _](?:length|window|size)
    | prompt\ (?:is\ )?too\ long
    | too\ large\ for\ model\ with\ \d+\ maximum\ context
    | inputs?\ tokens?.{0,30}must\ have\ less\ than
    """,
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
_LIMIT = re.compile(r"(?:maximum|max)\b\D{0,60}?(\d[\d,]*)", re.IGNORECASE)
_NUMBERS = re.compile(r"\d[\d,]*")

_SHARE = 0.5
"""What is kept of a history whose limit is not known."""

_MARGIN = 0.9
"""What of a limit that the server named is used: its count is not ours."""


def is_too_long(error: APIStatusError) -> bool:
    """Tell whether the server refused a request since its messages don't fit the context window.

    A rate limit that counts tokens has its own status, 429, and is none of them.
    """
    if error.status_code not in _STATUSES:
        return False
    if {error.code, error.type} & _CODES:
        return True
    return _WORDS.search(error.message) is not None


def share_that_fits(error: APIStatusError) -> float:
    """Give the share of the tokens that may stay: by the server's own figures where it names them."""
    found = _LIMIT.search(error.message)
    if found is None:
        return _SHARE
    limit = _number(found[1])
    asked = max(map(_number, _NUMBERS.findall(error.message)))
    return min(_SHARE, _MARGIN * limit / asked)


def _number(text: str) -> int:
    return max(int(text.replace(",", "")), 1)

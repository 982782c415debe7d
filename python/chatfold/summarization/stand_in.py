"""The text that takes the place of what was summarized."""

from bisect import bisect_right
from collections.abc import Callable, Iterator

from chatfold.summarization.entries import SUMMARY_OPENING
from chatfold.summarization.failures import HEADING, newest_quotes
from chatfold.summarization.parts import sound
from chatfold.summarization.transcript import neutralised
from chatfold.summarization.unseen import has_word

Count = Callable[[str], int]

MOST_CHARS_PER_TOKEN = 64
"""More characters than that for each allowed token need no count to be too many."""
_QUOTES_SHARE = 4
_THOUGHT = ("<think>", "</think>")


def spoken(answer: str) -> str:
    """Leave out what a model thought first: some servers pass it on in tags before the answer."""
    text = answer.strip()
    return text.partition(_THOUGHT[1])[2].strip() if text.startswith(_THOUGHT[0]) else text


def cleaned(answer: str) -> str:
    """Take an answer as data: no tags, no roles, no opening of its own; empty where no word is in it."""
    text = sound(answer).strip()
    while text.startswith(SUMMARY_OPENING):
        text = text[len(SUMMARY_OPENING) :].strip()
    text = neutralised(text).strip()
    # An answer may break off within the opening.
    return text if has_word(text) and not SUMMARY_OPENING.startswith(text) else ""


def cut(text: str, max_tokens: int, count: Count) -> str:
    """Leave out the end of a text that is too long: at a paragraph, else at a line or a word."""
    text = text[: max_tokens * MOST_CHARS_PER_TOKEN]
    if count(text) <= max_tokens:
        return text
    best = 0
    for separator in ("\n\n", "\n", " ", ""):
        edges = list(_edges(text, separator))
        # Counts grow with the text, or nearly so: what does not hold is put right below.
        fits = bisect_right(edges, max_tokens, key=lambda edge: count(text[:edge]))
        while fits and count(text[: edges[fits - 1]]) > max_tokens:
            fits -= 1
        if fits:
            best = max(best, edges[fits - 1])
        if best and 2 * count(text[:best]) >= max_tokens:
            break
    return text[:best].rstrip()


def _edges(text: str, separator: str) -> Iterator[int]:
    if not separator:
        yield from range(1, len(text) + 1)
        return
    at = text.find(separator)
    while at >= 0:
        yield at
        at = text.find(separator, at + len(separator))


def stand_in(
    summary: str, quotes: list[str], max_tokens: int, max_bytes: int, count: Count
) -> tuple[str, bool]:
    """Write the stand-in: the summary and, where there is room, the failures quoted under it.

    Returns:
        The text, of no more than ``max_tokens``, and whether the summary had to be cut. It is empty
        where no word of the summary is left.
    """
    opened = f"{SUMMARY_OPENING} {summary}"
    quotes = newest_quotes(quotes, summary)
    below = _below(quotes)
    while quotes and count(below) > max_tokens // _QUOTES_SHARE:
        quotes = quotes[1:]
        below = _below(quotes)
    text = cut(opened, max_tokens - count(below), count)
    # The seam may cost a token, and quotes are not worth the whole gain.
    if not below or count(text + below) > max_tokens or _bytes(text + below) >= max_bytes:
        below = ""
        text = cut(opened, max_tokens, count)
    if not has_word(text[len(SUMMARY_OPENING) :]):
        return "", True
    return text + below, text != opened


def _below(quotes: list[str]) -> str:
    return "\n\n" + "\n".join([HEADING, *quotes]) if quotes else ""


def _bytes(text: str) -> int:
    return len(text.encode())

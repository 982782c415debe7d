"""Tabs between tokens: YAML takes them, and the parser that reads it here does not."""

import re
from collections.abc import Callable
from typing import TypeVar

from ruamel.yaml.error import MarkedYAMLError

_MOST = 100
"""Of tabs that are looked for one by one: each takes another parse."""
_RUN = re.compile(r"[\t ]+")
_BETWEEN = re.compile(r".*:|[-?\s]*[-?]")

Parsed = TypeVar("Parsed")


def with_tabs(parse: Callable[[str], Parsed], text: str) -> Parsed:
    """Parse a text as if tabs between tokens were spaces; all marks stay where they are.

    A tab in a text is a part of it, and one that indents is no YAML: either is left to the parser.

    Raises:
        YAMLError: It is no YAML.
    """
    for _ in range(_MOST):
        try:
            return parse(text)
        except MarkedYAMLError as error:
            at = -1 if error.problem_mark is None else error.problem_mark.index
            if not _is_between(text, at):
                raise
            end = _RUN.match(text, at).end()  # type: ignore[union-attr]  # there is a tab
            text = text[:at] + " " * (end - at) + text[end:]
    return parse(text)


def _is_between(text: str, at: int) -> bool:
    """Tell whether there is a tab that stands behind a token, or before nothing else."""
    if at < 0 or text[at : at + 1] != "\t":
        return False
    after = text[_RUN.match(text, at).end() :][:1]  # type: ignore[union-attr]  # there is a tab
    before = text[max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1 : at].rstrip()
    return after in {"", "\n", "\r", "#"} or _BETWEEN.fullmatch(before) is not None

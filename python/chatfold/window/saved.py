"""The saved state of a context window: plain JSON types, with a version."""

import sys
from collections.abc import Mapping
from typing import Any

from chatfold._options import shown
from chatfold.damage import count, each, number, or_null, record, row
from chatfold.errors import StateError
from chatfold.index import MessageIndex
from chatfold.overhead import Overhead
from chatfold.state import damaged
from chatfold.tokenizers import TokenizerLike
from chatfold.window.budget import LARGEST_RATIO, LEAST_RATIO
from chatfold.window.ledger import Call, Ledger

FORMAT = "chatfold.ContextWindow"
VERSION = 1

_SHAPE = record(
    calibration=number(LEAST_RATIO, LARGEST_RATIO),
    calls=each(row(count, count, count, or_null(number(0, sys.float_info.max)))),
    sent=or_null(count),
    index=record(),
)


def to_state(index: MessageIndex, ratio: float, ledger: Ledger, sent: int | None) -> dict[str, Any]:
    """Write the state."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "index": index.to_state(),
        "calibration": ratio,
        "calls": ledger.to_list(),
        "sent": sent,
    }


def from_state(
    state: object,
    messages: list[Any],
    *,
    tokenizer: TokenizerLike,
    overhead: Overhead,
) -> tuple[MessageIndex, float, Ledger, int | None]:
    """Read the state.

    Raises:
        StateError: A state of another version, a damaged one, or other messages.
    """
    if not isinstance(state, Mapping) or state.get("format") != FORMAT:
        raise StateError(
            f"this is no saved state of a window: {type(state).__name__} without the format "
            f"{FORMAT!r}; pass what to_state() returned"
        )
    if state.get("version") != VERSION:
        raise StateError(
            f"the state has version {shown(state.get('version'))} and this chatfold reads version "
            f"{VERSION}; load it with the chatfold that wrote it, or start from the messages"
        )
    for problem in _SHAPE("", state):
        raise damaged(problem)
    calls = [Call(*call) for call in state["calls"]]
    late = next((call for call in calls if call.position > len(messages)), None)
    if late is not None:
        raise damaged(
            f"a call was made with {late.position} messages, and there are {len(messages)}"
        )
    index = MessageIndex.from_state(
        state["index"], messages, tokenizer=tokenizer, overhead=overhead
    )
    return index, float(state["calibration"]), Ledger(calls), state["sent"]

"""The saved state of a context window: plain JSON types, with a version."""

from collections.abc import Mapping
from typing import Any

from chatfold.errors import StateError
from chatfold.index import MessageIndex
from chatfold.overhead import Overhead
from chatfold.tokenizers import TokenizerLike
from chatfold.window.budget import LARGEST_RATIO, LEAST_RATIO
from chatfold.window.ledger import Call, Ledger

FORMAT = "chatfold.ContextWindow"
VERSION = 1


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
            f"the state has version {state.get('version')!r} and this chatfold reads version "
            f"{VERSION}; load it with the chatfold that wrote it, or start from the messages"
        )
    try:
        ratio, sent = float(state["calibration"]), state["sent"]
        ledger = Ledger(_call(call, len(messages)) for call in state["calls"])
        saved = state["index"]
    except (KeyError, TypeError, ValueError) as error:
        raise StateError(f"the state is damaged: {type(error).__name__}: {error}") from error
    if not LEAST_RATIO <= ratio <= LARGEST_RATIO:
        raise StateError(f"the state is damaged: its calibration is {ratio}")
    if sent is not None and type(sent) is not int:
        raise StateError(f"the state is damaged: its sent is {sent!r}")
    index = MessageIndex.from_state(saved, messages, tokenizer=tokenizer, overhead=overhead)
    return index, ratio, ledger, sent


def _call(call: list[Any], most: int) -> Call:
    position, read, written, cost = call
    whole = all(type(each) is int and each >= 0 for each in (position, read, written))
    priced = cost is None or (type(cost) in (int, float) and cost >= 0)
    if not whole or not priced or position > most:
        raise ValueError(f"a call is {call!r}")
    return Call(position, read, written, cost)

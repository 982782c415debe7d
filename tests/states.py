"""The state of an index and of the twin's history, in one form that can be compared."""

import copy
from typing import Any, NamedTuple

from chatfold import MessageIndex, Overhead
from reference import History, Totals

# The allowances of the product, which the twin does not know.
PART_TOKENS = {name: getattr(Overhead(), name) for name in ("image", "audio", "file", "other")}


class GroupState(NamedTuple):
    """Everything that users see of one group."""

    kind: str
    positions: list[int]
    turn: int | None
    pending: bool
    excluded: bool
    reason: str | None
    bytes: int
    tokens: int


def groups_of(index: MessageIndex) -> list[GroupState]:
    return [
        GroupState(
            group.kind,
            list(group.positions),
            group.turn,
            group.pending,
            group.excluded,
            group.exclude_reason,
            group.byte_count,
            group.token_count,
        )
        for group in index.groups
    ]


def groups_of_twin(history: History) -> list[GroupState]:
    return [
        GroupState(
            group.kind,
            group.positions,
            group.turn,
            group.pending,
            group.excluded,
            group.reason,
            group.bytes,
            group.tokens,
        )
        for group in history.groups
    ]


def included_totals(index: MessageIndex) -> Totals:
    return Totals(
        messages=index.included_message_count,
        bytes=index.included_byte_count,
        tokens=index.included_token_count,
        turns=index.included_turn_count,
        groups=index.included_group_count,
    )


def totals(index: MessageIndex) -> Totals:
    return Totals(
        messages=index.total_message_count,
        bytes=index.total_byte_count,
        tokens=index.total_token_count,
        turns=index.total_turn_count,
        groups=index.total_group_count,
    )


def of_version_2(state: dict[str, Any]) -> dict[str, Any]:
    """Give the state of an index as it was before it told when something was decided."""
    older = copy.deepcopy(state)
    older["version"] = 2
    del older["settled"]
    older["groups"] = [group[:4] for group in state["groups"]]
    for each in (*older["stand_ins"], *older["shortened"]):
        for name in ("decided_at", "written", "excluded_at"):
            each.pop(name, None)
    return older

"""Which groups no step may touch."""

from typing import Any

from reference.grouping import Group
from reference.history import History

Spec = dict[str, Any]


def protected(
    history: History, spec: Spec, *, minimum: int = 1, last_user: bool = False
) -> list[Group]:
    included = history.included()
    conversation = [group for group in included if group.kind != "system"]
    users = [group for group in history.groups if group.kind == "user"]
    kept = [group for group in included if group.pending]
    if spec.get("preserve_system", True):
        kept += [group for group in included if group.kind == "system"]
    kept += conversation[-max(1, minimum) :] if conversation else included[-1:]
    if last_user and spec.get("preserve_last_user_group", True):
        kept += [group for group in users if not group.excluded][-1:]
        kept += doubtful(history)
    if spec.get("preserve_first_user_group", False):
        kept += users[:1]
    return kept


def doubtful(history: History) -> list[Group]:
    """Find a message that opens as a stand-in does, though the user may have written it."""
    said = [g for g in history.groups if g.positions and g.messages[0].get("role") == "user"]
    return [group for group in said[-1:] if group.kind == "summary" and not group.excluded]


def removable(history: History, kept: list[Group]) -> list[Group]:
    return [group for group in history.included() if not any(group is other for other in kept)]

"""What a history still knows once its list has changed from some place on."""

from collections.abc import Sequence

from reference.grouping import Group
from reference.history import History, number_of
from reference.messages import Message


def changed(history: History, messages: Sequence[Message], left: int) -> History | None:
    """Make a history of another list that begins with the first ``left`` messages of the old one.

    None where a group that is excluded has messages in the new part: that is not modelled.
    """
    new = History(messages, history.count, history.part_tokens)
    went_back = left < len(history.messages)
    new.finished = history.finished
    still = {tuple(group.positions): group for group in new.groups}
    stays = [group for group in history.groups if in_full(group, left)]
    if any(group.excluded and tuple(group.positions) not in still for group in raw(stays)):
        return None
    for position, decided_at, message in history.shortened:
        if position < left and (decided_at <= left or not went_back):
            new.shortened.append((position, decided_at, message))
            new.put(position, message)
    ends = {at: end_of(group) for group in raw(history.groups) for at in group.positions}
    hidden = {at for group in history.groups if group.excluded for at in group.positions}
    whole_again = {at for at, decided_at, _ in history.shortened if decided_at > left}
    new.masked = {
        each
        for each in history.masked
        if not went_back
        or (ends[each[0]] <= left and each[0] not in hidden and each[0] not in whole_again)
    }
    copies = [still.get(tuple(group.positions), group) for group in raw(stays)]
    known = dict(zip(map(id, raw(stays)), copies, strict=True))
    for group in reversed(stays):
        if not group.positions and (not went_back or stands(history, group, left)):
            known[id(group)] = group
    outers = [outer_of(history.groups, group) for group in stays]
    for group, outer in zip(stays, outers, strict=True):
        if id(group) not in known:
            continue
        copy = known[id(group)]
        if not group.positions:
            copy.stands_for = [known[id(inner)] for inner in group.stands_for]
            new.groups.insert(number_of(new.groups, copy.stands_for[0]) + 1, copy)
        below = outer is not None and id(outer) in known
        excluded = group.excluded and (
            below or not went_back or (outer is None and group.excluded_at <= left)
        )
        copy.excluded, copy.excluded_at = excluded, group.excluded_at
        copy.reason = group.reason if excluded else None
    if went_back:
        include_floor(new)
    return new


def raw(groups: list[Group]) -> list[Group]:
    return [group for group in groups if group.positions]


def in_full(group: Group, left: int) -> bool:
    return end_of(group) <= left


def end_of(group: Group) -> int:
    """Return the place past the last message of a group, or of all that it stands for."""
    return max([*(at + 1 for at in group.positions), *map(end_of, group.stands_for)])


def outer_of(groups: list[Group], group: Group) -> Group | None:
    return next((each for each in groups if any(one is group for one in each.stands_for)), None)


def stands(history: History, group: Group, left: int) -> bool:
    """Say whether a stand-in stands, by itself or below one that does."""
    end, outer = end_of(group), outer_of(history.groups, group)
    if outer is not None and in_full(outer, left) and stands(history, outer, left):
        return True
    paid_for = group.written and 2 * (left - end) >= group.made_at - end
    return end <= left and (group.made_at <= left or paid_for)


def include_floor(history: History) -> None:
    """Include again, whole, what no strategy may exclude."""
    groups = raw(history.groups)
    floor = [group for group in groups if group.kind != "system"][-1:] or groups[-1:]
    floor += [group for group in groups if group.kind == "user"][-1:]
    floor += [group for group in groups if group.pending]
    said = [group for group in groups if group.messages[0].get("role") == "user"]
    floor += [group for group in said[-1:] if group.kind == "summary"]
    for group in floor:
        include(history, group)
        for at in group.positions:
            history.put(at, history.messages[at])
        history.masked = {each for each in history.masked if not shortened_at(history, group, each)}
        history.shortened = [each for each in history.shortened if each[0] not in group.positions]


def shortened_at(history: History, group: Group, masked: tuple[int, int]) -> bool:
    places = {at for at, _, _ in history.shortened}
    return masked[0] in group.positions and masked[0] in places


def include(history: History, group: Group) -> None:
    """Include a group; what stands for it and others stands for those where it is still shorter."""
    around, leaving = [], group
    while (outer := outer_of(history.groups, leaving)) is not None:
        around.append(outer)
        leaving = outer
    for outer, inner in zip(around, [group, *around], strict=False):
        if inner is group or not inner.stands_for:
            outer.stands_for = [each for each in outer.stands_for if each is not inner]
        if not outer.stands_for:
            drop(history, outer)
            continue
        drop(history, outer)
        history.groups.insert(number_of(history.groups, outer.stands_for[0]) + 1, outer)
        outer.place = outer.stands_for[0].place
        outer.turn = outer.stands_for[0].turn
    for outer in reversed([each for each in around if each.stands_for]):
        if outer.excluded or outer.bytes < sum(inner.bytes for inner in outer.stands_for):
            break
        drop(history, outer)
        for inner in outer.stands_for:
            inner.excluded, inner.reason = False, None
    group.excluded, group.reason = False, None


def drop(history: History, group: Group) -> None:
    del history.groups[number_of(history.groups, group)]

"""What pruning did to single messages, for verbose logs."""

from collections.abc import Iterator
from typing import Any, TypeAlias

from chatfold._options import shown
from chatfold.index import MessageGroup, MessageIndex
from chatfold.report import counted
from chatfold.strategies import ContextPruningStrategy, HardClear, Strategy
from chatfold.summarization.parts import as_text, field, result_parts, text_field
from chatfold.window.debug import logger

_MOST = 20
"""Messages that are told one by one each time: a list that is given whole may have thousands."""


Sent: TypeAlias = dict[tuple[MessageGroup, int], object]
"""What is sent: each message by its group and its number in that."""


def sent(index: MessageIndex) -> Sent:
    """Note what is sent; it reads every group that is included."""
    return {
        (group, number): message
        for group in index.included_groups
        for number, message in enumerate(group.messages)
    }


def log_prunings(strategy: Strategy, before: Sent, after: Sent) -> None:
    """Log which messages are shorter or gone, and by how many characters; no text of theirs."""
    words = _Words(strategy)
    told, was = [], 0
    left = sum(sum(map(len, _texts(after[key]))) for key in after.keys() - before.keys())
    for (group, number), message in before.items():
        now = after.get((group, number))
        if now is message:
            continue
        old, new = list(_texts(message)), list(_texts(now))
        chars, remaining = sum(map(len, old)), sum(map(len, new))
        was, left = was + chars, left + remaining
        tool = _tool(message, group)
        done = words.for_change(old, new, tool)
        if now is None:
            done = "left out" if group.summary is None else "replaced"
        at = f" {group.positions[number]}" if group.positions else ""
        told.append(
            f"message{at}{_result(message, tool)}: {done}, {chars:,} to {remaining:,} characters"
        )
    if told:
        pruned = counted(len(told), "message")
        logger.debug("pruned %s, %s to %s characters", pruned, f"{was:,}", f"{left:,}")
    for line in told[:_MOST]:
        logger.debug("%s", line)
    if len(told) > _MOST:
        logger.debug("and %d more", len(told) - _MOST)


class _Words:
    """The words for what a strategy does to a message."""

    def __init__(self, strategy: Strategy) -> None:
        fades = type(strategy) is ContextPruningStrategy
        options: dict[str, Any] = strategy._made[1] if fades else {}
        limits = (options.get("tool_limits") or {}).values()
        clears = [options.get("hard_clear", HardClear()), *(each.hard_clear for each in limits)]
        self._placeholders = [clear.placeholder for clear in clears if fades and clear is not None]
        self._otherwise = "trimmed" if fades else "shortened"

    def for_change(self, old: list[str], new: list[str], tool: str) -> str:
        clear = {placeholder.replace("{tool}", tool) for placeholder in self._placeholders}
        return "cleared" if clear.intersection(set(new) - set(old)) else self._otherwise


def _texts(message: object) -> Iterator[str]:
    """Give what may be shortened: the texts of a message and of results in it, and arguments."""
    content = field(message, "content")
    for part in [content] if isinstance(content, str) else content or ():
        yield part if isinstance(part, str) else text_field(part, "text")
    for part in result_parts(content):
        yield from _texts(part)
    for call in field(message, "tool_calls") or ():
        inner = field(call, "function") or field(call, "custom")
        yield as_text(field(inner, "arguments") or field(inner, "input"))


def _result(message: object, tool: str) -> str:
    """Say which result it is, where it is one."""
    called = ", ".join(f"call {shown(name)}" for name in _calls(message)[:3])
    return f" ({called or 'a result'} of {shown(tool)})" if called or tool else ""


def _calls(message: object) -> list[str]:
    """List the ids of the calls that a message has the results of."""
    results = [message, *result_parts(field(message, "content"))]
    return list(filter(None, (text_field(each, "tool_call_id") for each in results)))


def _tool(message: object, group: MessageGroup) -> str:
    """Find the tool that a result is of; '' where that is not known."""
    called = _calls(message)
    for each in group.messages:
        for call in field(each, "tool_calls") or ():
            if text_field(call, "id") in called:
                return text_field(field(call, "function") or field(call, "custom"), "name")
    is_result = text_field(message, "role") in ("tool", "function")
    return text_field(message, "name") if is_result else ""

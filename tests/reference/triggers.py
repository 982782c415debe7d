"""Triggers as plain data: `["tokens_exceed", 100]`, `["not", trigger]`, `["all_of", [...]]`."""

from collections.abc import Callable
from typing import Any

from reference.history import History

TriggerSpec = list[Any]

CONDITIONS: dict[str, Callable[..., bool]] = {
    "always": lambda _: True,
    "never": lambda _: False,
    "tokens_exceed": lambda history, n: history.included_totals().tokens > n,
    "tokens_below": lambda history, n: history.included_totals().tokens < n,
    "messages_exceed": lambda history, n: history.included_totals().messages > n,
    "turns_exceed": lambda history, n: history.included_totals().turns > n,
    "groups_exceed": lambda history, n: history.included_totals().groups > n,
    "bytes_exceed": lambda history, n: history.included_totals().bytes > n,
    "has_tool_calls": lambda history: any(
        group.kind == "tool_call" for group in history.included()
    ),
    "not": lambda history, inner: not holds(inner, history),
    "all_of": lambda history, inners: all(holds(inner, history) for inner in inners),
    "any_of": lambda history, inners: any(holds(inner, history) for inner in inners),
}


def holds(trigger: TriggerSpec, history: History) -> bool:
    name, *arguments = trigger
    return CONDITIONS[name](history, *arguments)

"""Oversize clamping: every message and call is measured, step after step."""

import json
import re
from functools import partial
from typing import Any

from reference.history import History, byte_length, readable
from reference.messages import Message, kind
from reference.protection import Spec
from reference.pruning import group_of, is_result, message_at
from reference.triggers import holds
from reference.trim import SHORTEST, thirds, trim

STRING = re.compile(r'("(?:[^"\\]|\\.)*")(\s*:)?')


def oversize_clamping(history: History, spec: Spec) -> None:
    if not holds(spec.get("trigger") or ["always"], history):
        return
    target = spec.get("target") or ["not", spec.get("trigger") or ["always"]]
    most = int(spec["max_context_window_tokens"] * spec.get("max_share", 0.25) * 4)
    chosen = spec.get("clamp", ["results", "assistant"])
    for position, message in enumerate(history.messages):
        if holds(target, history):
            return
        group = group_of(history, position)
        if group.excluded:
            continue
        if kind(message) != "summary" and speaker(message) in chosen:
            history.shorten_together(position, most)
        if "arguments" in chosen and message["role"] == "assistant" and not group.pending:
            shorten_arguments(history, position, most)


def speaker(message: Message) -> str:
    if is_result(message):
        return "results"
    role: str = message["role"]
    return "system" if role == "developer" else role


def shorten_arguments(history: History, position: int, most: int) -> None:
    group, message = group_of(history, position), message_at(history, position)
    if not message.get("tool_calls"):
        return
    calls = [clamped_call(call, most) for call in message["tool_calls"]]
    if calls != list(message["tool_calls"]):
        group.messages[group.positions.index(position)] = {**message, "tool_calls": calls}
        group.bytes = group.tokens = 0
        history.count_group(group)


def clamped_call(call: dict[str, Any], most: int) -> dict[str, Any]:
    function = call.get("function")
    if function is None or not isinstance(function.get("arguments"), str):
        return call
    return {
        **call,
        "function": {**function, "arguments": clamped_json(function["arguments"], most)},
    }


def clamped_json(text: str, most: int) -> str:
    """Find the largest limit for all strings with which the whole fits, by halving."""
    whole = readable(text)
    if len(whole) <= most or not is_json(whole):
        return text
    fits, too_much = SHORTEST, most
    while too_much - fits > 1:
        middle = fits + (too_much - fits) // 2
        if len(with_limit(whole, middle)) <= most:
            fits = middle
        else:
            too_much = middle
    short = with_limit(whole, fits)
    return short if byte_length(short) < byte_length(text) else text


def is_json(text: str) -> bool:
    try:
        json.loads(text, parse_constant=refuse)
    except ValueError:
        return False
    return True


def refuse(constant: str) -> None:
    raise ValueError(constant)


def with_limit(text: str, limit: int) -> str:
    return STRING.sub(partial(clamped_string, limit=limit), text)


def clamped_string(found: re.Match[str], limit: int) -> str:
    literal, is_key = found.groups()
    value = json.loads(literal)
    if is_key or readable(value) != value:
        return found[0]
    trimmed = trim(value, thirds(limit))
    if trimmed == value:
        return found[0]
    short = json.dumps(trimmed, ensure_ascii=False)
    return short if byte_length(short) < byte_length(literal) else literal

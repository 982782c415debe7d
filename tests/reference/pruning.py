"""Context pruning: every result is looked at anew for every step."""

import math
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatchcase
from functools import partial

from reference.grouping import Group
from reference.history import History, byte_length, readable
from reference.messages import Message, calls, own_key, said_texts, texts
from reference.parts import Limits, flat_parts, is_tool_result, part_class, parts
from reference.protection import Spec
from reference.triggers import holds
from reference.trim import trim

DEFAULTS: Spec = {
    "soft_trim": [4000, 1500, 1500],
    "placeholder": "[Old tool result content cleared]",
    "min_prunable_tool_chars": 50_000,
    "soft_trim_ratio": 0.3,
    "hard_clear_ratio": 0.5,
    "keep_last_assistants": 3,
}
Shorten = Callable[[str], str]


def context_pruning(history: History, spec: Spec) -> None:
    options = {**DEFAULTS, **spec}
    if not holds(spec.get("trigger") or ["always"], history):
        return
    target = spec.get("target") or ["not", spec.get("trigger") or ["always"]]
    before = [(group, list(group.messages)) for group in history.groups]
    pays = enough(history, options) or options.get("basis") != "utilisation"
    while (
        pays
        and not holds(target, history)
        and any(history.shorten(position, shorten) for position, shorten in due(history, options))
    ):
        pass
    freed = sum(
        tokens(history, old) - tokens(history, new)
        for group, messages in before
        for old, new in zip(messages, group.messages, strict=True)
    )
    if freed < options.get("min_tokens_freed", 0):
        for group, messages in before:
            group.messages[:] = messages
            group.bytes = group.tokens = 0
            history.count_group(group)


def tokens(history: History, message: Message) -> int:
    classes = [part_class(part) for part in flat_parts(message)]
    allowance = sum(history.part_tokens[name] for name in classes if name is not None)
    return sum(history.count(readable(text)) for text in texts(message)) + allowance


def due(history: History, options: Spec) -> Iterator[tuple[int, Shorten]]:
    """Give what could be shortened next, in order, and how."""
    if options.get("basis") == "utilisation":
        for stage, ratio in ((trims, "soft_trim_ratio"), (clears, "hard_clear_ratio")):
            limit = math.ceil(options[ratio] * options["max_context_tokens"])
            in_use = history.included_totals().tokens
            if in_use >= limit:
                yield from stage(history, options)
        return
    count = len(history.messages)
    hard = [at for at in range(count) if (count - at) / count >= options["hard_clear_ratio"]]
    soft = [at for at in range(count) if (count - at) / count >= options["soft_trim_ratio"]]
    long = [at for at in range(count) if size(history.messages[at]) >= least(history, options, at)]
    yield from (step for step in clears(history, options) if step[0] in hard and step[0] in long)
    for step in trims(history, options):
        cleared = step[0] in hard and limits_of(history, options, step[0])[1] is not None
        if step[0] in soft and step[0] in long and not cleared:
            yield step


def clears(history: History, options: Spec) -> Iterator[tuple[int, Shorten]]:
    for position in prunable(history, options):
        _, placeholder = limits_of(history, options, position)
        if placeholder is not None:
            text = placeholder.replace("{tool}", tool_name(history, position))
            yield position, partial(instead, text)


def instead(text: str, _: str) -> str:
    return text


def trims(history: History, options: Spec) -> Iterator[tuple[int, Shorten]]:
    for position in prunable(history, options):
        soft_trim, _ = limits_of(history, options, position)
        if soft_trim is not None:
            yield position, partial(trim, limits=soft_trim)


def enough(history: History, options: Spec) -> bool:
    """Tell whether the results that would be shortened by the last stage hold enough together."""
    clearing = options["placeholder"] is not None
    stage = clears(history, options) if clearing else trims(history, options)
    sizes = [
        size(message_at(history, position))
        for position, shorten in stage
        if any(
            byte_length(shorten(readable(text))) < byte_length(text)
            for text in said_texts(message_at(history, position))
        )
    ]
    least_of_all: int = options["min_prunable_tool_chars"]
    return sum(sizes) >= least_of_all


def size(message: Message) -> int:
    return sum(len(readable(text)) for text in texts(message))


def prunable(history: History, options: Spec) -> list[int]:
    """List the results that may be touched at all."""
    users = [group.place for group in history.groups if group.kind == "user"]
    end = protected_from(history.messages, options["keep_last_assistants"])
    found = []
    for position, message in enumerate(history.messages):
        group = group_of(history, position)
        if not is_result(message) or is_binary(message) or group.excluded or group.pending:
            continue
        if users and users[0] < position < end and allowed(history, options, position):
            found.append(position)
    return found


def is_result(message: Message) -> bool:
    return message["role"] in {"tool", "function"}


def is_binary(message: Message) -> bool:
    several = any(not isinstance(part, str) and is_tool_result(part) for part in parts(message))
    kinds = {part_class(part) for part in flat_parts(message)}
    return several or not kinds.isdisjoint({"image", "audio", "file"})


def protected_from(messages: Sequence[Message], keep: int) -> int:
    """Find where the newest assistant turns start; one at the end counts even where none is kept."""
    speaks = [message["role"] == "assistant" or is_result(message) for message in messages]
    starts = [at for at, own in enumerate(speaks) if own and not (at and speaks[at - 1])]
    keep = max(keep, int(speaks[-1:] == [True]))
    return ([len(messages), *starts[::-1]])[min(keep, len(starts))]


def group_of(history: History, position: int) -> Group:
    return next(group for group in history.groups if position in group.positions)


def message_at(history: History, position: int) -> Message:
    group = group_of(history, position)
    return group.messages[group.positions.index(position)]


def tool_name(history: History, position: int) -> str:
    group, key = group_of(history, position), own_key(history.messages[position])
    earlier = [history.messages[at] for at in group.positions if at < position]
    names = [call.name for message in earlier for call in calls(message) if call.key == key]
    return names[-1] if names and key is not None else ""


def allowed(history: History, options: Spec, position: int) -> bool:
    name, allow = tool_name(history, position), options.get("allow") or ["*"]
    fits = any(fnmatchcase(name, pattern) for pattern in allow)
    return fits and not any(fnmatchcase(name, pattern) for pattern in options.get("deny", []))


def own_limits(history: History, options: Spec, position: int) -> Spec:
    for pattern, own in options.get("tool_limits", {}).items():
        if fnmatchcase(tool_name(history, position), pattern):
            return {**options, **own}
    return options


def limits_of(history: History, options: Spec, position: int) -> tuple[Limits | None, str | None]:
    own = own_limits(history, options, position)
    return own["soft_trim"], own["placeholder"]


def least(history: History, options: Spec, position: int) -> int:
    found: int = own_limits(history, options, position)["min_prunable_tool_chars"]
    return found

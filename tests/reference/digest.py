"""The text that stands for a tool-call group."""

from reference.grouping import Group
from reference.history import readable
from reference.messages import Key, Message, calls, is_result, key_of, own_key, said_texts
from reference.parts import parts_of_result, said, tool_results

CUT_MARK = "... [truncated]"


def digest(group: Group, style: str, max_chars: int) -> str:
    if style == "names":
        names = [call.name for message in group.messages for call in calls(message)]
        return fit("[Tool calls: ", ", ".join(names) if names else "no calls", max_chars)
    labels = []
    names_so_far: dict[Key | None, str] = {}
    for message in group.messages:
        names_so_far |= {call.key: call.name for call in calls(message)}
        labels += [label(*result, names_so_far) for result in results(message)]
    return fit("[Tool results: ", "; ".join(labels) if labels else "no results", max_chars)


def results(message: Message) -> list[tuple[Key | None, list[str]]]:
    """Return what the message answers, and with what texts."""
    inner = [
        (
            key_of("tool", part.get("tool_call_id")),
            [text for each in parts_of_result(part) if (text := said(each)) is not None],
        )
        for part in tool_results(message)
    ]
    if inner or not is_result(message):
        return inner
    return [(own_key(message), said_texts(message))]


def label(key: Key | None, texts: list[str], names: dict[Key | None, str]) -> str:
    name = "" if key is None else names.get(key, "")
    text = "\n".join(texts)
    return f"{name}: {text}".strip() if name else text.strip()


def fit(prefix: str, body: str, max_chars: int) -> str:
    body = readable(body)
    if len(f"{prefix}{body}]") <= max_chars:
        return f"{prefix}{body}]"
    room = max(0, max_chars - len(prefix) - len(CUT_MARK) - 1)
    return f"{prefix}{body[:room].rstrip()}{CUT_MARK}]"

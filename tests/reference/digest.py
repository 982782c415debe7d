"""The text that stands for a tool-call group."""

from reference.grouping import Group
from reference.history import readable
from reference.messages import Key, Message, calls, is_result, result_key, said_texts

CUT_MARK = "... [truncated]"


def digest(group: Group, style: str, max_chars: int) -> str:
    if style == "names":
        names = [call.name for message in group.messages for call in calls(message)]
        return fit("[Tool calls: ", ", ".join(names) if names else "no calls", max_chars)
    labels = []
    names_so_far: dict[Key | None, str] = {}
    for message in group.messages:
        names_so_far |= {call.key: call.name for call in calls(message)}
        if is_result(message):
            labels.append(label(message, names_so_far))
    return fit("[Tool results: ", "; ".join(labels) if labels else "no results", max_chars)


def label(result: Message, names: dict[Key | None, str]) -> str:
    key = result_key(result)
    name = "" if key is None else names.get(key, "")
    text = "\n".join(said_texts(result))
    return f"{name}: {text}".strip() if name else text.strip()


def fit(prefix: str, body: str, max_chars: int) -> str:
    body = readable(body)
    if len(f"{prefix}{body}]") <= max_chars:
        return f"{prefix}{body}]"
    room = max(0, max_chars - len(prefix) - len(CUT_MARK) - 1)
    return f"{prefix}{body[:room].rstrip()}{CUT_MARK}]"

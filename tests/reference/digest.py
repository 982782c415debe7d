"""The text that stands for a tool-call group."""

from reference.grouping import Group
from reference.history import readable
from reference.messages import Message, calls, is_result, plain_texts, result_key

CUT_MARK = "... [truncated]"


def digest(group: Group, style: str, max_chars: int) -> str:
    if style == "names":
        names = [call.name for message in group.messages for call in calls(message)]
        return fit("[Tool calls: ", ", ".join(names) or "no calls", max_chars)
    labels = [label(message, group) for message in group.messages if is_result(message)]
    return fit("[Tool results: ", "; ".join(labels) or "no results", max_chars)


def label(result: Message, group: Group) -> str:
    text = "\n".join(plain_texts(result))
    key = result_key(result)
    for message in group.messages:
        for call in calls(message):
            if key is not None and call.key == key:
                return f"{call.name}: {text}".strip()
    return text.strip()


def fit(prefix: str, body: str, max_chars: int) -> str:
    whole = readable(f"{prefix}{body}]")
    if len(whole) <= max_chars:
        return whole
    room = max(0, max_chars - len(prefix) - len(CUT_MARK) - 1)
    return readable(f"{prefix}{body[:room].rstrip()}{CUT_MARK}]")

"""What the framework writes beside a message: its group, whether it is excluded, and links."""

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from agent_framework import (
    EXCLUDE_REASON_KEY,
    EXCLUDED_KEY,
    GROUP_ANNOTATION_KEY,
    GROUP_ID_KEY,
    GROUP_TOKEN_COUNT_KEY,
    SUMMARIZED_BY_SUMMARY_ID_KEY,
    SUMMARY_OF_GROUP_IDS_KEY,
    SUMMARY_OF_MESSAGE_IDS_KEY,
    Message,
)

_ATTRIBUTION = "_attribution"
_ORIGINS = "origin_session_ids"


def is_excluded(message: Message) -> bool:
    """Tell whether a message is left out."""
    return bool(message.additional_properties.get(EXCLUDED_KEY, False))


def flags_of(messages: Iterable[Message]) -> list[bool]:
    """Tell of each message whether it is left out."""
    return [bool(message.additional_properties.get(EXCLUDED_KEY)) for message in messages]


def reason_of(message: Message) -> str:
    """Give the reason why a message is left out."""
    reason = message.additional_properties.get(EXCLUDE_REASON_KEY)
    return reason if isinstance(reason, str) else ""


def annotation_of(message: Message) -> dict[str, Any]:
    """Copy the annotation of a message: the framework shares one between copies of a message."""
    annotation = message.additional_properties.get(GROUP_ANNOTATION_KEY)
    return dict(annotation) if isinstance(annotation, Mapping) else {}


def summary_id_of(message: Message) -> str | None:
    """Give the id of the message that stands for this one."""
    summary_id = annotation_of(message).get(SUMMARIZED_BY_SUMMARY_ID_KEY)
    return summary_id if isinstance(summary_id, str) else None


def ids_summarized(message: Message) -> list[str]:
    """Give the ids of the messages that this one stands for, in order."""
    ids = annotation_of(message).get(SUMMARY_OF_MESSAGE_IDS_KEY)
    return [each for each in ids if isinstance(each, str)] if isinstance(ids, (list, tuple)) else []


def exclude(message: Message, reason: str, summary_id: str | None = None) -> None:
    """Leave a message out, with the reason, and a link to what stands for it."""
    message.additional_properties[EXCLUDED_KEY] = True
    message.additional_properties[EXCLUDE_REASON_KEY] = reason
    if summary_id is not None:
        link(message, summary_id)


def link(message: Message, summary_id: str) -> None:
    """Say what stands for a message."""
    annotation = annotation_of(message) | {SUMMARIZED_BY_SUMMARY_ID_KEY: summary_id}
    message.additional_properties[GROUP_ANNOTATION_KEY] = annotation


def include(message: Message) -> None:
    """Take a message in again."""
    message.additional_properties[EXCLUDED_KEY] = False
    message.additional_properties.pop(EXCLUDE_REASON_KEY, None)
    unlink(message)


def unlink(message: Message) -> None:
    """Say that nothing stands for a message."""
    annotation = annotation_of(message)
    if annotation.pop(SUMMARIZED_BY_SUMMARY_ID_KEY, None) is not None:
        message.additional_properties[GROUP_ANNOTATION_KEY] = annotation


def copy_of(message: Message) -> Message:
    """Copy a message, to annotate it without the other."""
    copied = copy.copy(message)
    copied.additional_properties = dict(message.additional_properties)
    annotation = annotation_of(message)
    if annotation:
        copied.additional_properties[GROUP_ANNOTATION_KEY] = annotation
    return copied


def take_annotations(message: Message, other: Message) -> None:
    """Give a message what is written beside another, but for the tokens, which are others now."""
    message.additional_properties = dict(other.additional_properties)
    annotation = annotation_of(message)
    if annotation:
        annotation[GROUP_TOKEN_COUNT_KEY] = None
        message.additional_properties[GROUP_ANNOTATION_KEY] = annotation


def summary_of(replaced: Sequence[Message], role: str, text: str, message_id: str) -> Message:
    """Make the message that stands for others, with links to them and where they came from."""
    groups = (annotation_of(message).get(GROUP_ID_KEY) for message in replaced)
    annotation = {
        SUMMARY_OF_MESSAGE_IDS_KEY: [each.message_id for each in replaced if each.message_id],
        SUMMARY_OF_GROUP_IDS_KEY: list(dict.fromkeys(group for group in groups if group)),
    }
    properties: dict[str, Any] = {GROUP_ANNOTATION_KEY: annotation, EXCLUDED_KEY: False}
    origins = list(dict.fromkeys(_origins(replaced)))
    if origins:
        properties[_ATTRIBUTION] = {_ORIGINS: origins}
    return Message(role, [text], message_id=message_id, additional_properties=properties)


def _origins(messages: Iterable[Message]) -> Iterable[str]:
    for message in messages:
        attribution = message.additional_properties.get(_ATTRIBUTION)
        origins = attribution.get(_ORIGINS) if isinstance(attribution, Mapping) else None
        if isinstance(origins, (list, tuple)):
            yield from (each for each in origins if isinstance(each, str))


def name_messages(
    messages: Sequence[Message], stored: Callable[[], Iterable[Message]] = tuple
) -> None:
    """Give each message that has none an id of its own, also among those that are stored.

    The framework names messages by their place in the list that it has; where some were taken out
    before, it would name two alike, and take a summary of one for that of the other. A copy that it
    made of a message gets the same id.
    """
    nameless = [message for message in messages if message.message_id is None]
    if not nameless:
        return
    known = {message.message_id for message in (*messages, *stored())}
    names = {id(each.contents): each.message_id for each in messages if each.message_id is not None}
    number = len(known)
    for message in nameless:
        name = names.get(id(message.contents))
        if name is None:
            while f"msg_{number}" in known:
                number += 1
            names[id(message.contents)] = name = f"msg_{number}"
            number += 1
        message.message_id = name

"""The framework's messages as chat messages, and back."""

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from agent_framework import GROUP_ANNOTATION_KEY, SUMMARY_OF_MESSAGE_IDS_KEY, Content, Message

from chatfold.integrations.agent_framework.contents import call_of, parts_of, result_of
from chatfold.summarization.entries import SUMMARY_OPENING
from chatfold.summarization.parts import as_text, content_parts

_ROLES = frozenset({"system", "developer", "user", "assistant", "tool"})
_OPENINGS = (SUMMARY_OPENING, "[Tool results: ", "[Tool calls: ")


class MessageAdapter:
    """Reads and writes the framework's messages."""

    def read(self, message: Message) -> dict[str, Any]:
        """Give a message as a chat message."""
        return to_chat(message)

    def parts(self, message: Message) -> Sequence[object]:
        """Give its contents: the framework copies messages, and their contents go with them."""
        return message.contents

    def first_part(self, message: Message) -> object:
        """Give what a message is recognised by before it is looked at whole."""
        return message.contents[0] if message.contents else message

    def write(self, stand_in: dict[str, Any]) -> Message:
        """Make a message of a stand-in."""
        return Message(stand_in["role"], [stand_in["content"]])

    def rewrite(self, message: Message, chat: dict[str, Any], shortened: dict[str, Any]) -> Message:
        """Make a copy of a message whose texts are those of another chat message."""
        before, after = _texts(chat), _texts(shortened)
        texts = {old: new for old, new in zip(before, after, strict=True) if old != new}
        copied = copy.copy(message)
        copied.contents = [_with(content, texts) for content in message.contents]
        copied.additional_properties = dict(message.additional_properties)
        return copied


ADAPTER = MessageAdapter()


def _texts(chat: dict[str, Any]) -> list[str]:
    """Give the texts of a chat message in order, those within results too."""
    content = chat.get("content")
    listed = content if isinstance(content, list) else [content]
    texts: list[str] = []
    for part in listed:
        if isinstance(part, dict) and part.get("type") == "tool_result":
            texts += _texts(part)
        else:
            texts.append(part.get("text") or "" if isinstance(part, dict) else part or "")
    functions = (call["function"] for call in chat.get("tool_calls") or ())
    return texts + [function["arguments"] for function in functions]


def _with(content: Content, texts: Mapping[str, str]) -> Content:
    """Give a content with the texts that are to be others; itself where there are none."""
    names = [
        name
        for name in ("text", "result", "arguments")
        if isinstance(value := getattr(content, name), str) and value in texts
    ]
    if not names:
        return content
    copied = copy.copy(content)
    for name in names:
        setattr(copied, name, texts[getattr(content, name)])
    if "result" in names and content.items:
        copied.items = [_with(item, texts) for item in content.items]
    return copied


def to_chat(message: Message) -> dict[str, Any]:
    """Give a message as a chat message: the same texts, calls and results, and kinds of payloads."""
    parts: list[dict[str, Any]] = []
    calls: dict[object, dict[str, Any]] = {}
    results = 0
    for content in message.contents:
        if content.type == "text":
            parts.append({"type": "text", "text": content.text})
        elif (call := call_of(content)) is not None:
            # A request for approval repeats the call that it is about.
            calls.setdefault(call["id"] or id(content), call)
        elif (result := result_of(content)) is not None:
            parts.append(result)
            results += 1
        else:
            parts += parts_of(content)
    role = message.role if message.role in _ROLES else "assistant"
    if role == "user" and results and results == len(parts):
        role = "tool"  # answers of the user to requests for approval
    chat: dict[str, Any] = {"role": role, "content": parts}
    if role == "tool" and results == len(parts) == 1:
        # As the chat format has it; only where there are several results each is a part.
        chat |= {"tool_call_id": parts[0]["tool_call_id"], "content": parts[0]["content"]}
        parts = chat["content"]
    if len(parts) == 1 and parts[0]["type"] == "text":
        chat["content"] = parts[0]["text"]
    if role == "assistant" and calls:
        chat["tool_calls"] = list(calls.values())
    elif is_summary(message):
        chat["content"] = _opened(chat["content"])
    return chat


def is_summary(message: Message) -> bool:
    """Tell whether a message says of itself that it stands for others."""
    annotation = message.additional_properties.get(GROUP_ANNOTATION_KEY)
    return isinstance(annotation, Mapping) and bool(annotation.get(SUMMARY_OF_MESSAGE_IDS_KEY))


def _opened(content: object) -> str:
    """Let a summary of the framework's own open as chatfold's do, so that it is known as one."""
    text = "\n".join(each for each, _ in content_parts(content))
    return text if text.startswith(_OPENINGS) else f"{SUMMARY_OPENING} {text}"


def from_chat(chat: Mapping[str, Any]) -> Message:
    """Make a message of a chat message, for strategies of the framework's own to look at."""
    role = chat["role"]
    texts = [text for text, _ in content_parts(chat.get("content")) if text]
    if role in ("tool", "function"):
        call_id = chat.get("tool_call_id") or chat.get("name") or ""
        return Message("tool", [Content.from_function_result(call_id, result="\n".join(texts))])
    contents = [Content.from_text(text) for text in texts]
    for call in chat.get("tool_calls") or ():
        function = call.get("function") or call.get("custom") or {}
        arguments = as_text(function.get("arguments", function.get("input")))
        contents.append(
            Content.from_function_call(
                call.get("id") or "", function.get("name") or "", arguments=arguments
            )
        )
    legacy = chat.get("function_call")
    if legacy is not None:
        name = legacy.get("name") or ""
        contents.append(
            Content.from_function_call(name, name, arguments=as_text(legacy.get("arguments")))
        )
    return Message("system" if role == "developer" else role, contents)

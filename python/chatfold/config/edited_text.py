"""Edits the text of a YAML file, so that all else in it stays as it was written."""

import json
import re
from collections.abc import Iterator, Mapping
from io import StringIO
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from chatfold.config.removed import ENDPOINTS, MODEL, SWITCH
from chatfold.config.summarization import BLOCK
from chatfold.config.tabs import with_tabs
from chatfold.config.yaml_files import write_yaml

_MERGE = "tag:yaml.org,2002:merge"
_ALIAS = re.compile(r"\s*:\s*\*[^\s,\[\]{}]+")
_COLON = re.compile(r"\s*:")


def edited(text: str, block: Mapping[str, Any]) -> str:
    """Cut the removed fields out, and put in what of a block is not there.

    Args:
        text: What a file holds.
        block: What the ``summarization`` block is to hold.
    """
    while found := _removed(_composed(text)):
        # From the end, so that the marks of what stands before stay true; what has one in it waits.
        start = len(text)
        for mapping, at in reversed(found):
            if mapping.end_mark.index <= start:
                text, start = _cut(text, mapping, at), mapping.start_mark.index
    return _with_block(text, block)


def _composed(text: str) -> MappingNode:
    root = with_tabs(YAML(typ="rt", pure=True).compose, text)
    assert isinstance(root, MappingNode)  # noqa: S101 (it was read as one before)
    return root


def _removed(root: MappingNode) -> list[tuple[MappingNode, int]]:
    """Find removed fields in order: of each mapping the first; others when that is gone.

    A mapping may be merged into others.
    """
    found: dict[int, tuple[MappingNode, int]] = {}
    for _, _, name, endpoints in _pairs(root):
        if name.value != ENDPOINTS or not isinstance(endpoints, MappingNode):
            continue
        for _, _, _, value in _pairs(endpoints):
            for endpoint in value.value if isinstance(value, SequenceNode) else [value]:
                for mapping, at, key, _ in _pairs(endpoint):
                    if key.value in (SWITCH, MODEL):
                        found.setdefault(mapping.start_mark.index, (mapping, at))
    return [found[start] for start in sorted(found)]


def _pairs(node: Node) -> Iterator[tuple[MappingNode, int, Node, Node]]:
    """Go through the keys of a mapping, and of those that are merged into it."""
    if not isinstance(node, MappingNode):
        return
    for at, (key, value) in enumerate(node.value):
        if key.tag == _MERGE:
            for merged in value.value if isinstance(value, SequenceNode) else [value]:
                yield from _pairs(merged)
        else:
            yield node, at, key, value


def _cut(text: str, mapping: MappingNode, at: int) -> str:
    pairs = mapping.value
    start, end = pairs[at][0].start_mark.index, _end(text, *pairs[at])
    following = pairs[at + 1][0].start_mark.index if at + 1 < len(pairs) else None
    if len(pairs) == 1:
        return text[:start] + ("" if mapping.flow_style else "{}") + text[end:]
    if mapping.flow_style:
        if following is None:
            start = _end(text, *pairs[at - 1])
        return text[:start] + text[following or end :]
    line = text.rfind("\n", 0, start) + 1
    if not text[line:start].strip():
        newline = text.find("\n", end)
        return text[:line] + ("" if newline < 0 else text[newline + 1 :])
    # It stands behind the dash of a list: the next key takes its place, unless a comment does.
    if following is not None and not text[end:following].strip():
        end = following
    return text[:start] + text[end:]


def _end(text: str, key: Node, value: Node) -> int:
    """Tell where a pair ends; the marks of an empty value and of an alias stand elsewhere."""
    after = key.end_mark.index
    if value.start_mark.index < after:
        found = _ALIAS.match(text, after)
        return found.end() if found else after
    if isinstance(value, ScalarNode):
        if value.style in ("|", ">"):
            return len(text[: value.end_mark.index].rstrip())
        if value.end_mark.index > value.start_mark.index:
            return int(value.end_mark.index)
        found = _COLON.match(text, after)
        return found.end() if found else after
    end: int = value.end_mark.index
    flow = isinstance(value, (MappingNode, SequenceNode)) and value.flow_style
    return end if flow else len(text[:end].rstrip())


def _with_block(text: str, block: Mapping[str, Any]) -> str:
    root = _composed(text)
    newline = "\r\n" if "\r\n" in text else "\n"
    found = next((pair for pair in root.value if pair[0].value == BLOCK), None)
    if found is None:
        if root.flow_style:
            end = _end(text, *root.value[-1])
            return f"{text[:end]}, {_flow({BLOCK: block})}{text[end:]}"
        end = root.end_mark.index
        gap = "" if text[:end].endswith("\n") else newline
        return text[:end] + gap + _lines({BLOCK: block}, newline) + text[end:]
    key, value = found
    if not isinstance(value, MappingNode):
        return _filled(text, root, key, value, block)
    known = {each.value for _, _, each, _ in _pairs(value)}
    more = {name: each for name, each in block.items() if name not in known}
    if not more:
        return text
    if value.flow_style:
        at = text.index("{", int(value.start_mark.index)) + 1
        return text[:at] + _flow(more) + (", " if value.value else "") + text[at:]
    first = value.value[0][0].start_mark
    at, indent = int(first.index), newline + " " * int(first.column)
    more_lines = _lines(more, newline).rstrip().replace(newline, indent) + indent
    return text[:at] + more_lines + text[at:]


def _filled(text: str, root: MappingNode, key: Node, value: Node, block: Mapping[str, Any]) -> str:
    """Write the block where its name stands with nothing behind it."""
    colon = _COLON.match(text, key.end_mark.index)
    assert colon is not None  # noqa: S101 (no value without it)
    start, end = colon.end(), _end(text, key, value)
    if root.flow_style:
        return f"{text[:start]} {{{_flow(block)}}}{text[end:]}"
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = _lines({BLOCK: block}, newline).partition(newline)[2].rstrip()
    line = text.find("\n", end)
    line = len(text) if line < 0 else line - (newline == "\r\n")
    return text[:start] + text[end:line] + newline + lines + text[line:]


def _lines(document: Mapping[str, Any], newline: str) -> str:
    stream = StringIO()
    write_yaml(document, stream)
    return stream.getvalue().replace("\n", newline)


def _flow(pairs: Mapping[str, Any]) -> str:
    """Write pairs as JSON, which YAML is too, without the braces."""
    return json.dumps(pairs, ensure_ascii=False)[1:-1]

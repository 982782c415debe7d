"""What crosses between the extension and the Python layer, as types."""

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

GroupKind: TypeAlias = Literal["system", "user", "assistant_text", "tool_call", "summary"]

CountsOf: TypeAlias = tuple[int, int, int, int]
"""Messages, groups, turns and bytes."""

VersionOf: TypeAlias = tuple[int, int, int]
"""A moment in the life of an index."""

ProtectionOf: TypeAlias = tuple[bool, bool, bool, int]
"""What stays: system, first user, last user, and how many of the newest groups."""

LimitsOf: TypeAlias = tuple[int, tuple[int, int, int] | None, str | None]
"""The least that is pruned; most, head and tail of a trim; the placeholder."""

ToolsOf: TypeAlias = tuple[list[str], list[str], list[tuple[str, LimitsOf]]]
"""Patterns of tools that are allowed, of those denied, and limits by pattern."""

SavedOf: TypeAlias = tuple[
    list[int | None],
    list[tuple[int, int, str, bool, int]],
    list[tuple[str, str, int | None, list[tuple[bool, int]], bool, str, bool, int, bool, int]],
    list[int],
    list[tuple[int, list[tuple[str, int, str]], tuple[int, int], int | None, str, int]],
    list[tuple[int, list[tuple[int, int]], list[tuple[int, int]]]],
    list[int],
]
"""Tokens; excluded groups; stand-ins; protected groups; shortened messages; what strategies that
shorten have settled; the strategies that left the index as it is: the memory of an index."""

Callables: TypeAlias = dict[int, Callable[..., Any]]
"""The caller's own triggers, formatters and strategies by the number that the core knows."""

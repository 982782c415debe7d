from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal, TypeAlias, final, overload, type_check_only

_Kind: TypeAlias = Literal["system", "user", "assistant_text", "tool_call", "summary"]
CountsOf: TypeAlias = tuple[int, int, int, int]
VersionOf: TypeAlias = tuple[int, int]
FiguresOf: TypeAlias = tuple[CountsOf, int | None, VersionOf]
StepOf: TypeAlias = tuple[str, str, int, bool, VersionOf, VersionOf, int]

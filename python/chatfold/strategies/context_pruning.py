"""Old tool results fade in place: trimmed first, cleared later."""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from chatfold import _core
from chatfold._options import (
    choice,
    integer,
    only_one,
    ratio,
    sequence,
    small,
    utf8_text,
)
from chatfold._types import LimitsOf, ToolsOf
from chatfold.errors import OptionError, OptionTypeError
from chatfold.strategies.base import Strategy, gate
from chatfold.tokenizers import TokenizerLike, resolve
from chatfold.triggers import TriggerLike

PLACEHOLDER = "[Old tool result content cleared]"
SHORTEST_TRIM = 64
"""A limit that a marker fits into."""


class SoftTrim(NamedTuple):
    """How a long tool result is trimmed: its start and its end stay, with a marker between them.

    Where ``head_chars``, ``tail_chars`` and the marker are more than ``max_chars`` together, less
    of both is kept, in proportion: no trimmed text is longer than ``max_chars``.

    Attributes:
        max_chars: Texts of up to this size are left alone; at least 64, which any marker fits into.
            0 trims whatever is longer than head, tail and a marker together.
        head_chars: How much of the start stays.
        tail_chars: How much of the end stays; 0 for nothing.
    """

    max_chars: int = 4000
    head_chars: int = 1500
    tail_chars: int = 1500


class HardClear(NamedTuple):
    """What takes the place of a tool result that is old enough.

    Attributes:
        enabled: False leaves results trimmed for ever.
        placeholder: The text; ``{tool}`` in it becomes the name of the tool.
    """

    enabled: bool = True
    placeholder: str = PLACEHOLDER


class PruningLimits(NamedTuple):
    """Limits for tools of their own; None leaves that limit as it is for all tools.

    Attributes:
        min_prunable_tool_chars: How long a result must be to be touched, with ``basis="age"``.
        soft_trim: How a result is trimmed; False for not at all.
        hard_clear: What takes its place.
    """

    min_prunable_tool_chars: int | None = None
    soft_trim: SoftTrim | Literal[False] | None = None
    hard_clear: HardClear | None = None


class ContextPruningStrategy(Strategy):
    r"""Shortens old tool results in place: to their start and end, and later to a placeholder.

    Only texts of tool results are touched, and never those before the first user message, those of
    the newest assistant turns, those of a call that waits for another result, and those with images
    or other binary parts. A shortened result is a copy of the caller's message with its call id and
    every other key; what is shortened stays so, byte for byte, until ``index.restore``. Sizes are
    those of the results as they came, in Unicode code points.

    Args:
        basis: What the ratios are shares of. ``"age"``: the distance of the result from the end of
            the list, as a share of all messages. ``"utilisation"``: the tokens in use, as a share of
            ``max_context_tokens``; the oldest results are trimmed until the share is under
            ``soft_trim_ratio``, and where that is not enough, cleared until it is under
            ``hard_clear_ratio``.
        max_context_tokens: The context window; needed for ``"utilisation"``, and only there.
        keep_last_assistants: The newest assistant turns that are left alone. An assistant turn is an
            unbroken run of assistant and tool messages; one that the list ends with is always left
            alone.
        soft_trim_ratio: From this share on results are trimmed.
        hard_clear_ratio: From this share on results are cleared.
        min_prunable_tool_chars: With ``"age"``, results of fewer characters are left alone; with
            ``"utilisation"``, nothing happens unless the results that could be shortened hold so
            many together.
        soft_trim: How results are trimmed; False for not at all.
        hard_clear: What takes the place of cleared results.
        allow: Name patterns of the only tools whose results are touched; ``*`` and ``?`` stand for
            any characters and for one. By default all tools.
        deny: Name patterns of tools whose results are left alone, whatever is allowed.
        tool_limits: Limits for tools of their own, by name pattern; the first that fits counts.
        unit: ``"tokens"`` counts all these limits in tokens of the index's tokenizer.
        min_tokens_freed: Nothing happens unless it frees so many tokens: each change makes a prompt
            cache start anew.
        tokenizer: Counts tokens; by default that of the index.
        trigger: Starts where this is true; by default always.
        target: Stops where this is true; by default where ``trigger`` no longer is.

    Raises:
        OptionError: A wrong value; names the option.
        OptionTypeError: A wrong type; names the option.

    Example:
        >>> from chatfold import MessageIndex
        >>> call = {"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{}"}}
        >>> index = MessageIndex(
        ...     [
        ...         {"role": "user", "content": "What is in the file?"},
        ...         {"role": "assistant", "content": None, "tool_calls": [call]},
        ...         {"role": "tool", "tool_call_id": "c1", "content": "line\n" * 20_000},
        ...         {"role": "assistant", "content": "The same line, again and again."},
        ...         {"role": "user", "content": "And how often?"},
        ...     ]
        ... )
        >>> pruning = ContextPruningStrategy(keep_last_assistants=0, hard_clear_ratio=0.9)
        >>> index.compact(pruning).steps[0].shortened
        1
        >>> len(index.included_messages()[2]["content"])
        3036
    """

    def __init__(
        self,
        *,
        basis: Literal["age", "utilisation"] = "age",
        max_context_tokens: int | None = None,
        keep_last_assistants: int = 3,
        soft_trim_ratio: float = 0.3,
        hard_clear_ratio: float = 0.5,
        min_prunable_tool_chars: int = 50_000,
        soft_trim: SoftTrim | Literal[False] = SoftTrim(),  # noqa: B008 (it never changes)
        hard_clear: HardClear = HardClear(),  # noqa: B008 (it never changes)
        allow: Sequence[str] = (),
        deny: Sequence[str] = (),
        tool_limits: Mapping[str, PruningLimits] | None = None,
        unit: Literal["chars", "tokens"] = "chars",
        min_tokens_freed: int = 0,
        tokenizer: TokenizerLike = None,
        trigger: TriggerLike | None = None,
        target: TriggerLike | None = None,
    ) -> None:
        """Check the options."""
        when, callables = gate(trigger, target)
        limits = _limits("", min_prunable_tool_chars, soft_trim, hard_clear)
        tools: ToolsOf = (
            _patterns("allow", allow),
            _patterns("deny", deny),
            _tool_limits(tool_limits, min_prunable_tool_chars, soft_trim, hard_clear),
        )
        native = _core.Strategy.context_pruning(
            when,
            (
                _window(basis, max_context_tokens),
                ratio("soft_trim_ratio", soft_trim_ratio),
                ratio("hard_clear_ratio", hard_clear_ratio),
            ),
            small("keep_last_assistants", keep_last_assistants, at_least=0),
            limits,
            tools,
            choice("unit", unit, ("chars", "tokens")) == "tokens",
            integer("min_tokens_freed", min_tokens_freed, at_least=0),
        )
        self._set(native, callables, None if tokenizer is None else resolve(tokenizer))


def _window(basis: str, max_context_tokens: int | None) -> int | None:
    if choice("basis", basis, ("age", "utilisation")) == "age":
        if max_context_tokens is not None:
            raise only_one(
                "basis='age'", "max_context_tokens", "a window is for basis='utilisation'"
            )
        return None
    if max_context_tokens is None:
        raise OptionError("max_context_tokens is missing; basis='utilisation' is a share of it")
    return integer("max_context_tokens", max_context_tokens, at_least=1)


def _limits(of: str, least: object, soft_trim: object, hard_clear: object) -> LimitsOf:
    return (
        integer(f"{of}min_prunable_tool_chars", least, at_least=0),
        _trim(f"{of}soft_trim", soft_trim),
        _placeholder(f"{of}hard_clear", hard_clear),
    )


def _trim(name: str, value: object) -> tuple[int, int, int] | None:
    if value is False:
        return None
    if not isinstance(value, SoftTrim):
        raise OptionTypeError(f"{name} is {value!r}; pass a SoftTrim, or False to trim nothing")
    return (
        _most(f"{name}.max_chars", value.max_chars),
        integer(f"{name}.head_chars", value.head_chars, at_least=0),
        integer(f"{name}.tail_chars", value.tail_chars, at_least=0),
    )


def _most(name: str, value: object) -> int:
    if integer(name, value, at_least=0) == 0:
        return 0
    return integer(name, value, at_least=SHORTEST_TRIM, hint=", or 0")


def _placeholder(name: str, value: object) -> str | None:
    if not isinstance(value, HardClear):
        raise OptionTypeError(f"{name} is {value!r}; pass a HardClear")
    if not isinstance(value.enabled, bool):
        raise OptionTypeError(f"{name}.enabled is {value.enabled!r}; pass True or False")
    placeholder = utf8_text(f"{name}.placeholder", value.placeholder)
    if not placeholder:
        raise OptionError(f"{name}.placeholder is ''; some APIs refuse a result without text")
    return placeholder if value.enabled else None


def _patterns(name: str, value: Sequence[str]) -> list[str]:
    sequence(name, value, "name patterns")
    return [utf8_text(f"{name}[{at}]", each) for at, each in enumerate(value)]


def _tool_limits(
    value: Mapping[str, PruningLimits] | None, least: int, soft_trim: object, hard_clear: object
) -> list[tuple[str, LimitsOf]]:
    if value is None:
        return []
    if not isinstance(value, Mapping):
        raise OptionTypeError(f"tool_limits is {value!r}; pass a dict of PruningLimits by pattern")
    limits = []
    for pattern, own in value.items():
        name = f"tool_limits[{pattern!r}]"
        if not isinstance(own, PruningLimits):
            raise OptionTypeError(f"{name} is {own!r}; pass a PruningLimits")
        limits.append(
            (
                utf8_text("a pattern of tool_limits", pattern),
                _limits(
                    f"{name}.",
                    least if own.min_prunable_tool_chars is None else own.min_prunable_tool_chars,
                    soft_trim if own.soft_trim is None else own.soft_trim,
                    hard_clear if own.hard_clear is None else own.hard_clear,
                ),
            )
        )
    return limits

"""Old tool calls: removed, or collapsed into a digest."""

from collections.abc import Callable
from typing import Literal, NamedTuple

from chatfold import _core
from chatfold._options import choice, function, integer, only_one, small
from chatfold._types import Callables, ProtectionOf
from chatfold.strategies.base import Strategy, gate
from chatfold.triggers import TriggerLike, register

_SHORTEST_DIGEST = 64


class SelectiveToolCallCompactionStrategy(Strategy):
    """Excludes all tool-call groups but the newest; everything else stays.

    Args:
        keep_last_tool_call_groups: How many of the newest tool-call groups stay.
        trigger: Starts where this is true; by default always.
        target: Stops where this is true; by default where ``trigger`` no longer is.
        minimum_preserved: The newest non-system groups that always stay; 1.

    Raises:
        OptionError: A wrong value; names the option.
        OptionTypeError: A wrong type; names the option.
    """

    def __init__(
        self,
        *,
        keep_last_tool_call_groups: int = 1,
        trigger: TriggerLike | None = None,
        target: TriggerLike | None = None,
        minimum_preserved: int = 1,
    ) -> None:
        """Check the options."""
        keep_last = small("keep_last_tool_call_groups", keep_last_tool_call_groups, at_least=0)
        newest = small("minimum_preserved", minimum_preserved, at_least=1)
        when, callables = gate(trigger, target)
        native = _core.Strategy.selective_tool_calls(when, _keep(newest), keep_last)
        self._set(native, callables)


class ToolResult(NamedTuple):
    """One tool result, as a formatter gets it.

    Attributes:
        name: The name of the tool; empty where the call is unknown.
        text: The result as text; text parts are joined by line ends.
    """

    name: str
    text: str


Formatter = Callable[[list[ToolResult]], str]


class ToolResultCompactionStrategy(Strategy):
    """Replaces old tool-call groups by a digest, where the digest is shorter.

    Args:
        keep_last_tool_call_groups: How many of the newest tool-call groups stay as they are; 1.
        minimum_preserved: The newest non-system groups that stay as they are, in place of
            ``keep_last_tool_call_groups``; 2 where there is a ``trigger``.
        trigger: Starts where this is true; by default always.
        target: Stops where this is true; by default where ``trigger`` no longer is.
        style: ``"results"`` writes ``[Tool results: get_weather: sunny, 18°C]``, ``"names"`` writes
            ``[Tool calls: get_weather, search_docs]``.
        formatter: Writes the digest in place of a style: a function from a list of
            :class:`ToolResult` to text.
        max_chars: The most code points of a digest that a style writes.

    Raises:
        OptionError: A wrong value; names the option.
        OptionTypeError: A wrong type; names the option.
    """

    def __init__(
        self,
        *,
        keep_last_tool_call_groups: int | None = None,
        minimum_preserved: int | None = None,
        trigger: TriggerLike | None = None,
        target: TriggerLike | None = None,
        style: Literal["results", "names"] = "results",
        formatter: Formatter | None = None,
        max_chars: int = 4096,
    ) -> None:
        """Check the options."""
        if keep_last_tool_call_groups is not None and minimum_preserved is not None:
            raise only_one(
                "keep_last_tool_call_groups", "minimum_preserved", "say one way what stays"
            )
        by_groups = minimum_preserved is not None or (
            trigger is not None and keep_last_tool_call_groups is None
        )
        keep_last, newest = 0, 1
        if by_groups:
            wanted = 2 if minimum_preserved is None else minimum_preserved
            newest = small("minimum_preserved", wanted, at_least=1)
        else:
            wanted = 1 if keep_last_tool_call_groups is None else keep_last_tool_call_groups
            keep_last = small("keep_last_tool_call_groups", wanted, at_least=0)
        when, callables = gate(trigger, target)
        number, own = _formatter(formatter)
        native = _core.Strategy.tool_results(
            when,
            _keep(newest),
            keep_last,
            choice("style", style, ("results", "names")),
            number,
            integer("max_chars", max_chars, at_least=_SHORTEST_DIGEST),
        )
        self._set(native, callables | own)


def _keep(newest: int) -> ProtectionOf:
    """System messages are no tool calls, and neither are user messages."""
    return (True, False, False, newest)


def _formatter(formatter: Formatter | None) -> tuple[int | None, Callables]:
    if formatter is None:
        return None, {}
    function("formatter", formatter)

    def call(results: list[tuple[str, str]], _names: list[str]) -> str:
        return formatter([ToolResult(name, text) for name, text in results])

    return register(call)

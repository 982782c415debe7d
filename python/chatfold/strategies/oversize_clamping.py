"""Any single result, message or call that is too long, down to a share of the context window."""

from collections.abc import Sequence
from typing import Literal

from chatfold import _core
from chatfold._options import choice, integer, ratio, sequence
from chatfold.errors import OptionError
from chatfold.strategies.base import Strategy, gate
from chatfold.triggers import TriggerLike

_CHARS_PER_TOKEN = 4
_SHORTEST = 64
"""A limit that a marker fits into."""
_CLAMPABLE = ("results", "arguments", "assistant", "user", "system")


class OversizeClampingStrategy(Strategy):
    """Shortens every single message and call that takes more than its share of the context window.

    A text keeps its start and its end, with a marker between them, and is cut at a line end where
    one is near. The texts of a list content are measured together and share what the whole may take:
    the longest give way first, all down to the same size; where that were less than 64 characters,
    as many from both ends stay as fit, with so much each, and ``[...]`` takes the place of each of
    the others. Images and other parts stay. The newest group is clamped too, since one result alone
    may be more than a window holds; only groups that the caller protects are left alone, and
    stand-ins. No message is ever left out, and each keeps its call ids and every other key. What is
    clamped stays so until ``index.restore``.

    Arguments of tool calls stay valid JSON with the same keys: only long string values are
    shortened, the longest first, until the whole fits or no string is over 64 characters. Left alone
    are arguments that are no JSON, those of a legacy ``function_call``, and those of a group with a
    call that waits for its result.

    Args:
        max_context_window_tokens: The context window of the model.
        max_share: The share of it that the content of one message, or the arguments of one call, may
            take, at four characters a token. Tokens are not counted: a text in a script that takes more of them a character may take more.
        clamp: What is clamped: ``"results"`` of tools, ``"arguments"`` of tool calls, and what
            ``"assistant"``, ``"user"`` and ``"system"`` messages say.
        trigger: Starts where this is true; by default always.
        target: Stops where this is true; by default where ``trigger`` no longer is.

    Raises:
        OptionError: A wrong value; names the option.
        OptionTypeError: A wrong type; names the option.

    Example:
        >>> from chatfold import compact
        >>> long = {"role": "assistant", "content": "word " * 5000}
        >>> clamping = OversizeClampingStrategy(max_context_window_tokens=8000)
        >>> len(compact([long], clamping)[0]["content"]) <= 8000
        True
    """

    def __init__(
        self,
        *,
        max_context_window_tokens: int,
        max_share: float = 0.25,
        clamp: Sequence[Literal["results", "arguments", "assistant", "user", "system"]] = (
            "results",
            "assistant",
        ),
        trigger: TriggerLike | None = None,
        target: TriggerLike | None = None,
    ) -> None:
        """Check the options."""
        window = integer("max_context_window_tokens", max_context_window_tokens, at_least=1)
        share = ratio("max_share", max_share)
        most = int(min(window, 2**53) * share * _CHARS_PER_TOKEN)
        if most < _SHORTEST:
            raise OptionError(
                f"max_share is {max_share!r} of max_context_window_tokens {window}, which is {most} "
                f"characters; pass a share and a window that give at least {_SHORTEST}"
            )
        sequence("clamp", clamp, "what is clamped")
        if not clamp:
            raise OptionError(f"clamp is {clamp!r}; pass at least one of {', '.join(_CLAMPABLE)}")
        chosen = {choice(f"clamp[{at}]", each, _CLAMPABLE) for at, each in enumerate(clamp)}
        when, callables = gate(trigger, target)
        native = _core.Strategy.oversize_clamping(
            when,
            most,
            "results" in chosen,
            "arguments" in chosen,
            ("assistant" in chosen, "user" in chosen, "system" in chosen),
        )
        self._set(native, callables)

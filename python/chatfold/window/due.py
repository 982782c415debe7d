"""Whether a summary is due, from the figures of a turn."""

from typing import Protocol, cast

__all__ = ["should_summarize"]


class TriggerLike(Protocol):
    """The trigger of a configuration: its kind and its number."""

    @property
    def type(self) -> str:
        """Its kind."""
        ...

    @property
    def value(self) -> float:
        """Its number."""
        ...


def should_summarize(
    trigger: object | None,
    *,
    max_context_tokens: int | None,
    tokens_before: int | None,
    remaining_tokens: int | None,
    messages_to_refine: int,
) -> bool:
    """Tell whether a summary is due.

    What is free is told by the window and the tokens that were in use before anything was pruned or
    dropped; where one of the two is not known, by ``remaining_tokens``. A figure that is needed and
    not known means no.

    Args:
        trigger: A trigger of a configuration; None for whenever there is something to summarize.
        max_context_tokens: The context window.
        tokens_before: Tokens in use before pruning.
        remaining_tokens: Tokens that are free after it.
        messages_to_refine: How many messages a summary would take the place of; with 0 none is due.
    """
    if messages_to_refine <= 0:
        return False
    if trigger is None:
        return True
    kind, value = cast("TriggerLike", trigger).type, cast("TriggerLike", trigger).value
    if kind == "messages_to_refine":
        return messages_to_refine >= value
    free = remaining_tokens
    if max_context_tokens is not None and tokens_before is not None:
        free = max_context_tokens - tokens_before
    if free is None:
        return False
    if kind == "remaining_tokens":
        return free <= value
    return max_context_tokens is not None and 1 - free / max_context_tokens >= value

"""The blocks inside the ``summarization`` block."""

from typing import Annotated, Literal, TypeAlias

from pydantic import ConfigDict, Field

from chatfold.config.values import Allowed, Block, Flag, Natural, Positive, Share, Words, whole


class Kind(Block):
    """A kind of trigger: it is told by its type, which a file always has to name."""

    model_config = ConfigDict(json_schema_extra={"required": ["type", "value"]})


class TokenRatio(Kind):
    """Summarize when this share of the context window is in use.

    Attributes:
        value: From 0 to 1.
    """

    type: Literal["token_ratio"] = "token_ratio"
    value: Share


class RemainingTokens(Kind):
    """Summarize when no more tokens than that are free.

    Attributes:
        value: Tokens, at least 1.
    """

    type: Literal["remaining_tokens"] = "remaining_tokens"
    value: Positive


class MessagesToRefine(Kind):
    """Summarize when at least so many messages would be dropped.

    Attributes:
        value: Messages, at least 1.
    """

    type: Literal["messages_to_refine"] = "messages_to_refine"
    value: Positive


TriggerBlock: TypeAlias = Annotated[
    TokenRatio | RemainingTokens | MessagesToRefine,
    Field(discriminator="type"),
    Allowed("token_ratio, remaining_tokens or messages_to_refine"),
]
"""When a summary is written."""


class RetainRecent(Block):
    """How much of the end of a conversation stays word for word.

    Attributes:
        turns: The newest turns, from 0 to 20.
        tokens: Turns before the newest stay while all of them have no more tokens than that.
    """

    turns: Annotated[int, *whole(0, 20)] = 2
    tokens: Positive | None = None


class SoftTrim(Block):
    """What is left of an old tool result at first.

    Attributes:
        max_chars: Results of no more characters are left alone.
        head_chars: How many characters of the start stay.
        tail_chars: How many characters of the end stay.
    """

    max_chars: Natural = 4_000
    head_chars: Natural = 1_500
    tail_chars: Natural = 1_500


class HardClear(Block):
    """What is left of an older one.

    Attributes:
        enabled: Whether results are cleared at all.
        placeholder: What stands in their place.
    """

    enabled: Flag = True
    placeholder: Words = "[Old tool result content cleared]"


class ContextPruning(Block):
    """How tool results fade with age.

    Attributes:
        enabled: Whether they do.
        keep_last_assistants: The newest assistant turns are left alone; from 0 to 10.
        soft_trim_ratio: The age, as a share of what is still sent, from which results are trimmed.
        hard_clear_ratio: The age from which they are cleared.
        min_prunable_tool_chars: Shorter results are left alone.
        soft_trim: What trimming leaves.
        hard_clear: What clearing leaves.
    """

    enabled: Flag = False
    keep_last_assistants: Annotated[int, *whole(0, 10)] = 3
    soft_trim_ratio: Share = 0.3
    hard_clear_ratio: Share = 0.5
    min_prunable_tool_chars: Natural = 50_000
    soft_trim: SoftTrim = SoftTrim()
    hard_clear: HardClear = HardClear()

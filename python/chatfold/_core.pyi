from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, ClassVar, Final, Self, TypeAlias, final, overload

from typing_extensions import disjoint_base

from chatfold._types import (
    Callables,
    CountsOf,
    GroupKind,
    LimitsOf,
    ProtectionOf,
    SavedOf,
    ToolsOf,
    VersionOf,
)

__all__ = [
    "DEBUG",
    "VERSION",
    "Execution",
    "Figures",
    "GroupList",
    "MessageGroup",
    "MessageIndex",
    "Strategy",
    "StrategyStep",
    "Tokenizer",
    "Trigger",
    "ask",
    "compact_all",
    "count_cache_clear",
    "count_cache_info",
    "count_cache_resize",
    "encoding_for_model",
    "encoding_names",
    "exclude",
    "fingerprint",
    "include",
    "include_floor",
    "load",
    "protect",
    "read_floor",
    "read_newest",
    "replace",
    "restore",
    "save",
    "sync",
    "work_done",
]

_GateOf: TypeAlias = tuple[Trigger, Trigger | None]

VERSION: Final[str]
DEBUG: Final[bool]

@final
class Tokenizer:
    @staticmethod
    def estimator(chars_per_token: int, cjk_aware: bool) -> Tokenizer: ...
    @staticmethod
    def encoding(name: str) -> Tokenizer: ...
    @staticmethod
    def custom(count_tokens: Callable[[str], int], name: str, number: int) -> Tokenizer: ...
    def count_tokens(self, text: str) -> int: ...
    def encode(self, text: str) -> list[int]: ...
    def vocabulary(self) -> list[tuple[bytes, int]]: ...

@final
class Trigger:
    @staticmethod
    def constant(value: bool) -> Trigger: ...
    @staticmethod
    def exceeds(metric_name: str, limit: int) -> Trigger: ...
    @staticmethod
    def below(metric_name: str, limit: int) -> Trigger: ...
    @staticmethod
    def has_tool_calls() -> Trigger: ...
    @staticmethod
    def all_of(triggers: list[Trigger]) -> Trigger: ...
    @staticmethod
    def any_of(triggers: list[Trigger]) -> Trigger: ...
    @staticmethod
    def negated(trigger: Trigger) -> Trigger: ...
    @staticmethod
    def custom(number: int) -> Trigger: ...

@final
class Strategy:
    @staticmethod
    def truncation(
        when: _GateOf, keep: ProtectionOf, spared: MessageGroup | None = None
    ) -> Strategy:
        """Make one; it keeps the group that is spared as well, where that is included."""

    @staticmethod
    def sliding_window(when: _GateOf, keep: ProtectionOf, turns: bool, window: int) -> Strategy: ...
    @staticmethod
    def selective_tool_calls(when: _GateOf, keep: ProtectionOf, keep_last: int) -> Strategy: ...
    @staticmethod
    def tool_results(
        when: _GateOf,
        keep: ProtectionOf,
        keep_last: int,
        style: str,
        formatter: int | None,
        max_chars: int,
    ) -> Strategy: ...
    @staticmethod
    def context_pruning(
        when: _GateOf,
        basis: tuple[int | None, float, float],
        keep_last_assistants: int,
        limits: LimitsOf,
        tools: ToolsOf,
        by_tokens: bool,
        min_tokens_freed: int,
    ) -> Strategy: ...
    @staticmethod
    def observation_masking(when: _GateOf, budget: int | None, min_chars: int) -> Strategy: ...
    @staticmethod
    def oversize_clamping(
        when: _GateOf,
        max_chars: int,
        results: bool,
        arguments: bool,
        speakers: tuple[bool, bool, bool],
    ) -> Strategy: ...
    @staticmethod
    def pipeline(strategies: list[Strategy]) -> Strategy: ...
    @staticmethod
    def token_budget(
        budget: int,
        compact_to: int,
        strategies: list[Strategy],
        early_stop: bool,
        keep: ProtectionOf,
    ) -> Strategy: ...
    @staticmethod
    def custom(number: int) -> Strategy: ...

@final
class MessageGroup:
    @property
    def kind(self) -> GroupKind: ...
    @property
    def positions(self) -> tuple[int, ...]: ...
    @property
    def messages(self) -> list[Any]: ...
    @property
    def message_count(self) -> int: ...
    @property
    def byte_count(self) -> int: ...
    @property
    def token_count(self) -> int: ...
    @property
    def turn(self) -> int | None: ...
    @property
    def pending(self) -> bool: ...
    @property
    def protected(self) -> bool: ...
    @property
    def excluded(self) -> bool: ...
    @property
    def exclude_reason(self) -> str | None: ...
    @property
    def summary(self) -> MessageGroup | None: ...
    @property
    def summarizes(self) -> list[MessageGroup]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class GroupList:
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[MessageGroup]: ...
    @overload
    def __getitem__(self, number: int, /) -> MessageGroup: ...
    @overload
    def __getitem__(self, number: slice, /) -> list[MessageGroup]: ...

@disjoint_base
class MessageIndex:
    def __new__(
        cls,
        tokenizer: Tokenizer,
        overhead: tuple[int, int],
        parts: tuple[int, int, int, int],
    ) -> Self: ...
    @property
    def messages(self) -> list[Any]: ...
    @property
    def version(self) -> VersionOf: ...
    def __len__(self) -> int: ...
    @property
    def groups(self) -> GroupList: ...
    def append(self, message: object) -> None: ...
    def extend(self, messages: Iterable[object]) -> None: ...
    def included_messages(self) -> list[Any]: ...
    @property
    def included_groups(self) -> list[MessageGroup]: ...
    @property
    def protected_groups(self) -> list[MessageGroup]: ...
    def group_of(self, position: int) -> MessageGroup: ...
    def _included_summaries(self) -> list[MessageGroup]:
        """List the summaries and digests that are included; costs as much as there are."""

    def _included_floor(self) -> list[MessageGroup]:
        """List what every strategy keeps beside system messages; costs as much as that is."""

    def _excluded_for(self, reason: str, since: VersionOf | None = None) -> list[MessageGroup]:
        """List the groups that are excluded for a reason and that no stand-in stands for.

        With a version, those that changed since; it costs as much as the changes are.
        """

    def _included_counts(self) -> CountsOf: ...
    def _total_counts(self) -> CountsOf: ...
    def _included_tokens(self) -> int: ...
    def _total_tokens(self) -> int: ...
    def _uncounted_bytes(self) -> int: ...
    def _set_tokenizer(self, tokenizer: Tokenizer) -> None: ...

@final
class Execution:
    def __new__(cls, index: MessageIndex, strategy: Strategy, callables: Callables) -> Self: ...
    def advance(self, claims: dict[int, Any] | None = None) -> int | None: ...
    def abort(self) -> None: ...
    def outcome(
        self, own: list[tuple[str, bool]]
    ) -> tuple[Figures, Figures, tuple[StrategyStep, ...], bool, int | None]: ...

@final
class Figures:
    """What was included at one moment.

    Attributes:
        messages: How many messages.
        groups: How many groups.
        turns: How many turns, without turn 0.
        bytes: UTF-8 bytes of text.
    """

    def __new__(cls, counts: CountsOf, tokens: int) -> Self: ...
    @property
    def messages(self) -> int: ...
    @property
    def groups(self) -> int: ...
    @property
    def turns(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def tokens(self) -> int:
        """Exact tokens; counted when first read where no decision needed them."""

    @property
    def known_tokens(self) -> int | None:
        """The tokens where they are known already, else None; never counts."""

    def __getnewargs__(self) -> tuple[CountsOf, int]: ...
    def __eq__(self, other: object, /) -> bool: ...
    __hash__: ClassVar[None]  # type: ignore[assignment]  # equal figures may still be counting

@final
class StrategyStep:
    """What one strategy of a run did.

    Attributes:
        strategy: Its name.
        reason: Why it excluded what it excluded.
        groups: How many groups it excluded or replaced, or shortened messages of.
        shortened: How many messages it shortened in place.
        target_met: Whether its target was true at the end.
        seconds: How long it took.
    """

    def __new__(
        cls,
        strategy: str,
        *,
        reason: str,
        groups: int,
        shortened: int = 0,
        target_met: bool,
        seconds: float,
        freed: int,
    ) -> Self: ...
    @property
    def strategy(self) -> str: ...
    @property
    def reason(self) -> str: ...
    @property
    def groups(self) -> int: ...
    @property
    def shortened(self) -> int: ...
    @property
    def target_met(self) -> bool: ...
    @property
    def seconds(self) -> float: ...
    @property
    def tokens_freed(self) -> int:
        """Exact tokens that it freed; counted when first read."""

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]: ...

def exclude(index: MessageIndex, group: MessageGroup, reason: str, by_caller: bool) -> bool: ...
def restore(index: MessageIndex, group: MessageGroup) -> bool: ...
def include(index: MessageIndex, groups: list[MessageGroup]) -> None:
    """Include groups again, each with the texts that it held last."""

def protect(index: MessageIndex, group: MessageGroup, protected: bool) -> bool: ...
def replace(
    index: MessageIndex,
    groups: Iterable[MessageGroup],
    text: str,
    role: str,
    reason: str,
    by_caller: bool,
) -> MessageGroup | None: ...
def read_newest(index: MessageIndex, messages: list[Any], strategy: Strategy) -> bool: ...
def read_floor(messages: list[Any]) -> int: ...
def ask(trigger: Trigger, index: MessageIndex, callables: Callables) -> bool: ...
def encoding_names() -> list[str]: ...
def encoding_for_model(model: str) -> str | None: ...
def save(index: MessageIndex) -> SavedOf: ...
def load(index: MessageIndex, saved: SavedOf) -> bool: ...
def fingerprint(index: MessageIndex) -> str: ...
def sync(index: MessageIndex, messages: list[Any]) -> int: ...
def include_floor(index: MessageIndex) -> None: ...
def work_done() -> tuple[int, int, int, int]: ...
def count_cache_info() -> tuple[int, int, int, int]: ...
def count_cache_resize(capacity: int) -> None: ...
def count_cache_clear() -> None: ...
def compact_all(
    indexes: Sequence[MessageIndex], strategy: Strategy, threads: int
) -> list[Exception | None]: ...

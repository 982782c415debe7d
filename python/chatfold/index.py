"""The message index: the structured view over a list of messages."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Self

from chatfold import _core
from chatfold._logging import info
from chatfold._run import Accept, change, refuse_within_a_run, runs_within
from chatfold._traced import traced, traced_async
from chatfold.errors import OptionTypeError, TokenizerMismatchError
from chatfold.overhead import Overhead
from chatfold.report import CompactionReport
from chatfold.state import (
    check_state,
    load_state,
    saved_overhead,
    saved_tokenizer,
    to_state,
)
from chatfold.strategies import Strategy, StrategyLike, as_strategy
from chatfold.tokenizers import Tokenizer, TokenizerLike, native, resolve

__all__ = ["MessageGroup", "MessageIndex"]

MessageGroup = _core.MessageGroup
"""One group of an index; its properties tell its state at the time of asking."""


def check_iterable(
    messages: Iterable[Any],
    name: str = "messages",
    hint: str = "pass a list of messages, and one message with append(message)",
) -> list[Any]:
    """List messages, unless they are no list of messages but one message, or text."""
    if isinstance(messages, (str, bytes, Mapping)) or not hasattr(messages, "__iter__"):
        raise OptionTypeError(f"{name} is a {type(messages).__name__}; {hint}")
    return list(messages)


class MessageIndex(_core.MessageIndex):
    """A list of messages in groups and turns, with what of it is included.

    Make one for each conversation and keep it: a further turn costs the same however long the
    history is. The messages stay the caller's own objects and are never changed; do not change them
    either once the index has them.

    Args:
        messages: OpenAI chat messages: dicts, other mappings, or the ``openai`` package's models.
        tokenizer: See :mod:`chatfold.tokenizers`; by default that of the first strategy that has
            one, else the character estimator.
        overhead: What counts beside text.

    Raises:
        MessageError: A message that can't be read; names its position.

    Example:
        >>> index = MessageIndex([{"role": "user", "content": "What is the capital of Peru?"}])
        >>> index.append({"role": "assistant", "content": "Lima."})
        >>> index.included_message_count, index.groups[1].kind
        (2, 'assistant_text')
    """

    _tokenizer: Tokenizer | None
    overhead: Overhead

    def __new__(
        cls,
        messages: Iterable[Any] = (),
        *,
        tokenizer: TokenizerLike = None,
        overhead: Overhead | None = None,
    ) -> Self:
        """Read the messages."""
        overhead = Overhead() if overhead is None else overhead
        if not isinstance(overhead, Overhead):
            raise OptionTypeError(f"overhead is {overhead!r}; pass a chatfold.Overhead")
        chosen = None if tokenizer is None else resolve(tokenizer)
        self = super().__new__(
            cls,
            native(resolve() if chosen is None else chosen),
            (overhead.per_message, overhead.per_history),
            (overhead.image, overhead.audio, overhead.file, overhead.other),
        )
        self._tokenizer = chosen
        self.overhead = overhead
        self.extend(messages)
        return self

    def extend(self, messages: Iterable[Any]) -> None:
        """Take more messages; where one of them can't be read, none is taken.

        Raises:
            MessageError: A message that can't be read; names its position.
        """
        super().extend(messages if isinstance(messages, list) else check_iterable(messages))

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer that the index counts with."""
        return resolve() if self._tokenizer is None else self._tokenizer

    def use_tokenizer(self, tokenizer: TokenizerLike) -> None:
        """Count with this tokenizer; refuse where the index has another already.

        Raises:
            TokenizerMismatchError: The index has another one.
        """
        wanted = resolve(tokenizer)
        if self._tokenizer is None:
            if wanted != resolve():
                self._set_tokenizer(native(wanted))
            self._tokenizer = wanted
        elif self._tokenizer != wanted:
            raise TokenizerMismatchError(
                f"the index counts with {self._tokenizer!r} and the strategy with {wanted!r}; give "
                "both the same object, or the strategy none"
            )

    def sync(self, messages: Iterable[Any]) -> int:
        """Make the index one about this list, as an agent loop hands it out turn after turn.

        Messages that the index knows are recognised by identity, else by content, and not read
        again. Where a known message is another now, or missing, the list goes back: the index is built
        anew, and what strategies excluded, replaced or shortened since it had no more than the known
        messages is taken back. What they decided for the call that answers the first new message
        stays. A text that somebody wrote, such as a summary, stays where all that it stands for is
        known, and at least half of what followed that then. What you excluded or replaced yourself
        stays. The floor is included in any case: the newest group, the last user message, and a call
        that waits.

        A system message in the place of another one, such as one that tells the time, counts as known:
        all else stays as it was, though every message is read again. Groups taken before a change are
        of the old list then, and a strategy that is at work meanwhile can't be undone any more: the
        strategy's own code, or a trigger, can't sync.

        Returns:
            How many messages at the start of the list were known.

        Raises:
            MessageError: A message that can't be read; the index is as it was.
            ChatfoldError: A strategy or a trigger of the caller's own that is at work on the index
                called it.
        """
        refuse_within_a_run(self)
        return _core.sync(
            self, messages if isinstance(messages, list) else check_iterable(messages)
        )

    def to_state(self) -> dict[str, Any]:
        """Save what the index knows beyond its messages, in plain JSON types.

        That is: counts, what is excluded and why, stand-ins and what they stand for, what shortened
        messages hold. The messages are not in it. Give both to :meth:`from_state`, in this process or in another.
        """
        return to_state(self)

    @classmethod
    def from_state(
        cls,
        state: Mapping[str, Any],
        messages: Iterable[Any],
        *,
        tokenizer: TokenizerLike = None,
        overhead: Overhead | None = None,
    ) -> "MessageIndex":
        """Load an index from its state and the messages that it was about.

        Args:
            state: What :meth:`to_state` returned.
            messages: The list as it was then.
            tokenizer: By default the one that the state was saved with, which must be given where
                it is not built in. The counts of the state are used with the same built-in one;
                with any other everything is counted anew when needed.
            overhead: By default the one that the state was saved with.

        Raises:
            StateError: A state of another version, a damaged one, one for other messages, or one
                whose tokenizer has to be given.
        """
        checked = check_state(state)
        chosen = saved_tokenizer(checked) if tokenizer is None else tokenizer
        if overhead is None:
            overhead = saved_overhead(checked)
        index = cls(messages, tokenizer=chosen, overhead=overhead)
        load_state(index, checked)
        return index

    @property
    def included_message_count(self) -> int:
        """Messages that are kept, stand-ins among them."""
        return self._included_counts()[0]

    @property
    def included_group_count(self) -> int:
        """Groups that are kept."""
        return self._included_counts()[1]

    @property
    def included_turn_count(self) -> int:
        """Turns of which something is kept; what precedes the first user message does not count."""
        return self._included_counts()[2]

    @property
    def included_byte_count(self) -> int:
        """UTF-8 bytes of text that are kept."""
        return self._included_counts()[3]

    @property
    def included_token_count(self) -> int:
        """Tokens that are kept, with the overhead; counted now where they were not known."""
        return self._included_tokens()

    @property
    def total_message_count(self) -> int:
        """Messages of all groups, stand-ins among them."""
        return self._total_counts()[0]

    @property
    def total_group_count(self) -> int:
        """All groups."""
        return self._total_counts()[1]

    @property
    def total_turn_count(self) -> int:
        """All turns: the number of user messages."""
        return self._total_counts()[2]

    @property
    def total_byte_count(self) -> int:
        """UTF-8 bytes of text of all groups."""
        return self._total_counts()[3]

    @property
    def total_token_count(self) -> int:
        """Tokens of all groups, with the overhead; counted now where they were not known."""
        return self._total_tokens()

    def exclude(self, group: MessageGroup, *, reason: str) -> bool:
        """Leave a group out of what is kept; say whether it was in.

        It stays so until :meth:`restore`. What the code of a strategy excludes while it runs may come
        back where the list goes back: see :meth:`sync`.

        Raises:
            OptionError: The group belongs to another index.
            OptionTypeError: It is no group, or the reason is no text.
        """
        by_caller = not runs_within(self)
        return change(self, _core.exclude, self, group, reason, by_caller)

    def restore(self, group: MessageGroup) -> bool:
        """Include a group again, with its full texts; say whether anything changed.

        Where a stand-in stands for it, that goes, and what else it stood for comes back too.

        Raises:
            OptionError: The group belongs to another index.
            OptionTypeError: It is no group.
        """
        return change(self, _core.restore, self, group)

    def protect(self, group: MessageGroup) -> bool:
        """Protect a group from every strategy; say whether that is new.

        It stays so until :meth:`unprotect`, in the saved state too. What is excluded already does not
        come back by it, and :meth:`exclude` and :meth:`replace` take no notice of it.

        Raises:
            OptionError: The group is a stand-in, or belongs to another index.
            OptionTypeError: It is no group.
        """
        return change(self, _core.protect, self, group, protected=True)

    def unprotect(self, group: MessageGroup) -> bool:
        """Protect a group no longer; say whether it was protected."""
        return change(self, _core.protect, self, group, protected=False)

    def replace(
        self, groups: Iterable[MessageGroup], text: str, *, reason: str, role: str = "assistant"
    ) -> MessageGroup | None:
        """Put a message with this text in the place of included groups, at the first of them.

        A lone surrogate in the text becomes U+FFFD.

        Returns:
            The group that stands for them; None, and nothing happens, where the text is not shorter
            in UTF-8 bytes than what it would replace.

        Raises:
            OptionError: A group belongs to another index or is excluded, or a wrong role.
            OptionTypeError: Something that is no group, or no text.
        """
        listed = list(groups) if hasattr(groups, "__iter__") else groups
        by_caller = not runs_within(self)
        return change(self, _core.replace, self, listed, text, role, reason, by_caller)

    def compact(self, strategy: StrategyLike) -> CompactionReport:
        """Run a strategy.

        Raises:
            AsyncStrategyError: The strategy must be awaited: use :meth:`acompact`.
        """
        chosen = as_strategy("strategy", strategy)
        if chosen.tokenizer is None or chosen.tokenizer == self._tokenizer:
            return self._logged(traced(self, chosen))
        with self._counting_with(chosen.tokenizer):
            return self._logged(traced(self, chosen))

    async def acompact(self, strategy: StrategyLike) -> CompactionReport:
        """Run a strategy that may have to wait; after an error or a cancellation all is as before."""
        chosen = as_strategy("strategy", strategy)
        with self._counting_with(chosen.tokenizer):
            return self._logged(await traced_async(self, chosen))

    async def _acompact(
        self, strategy: Strategy, *, tokenizer: Tokenizer | None, accept: Accept | None
    ) -> CompactionReport:
        """Run a strategy for who owns the index: its tokenizer may change, and a run be refused."""
        with self._counting_with(tokenizer, another=True):
            return self._logged(await traced_async(self, strategy, accept))

    @contextmanager
    def _counting_with(
        self, tokenizer: Tokenizer | None, *, another: bool = False
    ) -> Iterator[None]:
        """Take a tokenizer over, unless the run fails; in place of another one only if told so."""
        before = self._tokenizer
        if another and tokenizer is not None and before is not None and before != tokenizer:
            self._tokenizer = tokenizer
            self._set_tokenizer(native(tokenizer))
        elif tokenizer is not None:
            self.use_tokenizer(tokenizer)
        try:
            yield
        except BaseException:
            if self._tokenizer is not before:
                self._tokenizer = before
                self._set_tokenizer(native(self.tokenizer))
            raise

    @staticmethod
    def _logged(report: CompactionReport) -> CompactionReport:
        info("%s", report)
        return report

    def __reduce__(self) -> tuple[Callable[..., "MessageIndex"], tuple[Any, ...]]:
        """Pickle the messages, the state and the tokenizer."""
        return _load, (type(self), self.messages, self.to_state(), self._tokenizer)

    def __repr__(self) -> str:
        """Show how much is kept of how much."""
        return f"<MessageIndex: {self.included_message_count:,} of {len(self):,} messages kept>"


def _load(
    cls: type[MessageIndex],
    messages: list[Any],
    state: dict[str, Any],
    tokenizer: Tokenizer | None,
) -> MessageIndex:
    index = cls.from_state(state, messages, tokenizer=tokenizer)
    index._tokenizer = tokenizer
    return index

"""Which groups a summary takes the place of, and which stay as they are.

Always kept: system messages, what every strategy keeps, and the newest groups of the tail. A summary is
never a part of the tail: whatever is summarized goes into one together with the summaries that were
there, so that one remains.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

from chatfold import _core
from chatfold._options import integer, small
from chatfold._run import undo
from chatfold.index import MessageGroup, MessageIndex
from chatfold.summarization.entries import summary_text
from chatfold.summarization.floor import floor, speaks_as_user
from chatfold.triggers import Trigger, register

__all__ = ["RetainRecent"]


class RetainRecent:
    """The newest turns, kept word for word.

    Args:
        turns: How many turns are kept at most; the newest one is kept always. With 0 nothing is
            kept but what every strategy keeps.
        tokens: Further turns are kept, whole, while all of them together have no more tokens.

    Raises:
        OptionError: A wrong value; names the option.
        OptionTypeError: A wrong type; names the option.
    """

    __slots__ = ("tokens", "turns")

    def __init__(self, *, turns: int = 2, tokens: int | None = None) -> None:
        """Check the numbers."""
        self.turns = small("turns", turns, at_least=0)
        self.tokens = None if tokens is None else integer("tokens", tokens, at_least=0)

    def __repr__(self) -> str:
        """Show the options."""
        return f"RetainRecent(turns={self.turns}, tokens={self.tokens})"

    def tail(self, newest: Iterable[MessageGroup]) -> set[MessageGroup]:
        """Choose from groups, the newest first."""
        kept: set[MessageGroup] = set()
        tokens = 0
        for number, groups in enumerate(_turns(newest)):
            # What precedes the first user message is no turn.
            if number >= self.turns or groups[0].turn == 0:
                break
            if self.tokens is not None:
                tokens += sum(group.token_count for group in groups)
                if number and tokens > self.tokens:
                    break
            kept.update(groups)
        return kept


class NewestGroups(NamedTuple):
    """A tail of so many groups."""

    groups: int

    def tail(self, newest: Iterable[MessageGroup]) -> set[MessageGroup]:
        """Choose from groups, the newest first."""
        return {group for _, group in zip(range(self.groups), newest, strict=False)}


class NewestMessages(NamedTuple):
    """A tail of whole groups that hold at least so many messages."""

    messages: int

    def tail(self, newest: Iterable[MessageGroup]) -> set[MessageGroup]:
        """Choose from groups, the newest first."""
        kept: set[MessageGroup] = set()
        messages = 0
        for group in newest:
            if messages >= self.messages:
                break
            messages += group.message_count
            kept.add(group)
        return kept


Tail: TypeAlias = RetainRecent | NewestGroups | NewestMessages

Enough: TypeAlias = Callable[[list[MessageGroup]], list[MessageGroup]]
"""Takes groups, oldest first, and gives as much of their start as has to go."""


class Selection(NamedTuple):
    """What a summary is about.

    Attributes:
        previous: The summaries so far.
        fresh: The groups that no summary has taken the place of yet, oldest first.
        shown: These, and for context the user messages of their turns that stay, in order.
    """

    previous: list[MessageGroup]
    fresh: list[MessageGroup]
    shown: list[MessageGroup]


def select(
    index: MessageIndex,
    tail: Tail,
    user_tokens: int,
    enough: Enough,
    *,
    people: bool,
) -> Selection:
    """Choose what is summarized.

    Args:
        index: The index.
        tail: Which of the newest groups stay.
        user_tokens: How many tokens of user messages stay beside the summary, newest first.
        enough: How much of what may go has to go.
        people: Whether messages of the list in the role of the user are people's where they open like
            a summary, too: then they are user messages that may stay.
    """
    groups = [group for group in index.included_groups if group.kind != "system"]
    always = floor(index)
    summaries = [
        group
        for group in groups
        if group not in always
        and summary_text(group) is not None
        and not (people and user_tokens and speaks_as_user(group))
    ]
    merged = set(summaries)
    spoken = [group for group in groups if group not in merged]
    users = [group for group in spoken if speaks_as_user(group)]
    kept = tail.tail(reversed(spoken)) | always
    kept.update(_within(user_tokens, [group for group in users if group not in kept]))
    fresh = enough([*summaries, *(group for group in spoken if group not in kept)])
    fresh = [group for group in fresh if group not in merged]
    turns = {group.turn for group in fresh}
    shown = {*fresh, *(group for group in users if group in kept and group.turn in turns)}
    return Selection(summaries, fresh, [group for group in spoken if group in shown])


def until(index: MessageIndex, target: Trigger, *, room: int) -> Enough:
    """Make what takes groups, oldest first, until a target is true, and then ``room`` tokens more.

    The oldest of them is left in place while the target is asked: it stands for the summary.
    """

    def enough(groups: list[MessageGroup]) -> list[MessageGroup]:
        if target(index):
            return []
        run = _core.Execution(index, _NOTHING, {})
        run.advance()
        try:
            for number, group in enumerate(groups[1:], 2):
                index.exclude(group, reason="to be summarized")
                if target(index):
                    return _and_more(groups, number, room)
        finally:
            undo(index, run)
        return groups

    return enough


_NOTHING = _core.Strategy.custom(register(bool)[0])


def _and_more(groups: list[MessageGroup], number: int, tokens: int) -> list[MessageGroup]:
    while tokens > 0 and number < len(groups):
        tokens -= groups[number].token_count
        number += 1
    return groups[:number]


def _turns(newest: Iterable[MessageGroup]) -> Iterable[list[MessageGroup]]:
    turn: list[MessageGroup] = []
    for group in newest:
        if turn and group.turn != turn[-1].turn:
            yield turn
            turn = []
        turn.append(group)
    if turn:
        yield turn


def _within(tokens: int, users: list[MessageGroup]) -> Iterable[MessageGroup]:
    """Choose the newest user messages that fit."""
    for group in reversed(users):
        if tokens <= 0:
            return
        tokens -= group.token_count
        if tokens >= 0:
            yield group

"""A list of the framework's messages whose annotations say what is excluded, as an index."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from agent_framework import Message, annotate_message_groups

from chatfold import _core
from chatfold.index import MessageGroup, MessageIndex
from chatfold.integrations._adapter import AdaptedHistory, Recent
from chatfold.integrations.agent_framework.annotations import (
    exclude,
    flags_of,
    ids_summarized,
    include,
    is_excluded,
    link,
    reason_of,
    summary_id_of,
    take_annotations,
    unlink,
)
from chatfold.integrations.agent_framework.edit import Edit
from chatfold.integrations.agent_framework.messages import ADAPTER
from chatfold.report import CompactionReport


class AnnotatedHistory:
    """An index about a list that the framework compacts in place.

    The annotations are the truth: they may have been written by another strategy, or in another
    process. The history goes on from call to call for as long as they are what it wrote itself;
    summaries that it put into the list are stand-ins in the index.

    Attributes:
        history: The messages of the list but for those summaries.
    """

    def __init__(self, messages: list[Message], make: Callable[[], MessageIndex]) -> None:
        """Read a list, and leave out what its annotations leave out.

        Raises:
            MessageError: A message that can't be read.
        """
        self.history = AdaptedHistory(ADAPTER, make)
        self.history.follow(messages)
        self._made: dict[MessageGroup, Message] = {}
        self._flags: list[bool] = []
        self._stood: list[tuple[object, bool]] = []
        # Summaries in the list that stand for nothing any more.
        self._restored: list[Message] = []
        self._bereft: list[int] = []
        self._went_back = False
        self._exclude_as_annotated(messages)
        self._remember(messages)

    @property
    def index(self) -> MessageIndex:
        """The index."""
        return self.history.index

    @property
    def _is_written(self) -> bool:
        """Whether the list leaves out as much as the index: a late result brings a group back."""
        if self._went_back:
            return False
        left_out = sum(self._flags) + sum(excluded for _, excluded in self._stood)
        left_out -= len(self._restored)
        return left_out == self.index.total_message_count - self.index.included_message_count

    def knows(self, messages: list[Message]) -> bool:
        """Tell whether a list says what it said when it was read or written last, and maybe more."""
        own, stood = self._split(messages)
        known = len(self._flags)
        flags = flags_of(own)
        return (
            len(own) >= known
            and flags[:known] == self._flags
            and not any(flags[known:])
            and [(ADAPTER.first_part(each), is_excluded(each)) for each in stood] == self._stood
            and self.history.shared(own) == known
        )

    def go_on(self, messages: list[Message]) -> bool:
        """Take what is new in a list; False, and nothing happens, where it is another list.

        Raises:
            MessageError: A message that can't be read; nothing has happened.
        """
        if not self.knows(messages):
            return False
        own, stood = self._split(messages)
        self.history.follow(own)
        # The list may hold copies of the summaries, too.
        copies = {id(ADAPTER.first_part(message)): message for message in stood}
        self._made = {
            group: copies[id(ADAPTER.first_part(message))] for group, message in self._made.items()
        }
        self._restored = [copies[id(ADAPTER.first_part(message))] for message in self._restored]
        self._remember(messages)
        return True

    def go_back(self, messages: list[Message]) -> bool:
        """Follow a list that goes another way from some place on.

        False, and nothing happens, where it is another list from its beginning, or where its
        annotations say something else.

        Raises:
            MessageError: A message that can't be read; nothing has happened.
        """
        own, stood = self._split(messages)
        shared, flags = self.history.shared(own), flags_of(own)
        told = [(ADAPTER.first_part(message), is_excluded(message)) for message in stood]
        if (
            not 0 < shared < len(self._flags)
            or flags[:shared] != self._flags[:shared]
            or any(flags[shared:])
            or any(each not in self._stood for each in told)
        ):
            return False
        copies = {id(ADAPTER.first_part(message)): message for message in stood}
        made = [
            (_name_of(group), group, copies.get(id(ADAPTER.first_part(message))))
            for group, message in self._made.items()
        ]
        self.history.follow(own)
        standing = {_name_of(group): group for group in self.index.groups if not group.positions}
        # The others are in the list until that is written, and stand for nothing.
        self._made = {standing.get(name, old): message for name, old, message in made if message}
        restored = [copies.get(id(ADAPTER.first_part(message))) for message in self._restored]
        self._restored = [message for message in restored if message]
        self._bereft = [at for at in self._bereft if at < shared]
        self._went_back = True
        self._remember(messages)
        return True

    def write(self, messages: list[Message], report: CompactionReport) -> bool:
        """Write what the index leaves out into the list, in place; say whether anything changed.

        Where the report says that nothing did, and the list says the same as the index, not even an
        annotation is written.
        """
        if not report.changed and self._is_written:
            return False
        if any(message.message_id is None for message in messages):
            annotate_message_groups(messages)
        edit = Edit(messages)
        own = self.history.messages
        groups = [(group, group.positions) for group in self.index.groups]
        stand_ins = [group for group, positions in groups if not positions]
        for group in stand_ins:
            self._messages_of(group, own, edit)
        flags = flags_of(own)
        for group, positions in groups:
            if not positions:
                edit.changed |= self._write_one(self._made[group], group)
                continue
            excluded = group.excluded
            if any(flags[at] is not excluded for at in positions):
                for at in positions:
                    edit.changed |= self._write_one(own[at], group)
            if not excluded:
                self._shorten(group, positions, own, edit)
        self._give_own_reasons(own)
        for group in self._made.keys() - set(stand_ins):
            # What it stood for has come back.
            self._restored.append(self._made.pop(group))
            exclude(self._restored[-1], "restored")
            edit.changed = True
        edit.put_into(messages)
        self._went_back = False
        self._remember(messages)
        return edit.changed

    def _give_own_reasons(self, own: list[Message]) -> None:
        """Say of messages that had lost their summary why they are left out now."""
        for at in self._bereft:
            group = self.index.group_of(at)
            if group.excluded and group.summary is None:
                unlink(own[at])
                exclude(own[at], group.exclude_reason or "excluded")
        self._bereft.clear()

    def _exclude_as_annotated(self, messages: list[Message]) -> None:
        """Exclude groups of which all is left out, and has what stands for it, if it had any.

        Others count as included: where they go for another reason, the old one must not stay. A list
        that has lost its end includes what it can't be without, and no summary of what it has lost.
        """
        ids = {message.message_id for message in messages}
        overtaken = {message.message_id for message in messages if _is_overtaken(message, ids)}

        def is_gone(message: Message) -> bool:
            if message.message_id in overtaken:
                return True
            stands = summary_id_of(message) or message.message_id
            return is_excluded(message) and stands in ids - overtaken

        for position, message in enumerate(messages):
            if not is_gone(message):
                self._bereft += [position] if is_excluded(message) else []
                continue
            group = self.index.group_of(position)
            if not group.excluded and all(is_gone(messages[at]) for at in group.positions):
                reason = reason_of(message) or "restored"
                _core.exclude(self.index, group, reason, by_caller=False)
        users = [group for group in self.index.groups if group.kind == "user"]
        if any(group.excluded for group in users[-1:]):
            # It was not the last one when it went: what came after it is gone.
            _core.include_floor(self.index)

    def _split(self, messages: list[Message]) -> tuple[list[Message], list[Message]]:
        if not self._made and not self._restored:
            return messages, []
        written = (*self._made.values(), *self._restored)
        made = {id(ADAPTER.first_part(message)) for message in written}
        own: list[Message] = []
        stood: list[Message] = []
        for message in messages:
            (stood if id(ADAPTER.first_part(message)) in made else own).append(message)
        return own, stood

    def _remember(self, messages: list[Message]) -> None:
        own, stood = self._split(messages)
        self._flags = flags_of(own)
        self._stood = [(ADAPTER.first_part(message), is_excluded(message)) for message in stood]

    def _messages_of(self, group: MessageGroup, own: list[Message], edit: Edit) -> list[Message]:
        """Give the messages of a group; that of a stand-in is made where it is new."""
        positions = group.positions
        if positions:
            return [own[at] for at in positions]
        if group not in self._made:
            replaced = [
                message
                for each in group.summarizes
                for message in self._messages_of(each, own, edit)
            ]
            self._made[group] = edit.stand_in(group.messages[0], replaced)
        return [self._made[group]]

    def _shorten(
        self, group: MessageGroup, positions: tuple[int, ...], own: list[Message], edit: Edit
    ) -> None:
        """Put copies in the places of messages whose texts were shortened."""
        for at, chat in zip(positions, group.messages, strict=True):
            message = self.history.settle(at, chat)
            if message is not None:
                take_annotations(message, own[at])
                edit.replace(own[at], message)

    def _write_one(self, message: Message, group: MessageGroup) -> bool:
        if not group.excluded:
            was_excluded = is_excluded(message)
            if was_excluded:
                include(message)
            return was_excluded
        stand_in = group.summary
        summary_id = None if stand_in is None else self._made[stand_in].message_id
        if not is_excluded(message):
            exclude(message, group.exclude_reason or "excluded", summary_id)
            return True
        if summary_id is not None and summary_id_of(message) != summary_id:
            link(message, summary_id)
        return False


def _name_of(group: MessageGroup) -> tuple[object, ...]:
    """Name a stand-in by what it says and stands for, whatever list its index is about now."""
    return tuple(
        group.positions or [group.messages[0]["content"], *map(_name_of, group.summarizes)]
    )


def _is_overtaken(message: Message, ids: set[str | None]) -> bool:
    """Tell whether a message stands for some of a list that has lost the last of them."""
    replaced = [each in ids for each in ids_summarized(message)]
    return any(replaced) and not replaced[-1]


class AnnotatedHistories:
    """The histories of the lists that were compacted last."""

    def __init__(self, make: Callable[[], MessageIndex]) -> None:
        """Have indexes made by ``make``, which is tried at once: it may refuse its options."""
        make()
        self._make = make
        self._recent: Recent[AnnotatedHistory] = Recent()

    @contextmanager
    def of(self, messages: list[Message]) -> Iterator[AnnotatedHistory]:
        """Have the history of a list, which has a message, to oneself.

        Raises:
            MessageError: A message that can't be read.
        """
        first = ADAPTER.first_part(messages[0])
        history = self._recent.take(first)
        if history is None or not (history.go_on(messages) or history.go_back(messages)):
            history = AnnotatedHistory(messages, self._make)
        try:
            yield history
        finally:
            self._recent.put(first, history)

"""Changes to a list of messages, which are put into it all at once."""

from collections.abc import Iterator

from agent_framework import Message, annotate_message_groups

from chatfold.integrations.agent_framework.annotations import summary_of


class Edit:
    """What is to change in a list.

    Attributes:
        changed: Whether anything does, annotations too.
    """

    def __init__(self, messages: list[Message]) -> None:
        """Take the ids that are taken."""
        self.changed = False
        self._before: dict[int, list[Message]] = {}
        self._in_place: dict[int, Message] = {}
        self._ids = {message.message_id for message in messages}

    def stand_in(self, chat: dict[str, str], replaced: list[Message]) -> Message:
        """Make the message of a stand-in, to come before the first one that it stands for."""
        # Named by what it stands for, not by its place: another list of the session may have its like.
        name = f"summary_{replaced[0].message_id}"
        number = 2
        while name in self._ids:
            name = f"summary_{replaced[0].message_id}_{number}"
            number += 1
        self._ids.add(name)
        made = summary_of(replaced, chat["role"], chat["content"], name)
        self._before.setdefault(id(replaced[0]), []).append(made)
        self.changed = True
        return made

    def replace(self, message: Message, other: Message) -> None:
        """Have another message in the place of one."""
        self._in_place[id(message)] = other
        self.changed = True

    def put_into(self, messages: list[Message]) -> None:
        """Change the list."""
        if self._before or self._in_place:
            messages[:] = [each for message in messages for each in self._with_new(message)]
        if self._before:
            annotate_message_groups(messages)

    def _with_new(self, message: Message) -> Iterator[Message]:
        for new in self._before.get(id(message), ()):
            # What one stands for may be new as well.
            yield from self._with_new(new)
        yield self._in_place.get(id(message), message)

"""The slow, obvious twin of a session: it looks at every message anew, and is never saved."""

from typing import Any

from chatfold import MessageIndex
from chatfold.strategies import Strategy

Message = dict[str, Any]


class Twin:
    """One index about what is stored and one about what is sent, each given the whole list."""

    def __init__(
        self, before: Strategy | None, after: Strategy | None, *, skip_excluded: bool
    ) -> None:
        self.before, self.after, self.skip_excluded = before, after, skip_excluded
        self.stored, self.seen = MessageIndex(), MessageIndex()
        self.own: list[Message] = []

    @property
    def loaded(self) -> list[Message]:
        return self.stored.included_messages() if self.skip_excluded else self.stored.messages

    def sent(self, *, fails: bool = False) -> list[Message]:
        messages = [*self.loaded, *self.own]
        if self.before is None:
            return messages
        self.seen.sync(messages)
        if not fails:
            self.seen.compact(self.before)
        return self.seen.included_messages()

    def end(self, *, fails: bool = False) -> None:
        self.stored.extend(self.own)
        self.own = []
        if self.after is not None and not fails:
            self.stored.compact(self.after)

"""Compaction on the way to the model: a copy of the messages for each call."""

from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from operator import is_not
from typing import Any

from agent_framework import ChatContext, ChatMiddleware, CompactionStrategy, Message

from chatfold._logging import info
from chatfold.errors import StateError
from chatfold.index import MessageIndex
from chatfold.integrations._adapter import AdaptedHistory, Recent
from chatfold.integrations.agent_framework.annotations import (
    copy_of,
    include,
    is_excluded,
    name_messages,
)
from chatfold.integrations.agent_framework.messages import ADAPTER
from chatfold.provider.run import names_conversation

History = AdaptedHistory[Message]

_SYSTEM = "system"


class InFlight(ChatMiddleware):
    """Sends a compacted copy in each call of the model in one run, inside the tool loop as well.

    What was left out and summarized is remembered from run to run, and saved with the session.
    """

    def __init__(
        self,
        compact: Callable[[MessageIndex], Awaitable[None]] | None,
        recent: Recent[History],
        state: dict[str, Any],
        stored: Callable[[], Iterable[Message]],
        *,
        loads_late: bool = False,
    ) -> None:
        """Take what compacts an index, the histories of other runs, and the state to save in.

        Args:
            compact: Compacts an index; None leaves what is sent to strategies of the framework.
            recent: The histories of other runs.
            state: Where what is remembered is saved.
            stored: Gives the messages that the history provider has stored.
            loads_late: Whether another middleware loads the history, and stores what is new, in each
                call of the model: after this one up to 1.25 of the framework, before it since then.
        """
        self._compact = compact
        self._recent = recent
        self._state = state
        self._stored = stored
        self._loads_late = loads_late
        self._history: History | None = None

    async def process(self, context: ChatContext, call_next: Callable[[], Awaitable[None]]) -> None:
        """Send a compacted copy; the list of the run is left alone."""
        after = context.kwargs.get("compaction_strategy")
        if after is None:
            after = getattr(context.client, "compaction_strategy", None)
        if self._loads_late:
            # The client's strategy is called last of all, with the messages that are to be sent. The
            # framework names those before.
            name_messages([*self._stored(), *context.messages])
            in_place = partial(self._in_place, context, after)
            context.kwargs["compaction_strategy"] = _LastStrategy(in_place, after)
        elif context.messages and not _is_service_managed(context):
            messages = list(context.messages)
            context.messages = await self._compacted(messages, named=after is not None)
        await call_next()

    async def _in_place(
        self, context: ChatContext, after: CompactionStrategy | None, messages: list[Message]
    ) -> bool:
        """Compact a list that is of one call alone, as a strategy of the framework."""
        changed = False
        if messages and not _is_service_managed(context):
            # What is stored of the call is what is found here when it has ended.
            context.messages = list(messages)
            kept = await self._compacted(messages, named=after is not None)
            changed = len(kept) != len(messages) or any(map(is_not, kept, messages))
            # Nor is what the other strategy annotates, or it would be without its summaries.
            messages[:] = map(_included if after is None else copy_of, kept)
        if after is not None:
            changed |= await after(messages)
        return changed

    async def _compacted(self, messages: list[Message], *, named: bool) -> list[Message]:
        """Give what is kept of the messages; ``named`` where a strategy of theirs comes after it."""
        kept = messages if self._compact is None else await self._kept(messages, self._compact)
        if named:
            name_messages([*messages, *kept], self._stored)
        return kept

    async def _kept(
        self, messages: list[Message], compact: Callable[[MessageIndex], Awaitable[None]]
    ) -> list[Message]:
        first = _first_said(messages)
        history = self._recent.take(first) or self._saved(messages)
        try:
            history.follow(messages)
            await compact(history.index)
            self._history = history
            return history.included()
        finally:
            self._recent.put(first, history)

    def _saved(self, messages: list[Message]) -> History:
        """Go on from what an earlier process saved, where the messages are still the same."""
        history = AdaptedHistory(ADAPTER, MessageIndex)
        saved = self._state.get("in_flight")
        if saved is not None:
            try:
                known = messages[: saved["messages"]]
                for position, text in saved.get("system", ()):
                    if known[position].role == _SYSTEM:
                        known[position] = Message(_SYSTEM, [text])
                history.restore(known, partial(MessageIndex.from_state, saved["index"]))
            except (
                StateError,
                KeyError,
                TypeError,
                ValueError,
                IndexError,
                AttributeError,
            ) as error:
                made_anew(error)
        return history

    def save(self) -> None:
        """Put what is remembered into the state, as plain JSON types."""
        if self._history is None:
            return
        state = self._history.index.to_state()
        self._state.pop("in_flight", None)
        if state["groups"] or state["stand_ins"]:
            messages = self._history.messages
            # These may be others in the next run, such as one that tells the time.
            system = [[at, each.text] for at, each in enumerate(messages) if each.role == _SYSTEM]
            self._state["in_flight"] = {
                "messages": len(messages),
                "index": state,
                **({"system": system} if system else {}),
            }


class _LastStrategy:
    """A strategy for one call of the model; the framework asks it for what the other one has."""

    def __init__(
        self, in_place: Callable[[list[Message]], Awaitable[bool]], after: CompactionStrategy | None
    ) -> None:
        self._in_place = in_place
        self.tokenizer = getattr(after, "tokenizer", None)
        self.requires_client_managed_history = getattr(
            after, "requires_client_managed_history", False
        )

    async def __call__(self, messages: list[Message]) -> bool:
        return await self._in_place(messages)


def made_anew(why: object) -> None:
    """Say in the log that what was saved is not used: nothing is lost but the work to make it."""
    info("what was saved of compaction does not fit, and is made anew: %s", why)


def _first_said(messages: list[Message]) -> object:
    """Give what a list is recognised by: the first that is no system message, often made anew."""
    said = (message for message in messages if message.role != _SYSTEM)
    return ADAPTER.first_part(next(said, messages[0]))


def _is_service_managed(context: ChatContext) -> bool:
    """Tell whether a service keeps the conversation itself."""
    return names_conversation(context.options or {})


def _included(message: Message) -> Message:
    """Give a message that the framework sends: itself, or a copy that is not left out."""
    if not is_excluded(message):
        return message
    copied = copy_of(message)
    include(copied)
    return copied

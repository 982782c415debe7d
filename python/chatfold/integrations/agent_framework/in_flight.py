"""Compaction on the way to the model: a copy of the messages for each call."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from agent_framework import ChatContext, ChatMiddleware, Message

from chatfold._logging import info
from chatfold.errors import StateError
from chatfold.index import MessageIndex
from chatfold.integrations._adapter import AdaptedHistory, Recent
from chatfold.integrations.agent_framework.messages import ADAPTER

History = AdaptedHistory[Message]


class InFlight(ChatMiddleware):
    """Sends a compacted copy in each call of the model in one run, inside the tool loop as well.

    What was left out and summarized is remembered from run to run, and saved with the session.
    """

    def __init__(
        self,
        compact: Callable[[MessageIndex], Awaitable[None]],
        recent: Recent[History],
        state: dict[str, Any],
    ) -> None:
        """Take what compacts an index, the histories of other runs, and the state to save in."""
        self._compact = compact
        self._recent = recent
        self._state = state
        self._history: History | None = None

    async def process(self, context: ChatContext, call_next: Callable[[], Awaitable[None]]) -> None:
        """Send a compacted copy; the list of the run is left alone."""
        if context.messages and not (context.options or {}).get("conversation_id"):
            context.messages = await self._compacted(list(context.messages))
        await call_next()

    async def _compacted(self, messages: list[Message]) -> list[Message]:
        first = ADAPTER.first_part(messages[0])
        history = self._recent.take(first) or self._saved(messages)
        try:
            history.follow(messages)
            await self._compact(history.index)
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
                history.restore(known, partial(MessageIndex.from_state, saved["index"]))
            except (StateError, KeyError, TypeError) as error:
                info("what was saved of compaction does not fit, and is made anew: %s", error)
        return history

    def save(self) -> None:
        """Put what is remembered into the state, as plain JSON types."""
        if self._history is None:
            return
        state = self._history.index.to_state()
        self._state.pop("in_flight", None)
        if state["groups"] or state["stand_ins"]:
            self._state["in_flight"] = {"messages": len(self._history.index), "index": state}

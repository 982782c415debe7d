"""Strategies of the framework as strategies of chatfold."""

import copy
from collections.abc import Awaitable, Callable, Iterator

from agent_framework import Message, TokenizerProtocol, annotate_message_groups

from chatfold.errors import OptionTypeError
from chatfold.index import MessageGroup, MessageIndex
from chatfold.integrations._adapter import ChatMessage, placed
from chatfold.integrations.agent_framework.annotations import (
    is_excluded,
    reason_of,
    summary_id_of,
)
from chatfold.integrations.agent_framework.messages import from_chat, is_summary


class FrameworkStrategy:
    """A strategy of the framework that chatfold takes as a callable of the caller's own."""

    def __init__(
        self,
        strategy: Callable[[list[Message]], Awaitable[bool]],
        tokenizer: TokenizerProtocol | None,
    ) -> None:
        """Take the strategy."""
        self.strategy = strategy
        self.__name__ = getattr(strategy, "__name__", type(strategy).__name__)
        own = getattr(strategy, "tokenizer", None)
        self._counts_with = own if tokenizer is None else tokenizer

    async def __call__(self, index: MessageIndex) -> bool:
        """Show it copies of what is included, and do with the groups what it does with these."""
        held = list(_included(index))
        messages = [message for _, message in held]
        groups: dict[MessageGroup, list[Message]] = {}
        for group, message in held:
            groups.setdefault(group, []).append(message)
        annotate_message_groups(messages, tokenizer=self._counts_with)
        if not await self.strategy(messages):
            return False
        own = {id(message) for _, message in held}
        new = [each for each in messages if id(each) not in own and is_summary(each)]
        return self._replace(index, groups, new) | self._exclude(index, groups)

    def _replace(
        self, index: MessageIndex, groups: dict[MessageGroup, list[Message]], new: list[Message]
    ) -> bool:
        changed = False
        for summary in new:
            covered = [
                group
                for group, messages in groups.items()
                if all(summary_id_of(message) == summary.message_id for message in messages)
            ]
            reason = next((reason_of(groups[group][0]) for group in covered), "")
            role = summary.role if summary.role == "user" else "assistant"
            if covered and not is_excluded(summary):
                done = index.replace(covered, summary.text, role=role, reason=reason)
                changed |= done is not None
        return changed

    def _exclude(self, index: MessageIndex, groups: dict[MessageGroup, list[Message]]) -> bool:
        changed = False
        for group, messages in groups.items():
            # One with a summary that was not shorter stays.
            gone = all(is_excluded(each) and summary_id_of(each) is None for each in messages)
            if gone:
                changed |= index.exclude(group, reason=reason_of(messages[0]) or self.__name__)
        return changed


def _included(index: MessageIndex) -> Iterator[tuple[MessageGroup, Message]]:
    """Give what is included in order, each message as a copy, with its group."""
    for _, group, chat in placed(index):
        if isinstance(chat, ChatMessage):
            message = copy.copy(chat.message)
            message.additional_properties = {}
            yield group, message
        else:
            yield group, from_chat(chat)


def from_compaction_strategy(
    strategy: Callable[[list[Message]], Awaitable[bool]],
    *,
    tokenizer: TokenizerProtocol | None = None,
) -> FrameworkStrategy:
    """Make one of the framework's strategies one of chatfold, for pipelines of both.

    It gets copies of the included messages, annotated as it expects them. What it excludes is
    excluded in the index, by whole groups; a summary that it inserts becomes a stand-in, where that
    is shorter than what it replaces.

    Args:
        strategy: An async callable that takes a list of messages and says whether it changed it.
        tokenizer: What the framework's token counts come from; by default the strategy's own.

    Raises:
        OptionTypeError: It is no callable.
    """
    if isinstance(strategy, type) or not callable(strategy):
        raise OptionTypeError(f"strategy is {strategy!r}; pass one of the framework's strategies")
    return FrameworkStrategy(strategy, tokenizer)

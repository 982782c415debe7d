"""Whatever the caller does to an index while it is summarized, their wishes are respected."""

import asyncio
import copy
import os
import random

import pytest

from chatfold import MessageGroup, MessageIndex, SummarizationStrategy, triggers
from summarization.chaos import Talk
from summarization.stubs import Message, run

SEEDS = range(max(4, int(os.environ.get("CHATFOLD_EXAMPLES", "100")) // 5))


class Meddler:
    """A caller that changes an index at random while it is summarized, and remembers its wishes."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)  # noqa: S311 (a test that can be repeated)
        self.talk = Talk(self.rng)
        self.index = MessageIndex()
        self.messages: list[Message] = []
        self.copies: list[Message] = []
        self.told = "The gist."

    def say(self) -> None:
        new = list(self.talk.turn())
        self.messages += new
        self.copies += copy.deepcopy(new)
        self.index.sync(self.messages) if self.rng.random() < 0.3 else self.index.extend(new)

    def meddle(self) -> None:
        for _ in range(self.rng.randrange(3)):
            whole = [group for group in self.index.groups if group.positions]
            if whole:
                act = [
                    self.say,
                    self.protect,
                    self.free,
                    self.leave_out,
                    self.bring_back,
                    self.fork,
                ]
                self.rng.choice(act)()

    def _any(self) -> MessageGroup:
        # Old groups are what summaries are about.
        groups = [group for group in self.index.groups if group.positions]
        return groups[min(self.rng.randrange(len(groups)), self.rng.randrange(len(groups)))]

    def protect(self) -> None:
        self.index.protect(self._any())

    def free(self) -> None:
        self.index.unprotect(self._any())

    def leave_out(self) -> None:
        group = self._any()
        if not group.protected:
            self.index.exclude(group, reason="mine")

    def bring_back(self) -> None:
        self.index.restore(self._any())

    def fork(self) -> None:
        if self.rng.random() < 0.2:
            at = self.rng.randrange(len(self.messages))
            self.messages, self.copies = self.messages[:at], self.copies[:at]
            self.index.sync(self.messages)

    async def __call__(self, messages: list[Message]) -> str:
        del messages
        for _ in range(self.rng.randrange(6)):
            await asyncio.sleep(0)
        return self.rng.choice(
            [self.told, self.told, "", "\u200b", "word " * 5_000, "[Sum", "\ud800"]
        )


def kept_by_wish(index: MessageIndex) -> set[int]:
    """Give the positions of what the caller protects and is included."""
    groups = [group for group in index.groups if group.protected and not group.excluded]
    return {position for group in groups for position in group.positions}


def included_users(index: MessageIndex) -> list[tuple[int, ...]]:
    return [group.positions for group in index.included_groups if group.kind == "user"]


@pytest.mark.parametrize("seed", SEEDS)
def test_promise_10_whatever_the_caller_does_meanwhile_is_respected(seed: int) -> None:
    async def main() -> None:
        meddler = Meddler(seed)
        rng = meddler.rng
        strategy = SummarizationStrategy(
            client=meddler,
            target_count=rng.randrange(1, 5),
            threshold=rng.randrange(6),
            on_failure=rng.choice(["keep", "raise", "digest"]),
            start_summary=triggers.messages_exceed(3) if rng.random() < 0.5 else None,
        )
        for _ in range(60):
            meddler.say()
            index = meddler.index
            task = asyncio.ensure_future(index.acompact(strategy))
            wished, users = kept_by_wish(index), included_users(index)
            while not task.done():
                await asyncio.sleep(0)
                if rng.random() < 0.2:
                    meddler.meddle()
                if rng.random() < 0.02:
                    task.cancel()
                wished, users = kept_by_wish(index), included_users(index)
            await asyncio.wait([task])
            if not task.cancelled():
                task.exception()
            # What is protected and was there is there still.
            assert wished <= kept_by_wish(index)
            assert index.messages == meddler.messages == meddler.copies
            kept = index.included_messages()
            assert index.included_token_count == MessageIndex(kept).included_token_count
            assert [text for text in map(str, kept) if "\u200b" in text] == []
            assert included_users(index)[-1:] == users[-1:]

    run(main())

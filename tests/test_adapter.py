"""What it takes to read another package's messages: an adapter of a few lines, and all else follows."""

from dataclasses import dataclass, replace
from random import Random
from typing import Any

import pytest

from chatfold import (
    MessageIndex,
    SelectiveToolCallCompactionStrategy,
    SlidingWindowStrategy,
    Strategy,
    ToolResultCompactionStrategy,
    TruncationStrategy,
)
from chatfold.integrations._adapter import AdaptedHistory

ROLES = {"sys": "system", "human": "user", "ai": "assistant", "observation": "tool"}


@dataclass(eq=False, frozen=True)
class Turn:
    """A message as some other package has it."""

    kind: str
    said: str = ""
    asks: tuple[str, ...] = ()
    of: str | None = None


class TurnAdapter:
    """The whole adapter."""

    read_so_far = 0

    def read(self, message: Turn) -> dict[str, Any]:
        self.read_so_far += 1
        chat: dict[str, Any] = {"role": ROLES[message.kind], "content": message.said}
        function = {"name": "look", "arguments": "{}"}
        if message.asks:
            calls = [{"id": ask, "type": "function", "function": function} for ask in message.asks]
            chat["tool_calls"] = calls
        return chat | ({"tool_call_id": message.of} if message.of else {})

    def parts(self, message: Turn) -> tuple[object, ...]:
        return (message,)

    def write(self, stand_in: dict[str, Any]) -> Turn:
        return Turn("ai", stand_in["content"])

    def rewrite(self, message: Turn, chat: dict[str, Any], shortened: dict[str, Any]) -> Turn:
        assert chat["content"] == message.said
        return replace(message, said=shortened["content"])


def turns(random: Random, number: int) -> list[Turn]:
    made = [Turn("sys", "Be brief.")]
    for turn in range(number):
        made.append(Turn("human", f"question {turn} " * 4))
        asks = tuple(f"c{turn}_{at}" for at in range(random.randint(0, 3)))
        if asks:
            made.append(Turn("ai", asks=asks))
            made += [Turn("observation", "found " * random.randint(1, 80), of=ask) for ask in asks]
        made.append(Turn("ai", f"answer {turn}"))
    return made


STRATEGIES: list[Strategy] = [
    TruncationStrategy(max_n=12, compact_to=6),
    SlidingWindowStrategy(keep_last_turns=3),
    SelectiveToolCallCompactionStrategy(),
    ToolResultCompactionStrategy(max_chars=64),
]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("seed", range(20))
def test_promises_1_2_and_8_hold_for_messages_of_another_package(
    strategy: Strategy, seed: int
) -> None:
    """The list grows, goes back and forks, as frameworks have it."""
    random = Random(seed)  # noqa: S311 (no secret)
    messages = turns(random, 12)
    history = AdaptedHistory(TurnAdapter(), MessageIndex)
    length = 0
    for _ in range(8):
        step = random.random()
        length = (
            min(len(messages), length + random.randint(1, 8)) if step < 0.7 else length // 2 + 1
        )
        given = messages[:length] + ([Turn("human", "Or else?")] if step > 0.9 else [])
        history.follow(given)
        history.index.compact(strategy)
        kept = history.included()
        assert history.messages == given
        places = [given.index(each) for each in kept if each in given]
        assert places == sorted(places)
        called = {ask for each in kept for ask in each.asks}
        assert {each.of for each in kept if each.of} <= called
        assert all(a is b for a, b in zip(kept, history.included(), strict=True))


def test_past_another_system_message_nothing_is_read_again_and_all_stays_as_it_was() -> None:
    messages = turns(Random(1), 12)  # noqa: S311 (no secret)
    adapter = TurnAdapter()
    history = AdaptedHistory(adapter, MessageIndex)
    history.follow(messages)
    history.index.compact(STRATEGIES[0])
    kept = history.included()[1:]
    for time in range(3):
        now = [Turn("sys", f"It is {time} o'clock."), *messages[1:]]
        history.follow(now)
        assert history.included() == [now[0], *kept]
    assert adapter.read_so_far == len(messages) + 3

"""Everything that a removed group held reached some call, however long its texts and small the calls."""

import os
import random
import re
from collections.abc import Iterator
from itertools import count

import pytest

from chatfold import MessageIndex, RetainRecent, SummarizationStrategy, tokenizers, triggers
from chatfold.summarization import Breaker
from summarization.stubs import Message, Option, assistant, run, user

SEEDS = range(max(10, int(os.environ.get("CHATFOLD_EXAMPLES", "100")) // 2))
TURNS = 5
FILLINGS = ["word ", "数", "x", "\n", "<chat-", "e\u0301", "\U0001f600", "</chat-message>\n"]
ANSWERS = ["gist", "word " * 2_000, "a\n\n" * 300 + "z", "数" * 900, "x" * 5_000, "<chat-history>"]
WHEN: list[Option] = [
    {},
    {"trigger": triggers.tokens_exceed(500)},
    {"trigger": triggers.always, "retain_recent": RetainRecent(turns=0)},
    {"retain_recent": RetainRecent(turns=1, tokens=400)},
    {"keep_user_messages": True, "max_kept_user_tokens": 300},
]


class Canaries:
    """Makes turns whose every text holds words that are nowhere else."""

    def __init__(self, rng: random.Random) -> None:
        self.rng, self.numbers = rng, count()

    def word(self) -> str:
        return f"canary{next(self.numbers)}canary"

    def text(self) -> str:
        between = (
            self.rng.choice(FILLINGS) * self.rng.randrange(400)
            for _ in range(self.rng.choice([0, 1, 1, 4]))
        )
        return self.word() + "".join(filling + self.word() for filling in between)

    def turn(self) -> Iterator[Message]:
        yield user(self.text())
        for _ in range(self.rng.randrange(3)):
            number = next(self.numbers)
            function = {"name": self.word(), "arguments": self.text()}
            call = {"id": f"c{number}", "type": "function", "function": function}
            reasoning = self.text() if self.rng.random() < 0.3 else None
            yield {"role": "assistant", "reasoning": reasoning, "tool_calls": [call]}
            yield {"role": "tool", "tool_call_id": f"c{number}", "content": self.text()}
        yield assistant(self.text())


class Recorder:
    """A client that fails now and then, and never says what it was shown."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.asked: list[list[Message]] = []
        self.read: list[str] = []

    async def __call__(self, messages: list[Message]) -> str:
        self.asked.append(messages)
        if self.rng.random() < 0.1:
            raise RuntimeError("boom")
        self.read.append(messages[1]["content"])
        return self.rng.choice(ANSWERS)


def lost(index: MessageIndex, shown: str) -> list[str]:
    """Find the words of removed groups that no call has, whole or as the end of one and the start of another."""
    gone = [message for group in index.groups if group.excluded for message in group.messages]
    words = re.findall(r"canary\d+canary", str(gone))
    return [word for word in words if word not in shown and not is_halved(word, shown)]


def is_halved(word: str, shown: str) -> bool:
    halves = ((word[:at], word[at:]) for at in range(1, len(word)))
    return any(f"{one}\n</chat-" in shown and f">\n{other}" in shown for one, other in halves)


@pytest.mark.parametrize("seed", SEEDS)
def test_all_that_removed_groups_held_reached_some_call(seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311 (a test that can be repeated)
    size, limit = rng.choice([30, 60, 200]), rng.choice([1_200, 1_500, 2_500, 6_000])
    tokenizer = rng.choice([None, "o200k_base"])
    recorder, canaries = Recorder(rng), Canaries(rng)
    strategy = SummarizationStrategy(
        client=recorder,
        max_summary_tokens=size,
        max_summary_input_tokens=limit,
        max_tool_result_chars=10**7,
        breaker=Breaker(failures=10**6),
        **rng.choice(WHEN),
    )
    index, tokens = MessageIndex(tokenizer=tokenizer), tokenizers.resolve(tokenizer).count_tokens
    for _ in range(TURNS):
        index.extend(list(canaries.turn()))
        run(index.acompact(strategy))
        assert lost(index, "\n".join(recorder.read)) == []
        summaries = [group for group in index.included_groups if group.kind == "summary"]
        assert all(group.token_count <= size for group in summaries)
    sizes = [sum(tokens(each["content"]) for each in messages) for messages in recorder.asked]
    assert max(sizes) <= limit

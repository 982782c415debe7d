"""A day of a chat product: turns with large tool results, and a summarizer that follows a script."""

import random
from collections.abc import Iterator
from typing import Any

from chatfold import ContextWindow, tokenizers

Message = dict[str, Any]

ENCODING = "o200k_base"
WORDS = [
    "order",
    "parcel",
    "label",
    "total",
    "refund",
    "12.50",
    "error",
    "window",
    "colour",
    "north",
]
RESULT_WORDS = (50, 400, 2_000, 4_000)
CONFIG = {
    "trigger": {"type": "token_ratio", "value": 0.8},
    "retainRecent": {"turns": 2},
    "contextPruning": {"enabled": True, "minPrunableToolChars": 2_000},
}
INSTRUCTIONS = "You help customers, and look things up before you answer. " * 10
TOOLS = [
    {
        "type": "function",
        "function": {"name": "look_up", "parameters": {"type": "object", "properties": {}}},
    }
]


def turns(number: int, seed: int) -> Iterator[list[list[Message]]]:
    """Make turns; each is what comes before each call of the model, and at last the answer."""
    source = random.Random(seed)  # noqa: S311 (no secret)

    def said(words: int) -> str:
        return " ".join(source.choices(WORDS, k=words))

    for turn in range(number):
        steps: list[list[Message]] = [[{"role": "user", "content": f"Question {turn}: {said(20)}"}]]
        for round_ in range(source.choice((0, 1, 1, 2))):
            name = f"call_{turn}_{round_}"
            function = {"name": "look_up", "arguments": f'{{"order": {turn}}}'}
            call = {"id": name, "type": "function", "function": function}
            result = said(source.choice(RESULT_WORDS))
            asked: Message = {"role": "assistant", "content": None, "tool_calls": [call]}
            answered: Message = {"role": "tool", "tool_call_id": name, "content": result}
            steps.append([asked, answered])
        yield [*steps, [{"role": "assistant", "content": f"Answer {turn}: {said(60)}"}]]


class Scripted:
    """A summarizer that says how often it was asked, in so many words."""

    def __init__(self, words: int = 200) -> None:
        self.calls = 0
        self.words = words

    async def __call__(self, messages: list[Message]) -> str:
        self.calls += 1
        assert messages[1]["content"]
        return f"Summary {self.calls}: " + "the customer asked about an order " * (self.words // 6)


class Recount:
    """Counts messages plainly; remembers the texts that it counted."""

    def __init__(self) -> None:
        self._tokenizer = tokenizers.resolve(ENCODING)
        self._known: dict[str, int] = {}

    def text(self, text: str) -> int:
        if text not in self._known:
            self._known[text] = self._tokenizer.count_tokens(text)
        return self._known[text]

    def messages(self, messages: list[Message]) -> int:
        tokens = 0
        for message in messages:
            tokens += self.text(message["content"] or "")
            for call in message.get("tool_calls", []):
                tokens += self.text(call["function"]["name"])
                tokens += self.text(call["function"]["arguments"])
        return tokens


def window_of(summarizer: Any, **options: Any) -> ContextWindow:  # noqa: ANN401
    given: dict[str, Any] = {
        "config": CONFIG,
        "max_context_tokens": 16_000,
        "tokenizer": ENCODING,
        "instructions": INSTRUCTIONS,
        "tools": TOOLS,
    }
    return ContextWindow(**{**given, **options}, summarizer=summarizer)

"""The one generator of conversations that all benches use; the same seed gives the same messages.

Bodies are drawn from a pool and each gets a short prefix of its own: a text whose hash the cache of
counts knows would make counting look free. So all texts are objects of their own, with the sizes
that chats have, and no two are equal. Roles and keys are shared objects, as in messages that a
program writes; ``parsed`` gives messages that came out of a JSON document.
"""

import json
import random
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import count, cycle
from typing import Any, Literal, TypeAlias

from benches import texts

Kind: TypeAlias = Literal["chat", "agent"]
Message: TypeAlias = dict[str, Any]

_POOL = 400
_LANGUAGES = ("english",) * 14 + (
    "european",
    "european",
    "russian",
    "chinese",
    "japanese",
    "arabic",
)
_TOOLS = ("search_docs", "read_file", "run_tests", "get_weather", "query_database", "list_orders")
_SYSTEM = "You are a helpful assistant. Answer briefly, cite what you used, and ask when in doubt."


@cache
def _pools() -> tuple[list[str], list[str], list[str]]:
    """Write what users ask, what models answer, and what tools return."""
    rng = random.Random(1)  # noqa: S311 (the same texts each time)

    def sizes(median: int, spread: float) -> Iterator[int]:
        return (max(8, int(median * rng.lognormvariate(0, spread))) for _ in range(_POOL))

    asked = [texts.prose(rng, size, rng.choice(_LANGUAGES)) for size in sizes(120, 0.9)]
    answered = [texts.answer(rng, size, rng.choice(_LANGUAGES)) for size in sizes(500, 0.7)]
    returned = [
        (texts.records if at % 2 else texts.prose)(rng, size)
        for at, size in enumerate(sizes(900, 0.9))
    ]
    return asked, answered, returned


def _numbers(seed: int) -> Iterator[str]:
    """Give what makes a text unlike all others, in this conversation and in others."""
    return (f"{seed}-{number}" for number in count(1))


def _chat(rng: random.Random, messages: int, seed: int) -> list[Message]:
    asked, answered, _ = _pools()
    pairs = (messages + 1) // 2
    numbers = _numbers(seed)
    history = [
        message
        for question, reply in zip(
            rng.choices(asked, k=pairs), rng.choices(answered, k=pairs), strict=True
        )
        for message in (
            {"role": "user", "content": f"{next(numbers)}. {question}"},
            {"role": "assistant", "content": f"{next(numbers)}. {reply}"},
        )
    ]
    return [{"role": "system", "content": _SYSTEM}, *history][:messages]


def _call(identity: str, name: str, argument: str) -> Message:
    arguments = f'{{"query": "{identity} {argument}", "limit": 20}}'
    return {
        "id": identity,
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }


def _round(
    rng: random.Random, numbers: Iterator[str], argument: str, returned: list[str]
) -> Iterator[Message]:
    """Make calls that run in parallel, and their results."""
    calls = [
        _call(f"call_{next(numbers)}", tool, argument)
        for tool in rng.sample(_TOOLS, rng.choice((1, 1, 1, 2, 3)))
    ]
    yield {"role": "assistant", "content": None, "tool_calls": calls}
    for call in calls:
        content = f"{next(numbers)}. {rng.choice(returned)}"
        yield {"role": "tool", "tool_call_id": call["id"], "content": content}


def _agent(rng: random.Random, messages: int, seed: int) -> list[Message]:
    asked, answered, returned = _pools()
    numbers = _numbers(seed)
    history: list[Message] = [{"role": "system", "content": _SYSTEM}]
    arguments = cycle(question[:40].replace('"', "'") for question in asked)
    while len(history) < messages:
        history.append({"role": "user", "content": f"{next(numbers)}. {rng.choice(asked)}"})
        for _ in range(rng.choice((1, 2, 3, 5))):
            history.extend(_round(rng, numbers, next(arguments), returned))
        reply = f"{next(numbers)}. {rng.choice(answered)}"
        history.append({"role": "assistant", "content": reply})
    # Ended in the middle of a turn, with no call left open.
    del history[messages:]
    while history[-1]["role"] != "user" and history[-1].get("tool_calls"):
        history[-1] = {"role": "user", "content": f"{next(numbers)}. {rng.choice(asked)}"}
    return history


@lru_cache(maxsize=2)
def conversation(messages: int, kind: Kind = "chat", *, seed: int = 1) -> list[Message]:
    """Make a conversation of so many messages; do not change it, later calls give it again.

    A chat has questions and answers. An agent's history consists mostly of calls, several of them
    in parallel at times, and their results.
    """
    rng = random.Random(f"{seed} {kind}")  # noqa: S311 (a fixed seed is the point)
    return (_chat if kind == "chat" else _agent)(rng, messages, seed)


def parsed(messages: list[Message]) -> list[Message]:
    """Give messages as they come out of a JSON document: no object is shared but the keys."""
    copies: list[Message] = json.loads(json.dumps(messages))
    return copies


def text_bytes(messages: list[Message]) -> int:
    """Give the UTF-8 bytes of all contents."""
    return sum(len(message["content"].encode()) for message in messages if message["content"])

"""Texts by kind, from a seed: prose in several languages, Markdown answers, code, JSON."""

import json
import pydoc_data.topics
import random
from collections.abc import Callable
from functools import lru_cache, partial
from inspect import getsource
from itertools import cycle

from benches.words import SPACELESS, words

_EMOJI = ("😀", "😂", "🙏", "👍", "🔥", "🎉", "🚀", "✨", "💡", "🐍", "🌲", "🏔️", "👩‍💻", "🇵🇪", "❤️")
_MODULES = ("argparse", "ast", "dataclasses", "decimal", "difflib", "email.message", "inspect")


def sentence(rng: random.Random, language: str = "english") -> str:
    """Write a sentence: words, a comma, at times a number."""
    drawn = words(language).draw(rng, max(3, int(rng.lognormvariate(2.3, 0.45))))
    if rng.random() < 0.15:
        drawn[rng.randrange(len(drawn))] = str(int(rng.lognormvariate(4, 2)))
    if language in SPACELESS:
        return "".join(drawn) + rng.choice("。。。!?")
    if len(drawn) > 8:
        drawn[len(drawn) // 2] += ","
    first = drawn[0].capitalize()
    return " ".join([first, *drawn[1:]]) + rng.choice("...?!:")


def prose(rng: random.Random, characters: int, language: str = "english") -> str:
    """Write about so many characters in sentences and paragraphs."""
    parts: list[str] = []
    length = 0
    while length < characters:
        parts.append(sentence(rng, language))
        parts.append("\n\n" if rng.random() < 0.12 else " " if language not in SPACELESS else "")
        length += len(parts[-2]) + len(parts[-1])
    return "".join(parts).strip()


def snippet(rng: random.Random, lines: int) -> str:
    """Write code: definitions, calls, comments, indented."""
    names = words("english").draw(rng, lines * 4)
    shapes = (
        "def {0}_{1}({2}, *, {3}=None):",
        "    {0} = self.{1}.{2}({3}[{4}], {4})",
        "    if not {0} and {1} != {4}:",
        '        raise ValueError(f"{0} {1} {{{2}!r}}")',
        "    # {0} {1} {2} {3}",
        "    return {{'{0}': {1}, '{2}': [{4}, {3}]}}",
        "",
    )
    taken = iter(names)
    return "\n".join(
        rng.choice(shapes).format(*(next(taken) for _ in range(4)), rng.randrange(10_000))
        for _ in range(lines)
    )


def answer(rng: random.Random, characters: int, language: str = "english") -> str:
    """Write what a model answers: prose, a list at times, code at times."""
    text = prose(rng, characters, language)
    if rng.random() < 0.3:
        items = (f"- **{sentence(rng, language)[:24]}** {sentence(rng, language)}" for _ in "1234")
        text += "\n\n" + "\n".join(items)
    if rng.random() < 0.25:
        text += f"\n\n```python\n{snippet(rng, characters // 60)}\n```"
    return text


def record(rng: random.Random) -> dict[str, object]:
    """Make one record of a tool's result."""
    first, second, third = words("english").draw(rng, 3)
    return {
        "id": f"{rng.getrandbits(64):016x}",
        "title": sentence(rng),
        "url": f"https://www.{first}.example/{second}/{third}?page={rng.randrange(99)}",
        "score": round(rng.random(), 4),
        "updated_at": f"20{rng.randrange(10, 27)}-0{rng.randrange(1, 9)}-1{rng.randrange(9)}T08:15:00Z",
        "tags": [first, second],
        "stock": None if rng.random() < 0.2 else rng.randrange(5_000),
    }


def records(rng: random.Random, characters: int) -> str:
    """Write the JSON of a tool's result, of about so many characters."""
    found = [record(rng) for _ in range(max(1, characters // 260))]
    return json.dumps({"results": found, "total": len(found)}, ensure_ascii=False)


def _emoji(rng: random.Random, characters: int) -> str:
    drawn = cycle(rng.choices(_EMOJI, k=97))
    text = prose(rng, characters)
    return " ".join(word + next(drawn) if rng.random() < 0.4 else word for word in text.split(" "))


def _manual(_rng: random.Random, characters: int) -> str:
    # English that people wrote, and that every Python has.
    return "\n".join(pydoc_data.topics.topics.values())[:characters]


def _sources(_rng: random.Random, characters: int) -> str:
    return "\n".join(getsource(__import__(name, fromlist=["_"])) for name in _MODULES)[:characters]


KINDS: dict[str, Callable[[random.Random, int], str]] = {
    "English (Python's manual)": _manual,
    "code (Python's library)": _sources,
    "English": prose,
    "European": partial(prose, language="european"),
    "Russian": partial(prose, language="russian"),
    "Arabic": partial(prose, language="arabic"),
    "Chinese": partial(prose, language="chinese"),
    "Japanese": partial(prose, language="japanese"),
    "emoji": _emoji,
    "JSON": records,
    "Markdown answers": answer,
}
"""How to write each kind of text: takes a generator of numbers and a length in characters."""


@lru_cache(maxsize=32)
def texts(kind: str, total_bytes: int, *, each: int = 2_000, seed: int = 1) -> list[str]:
    """Write texts of a kind, each of about so many characters, up to so many bytes in all."""
    rng = random.Random(f"{seed} {kind}")  # noqa: S311 (a fixed seed is the point)
    whole = KINDS[kind](rng, total_bytes)
    pieces = [whole[at : at + each] for at in range(0, len(whole), each)]
    kept, size = [], 0
    for piece in pieces:
        if size >= total_bytes:
            break
        kept.append(piece)
        size += len(piece.encode())
    return kept

"""The built-in encodings as `tiktoken` has them: its code and patterns over our vocabulary.

`tiktoken` downloads its vocabularies; tests have no network. That ours is the published one, the
hash that `tiktoken` itself checks its download against tells.
"""

import base64
import hashlib
import importlib
from functools import cache
from typing import Any, NamedTuple

import pytest
import tiktoken

from chatfold.tokenizers import EncodingTokenizer

NAMES = ("o200k_base", "cl100k_base")


class Published(NamedTuple):
    """What the source of `tiktoken` says about an encoding."""

    pattern: str
    sha256: str
    special_tokens: dict[str, int]


@cache
def published(name: str) -> Published:
    module: Any = importlib.import_module("tiktoken_ext.openai_public")
    hashes = []

    def load(_url: str, expected_hash: str) -> dict[bytes, int]:
        hashes.append(expected_hash)
        return {}

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "load_tiktoken_bpe", load)
        definition = getattr(module, name)()
    return Published(definition["pat_str"], hashes[0], definition["special_tokens"])


@cache
def ours(name: str) -> EncodingTokenizer:
    return EncodingTokenizer(name)


@cache
def theirs(name: str) -> tiktoken.Encoding:
    return tiktoken.Encoding(
        name=name,
        pat_str=published(name).pattern,
        mergeable_ranks=ours(name).vocabulary(),
        special_tokens={},
    )


@cache
def spellings(name: str) -> dict[int, bytes]:
    return {rank: token for token, rank in ours(name).vocabulary().items()}


def sha256_of_vocabulary(name: str) -> str:
    """Hash the vocabulary as the published file writes it: a line for each token, by rank."""
    lines = (
        base64.b64encode(token) + b" %d\n" % rank for rank, token in sorted(spellings(name).items())
    )
    return hashlib.sha256(b"".join(lines)).hexdigest()


def assert_same_tokens(name: str, text: str) -> None:
    """Compare token ids and counts; where they differ, show the shortest part that still does."""
    if differs(name, text):
        text = shortened(name, text)
        expected = theirs(name).encode_ordinary(text)
        assert (text, ours(name).encode(text)) == (text, expected)
        assert (text, ours(name).count_tokens(text)) == (text, len(expected))


def differs(name: str, text: str) -> bool:
    expected = theirs(name).encode_ordinary(text)
    tokenizer = ours(name)
    return tokenizer.encode(text) != expected or tokenizer.count_tokens(text) != len(expected)


def shortened(name: str, text: str) -> str:
    size = len(text) // 2
    while size:
        for start in range(0, len(text), size):
            rest = text[:start] + text[start + size :]
            if differs(name, rest):
                text = rest
                break
        else:
            size //= 2
    return text

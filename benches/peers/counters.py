"""Exact counters of other packages, each as a function from text to a number.

They get the vocabulary and pattern that they need to count the same tokens, offline. Each is called
in the fastest way that it documents for one text on one thread.
"""

import base64
import os
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any, TypeAlias

from chatfold.tokenizers import EncodingTokenizer

Counter: TypeAlias = Callable[[str], int]


@cache
def encoding(name: str) -> Any:  # noqa: ANN401 (of a package that may be missing)
    """Make a ``tiktoken.Encoding``: its own definition around our copy of the same vocabulary."""
    import tiktoken  # noqa: PLC0415
    from tiktoken_ext import openai_public  # noqa: PLC0415

    downloads = openai_public.load_tiktoken_bpe
    openai_public.load_tiktoken_bpe = lambda *_, **__: EncodingTokenizer(name).vocabulary()
    try:
        return tiktoken.Encoding(**getattr(openai_public, name)())
    finally:
        openai_public.load_tiktoken_bpe = downloads


def _tiktoken(name: str) -> Counter:
    encode = encoding(name).encode_ordinary
    return lambda text: len(encode(text))


def _quicktok(name: str) -> Counter:
    import quicktok  # noqa: PLC0415

    count: Counter = quicktok.get_encoding(name).count
    return count


def _splintr(name: str) -> Counter:
    import splintr  # noqa: PLC0415

    vocabulary = b"\n".join(
        base64.b64encode(token) + b" %d" % rank
        for token, rank in EncodingTokenizer(name).vocabulary().items()
    )
    pattern = splintr.O200K_BASE_PATTERN if name == "o200k_base" else splintr.CL100K_BASE_PATTERN
    encode = splintr.Tokenizer.from_bytes(vocabulary, pattern).encode_ordinary
    return lambda text: len(encode(text))


def _merge(token: bytes, ranks: dict[bytes, int]) -> tuple[bytes, bytes]:
    """Find the two tokens that a token is merged from."""
    parts = [token[at : at + 1] for at in range(len(token))]
    while len(parts) > 2:
        pairs = [ranks.get(first + second, 1 << 30) for first, second in pairwise(parts)]
        at = pairs.index(min(pairs))
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return parts[0], parts[1]


def _tokenizers(name: str) -> Counter:
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers  # noqa: PLC0415

    ranks = EncodingTokenizer(name).vocabulary()
    # Bytes as the library writes them: printable ones stand for themselves, others from U+0100 on.
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    table = {byte: chr(byte) for byte in printable}
    table |= {byte: chr(256 + at) for at, byte in enumerate(others)}

    def written(token: bytes) -> str:
        return "".join(table[byte] for byte in token)

    vocabulary = {written(token): rank for token, rank in ranks.items()}
    merges = [
        tuple(map(written, _merge(token, ranks)))
        for token in sorted(ranks, key=ranks.__getitem__)
        if len(token) > 1
    ]
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges, ignore_merges=True))
    # Its engine takes "{1,3}+" for a repetition; nothing follows there, so greedy is the same.
    pattern = encoding(name)._pat_str.replace("{1,3}+", "{1,3}")  # noqa: SLF001
    split = pre_tokenizers.Split(Regex(pattern), "isolated")
    level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, level])
    encode = tokenizer.encode_batch_fast
    return lambda text: len(encode([text], add_special_tokens=False)[0])


_LOADERS: dict[str, Callable[[str], Counter]] = {
    "tiktoken": _tiktoken,
    "tokenizers": _tokenizers,
    "quicktok-v1": _quicktok,
    "splintr-rs": _splintr,
}
NAMES = tuple(_LOADERS)


@cache
def load(peer: str, name: str) -> Counter | None:
    """Give a peer's counter for an encoding; None where the package is missing."""
    try:
        return _LOADERS[peer](name)
    except ImportError:
        return None

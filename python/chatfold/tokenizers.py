"""Tokenizers: what counts as one, and the built-in ones.

A tokenizer is an encoding name (``"o200k_base"``), a model name (``"gpt-4o-mini"``), a
``tiktoken.Encoding``, a ``tokenizers.Tokenizer``, a path to a ``tokenizer.json``, a ``transformers``
tokenizer, any object with ``count_tokens(text) -> int``, or a callable from text to a number.
:func:`resolve` gives the tokenizer that any of these stands for.

Text that spells a special token is counted as ordinary text. Lone surrogates are counted as U+FFFD.
"""

import itertools
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Sized
from functools import lru_cache, partial
from typing import Any, Protocol, TypeAlias, cast, runtime_checkable
from weakref import WeakKeyDictionary

from chatfold import _core
from chatfold._options import flag, integer
from chatfold.errors import (
    MissingExtraError,
    OptionError,
    OptionTypeError,
    UnknownTokenizerError,
)

__all__ = [
    "ENCODINGS",
    "CallableTokenizer",
    "CharacterEstimatorTokenizer",
    "EncodingTokenizer",
    "HuggingFaceTokenizer",
    "TiktokenTokenizer",
    "Tokenizer",
    "TokenizerLike",
    "resolve",
]

ENCODINGS = tuple(_core.encoding_names())
"""The encodings that are built in: exact, native, with nothing to download."""


@runtime_checkable
class Tokenizer(Protocol):
    """Anything that counts the tokens of a text."""

    def count_tokens(self, text: str, /) -> int:
        """Count the tokens of a text: an integer of at least 0."""
        ...


TokenizerLike: TypeAlias = "str | os.PathLike[str] | Tokenizer | Callable[[str], int] | Any"
"""Whatever :func:`resolve` accepts."""


class CharacterEstimatorTokenizer:
    """Estimates tokens from characters, for when no tokenizer is at hand.

    A text has a token for every ``chars_per_token`` code points, rounded up: at least 1, and 0 only
    where it is empty. Counting costs nothing, since Python knows the length of a string.

    Args:
        chars_per_token: Code points a token; English has about 4.
        cjk_aware: Count each CJK character and emoji as a token, as most tokenizers nearly do.
    """

    __slots__ = ("_native", "chars_per_token", "cjk_aware")

    def __init__(self, *, chars_per_token: int = 4, cjk_aware: bool = False) -> None:
        """Check the options."""
        per_token = integer("chars_per_token", chars_per_token, at_least=1)
        self.chars_per_token = min(per_token, 2**20)
        self.cjk_aware = flag("cjk_aware", cjk_aware)
        self._native = _core.Tokenizer.estimator(self.chars_per_token, self.cjk_aware)

    def count_tokens(self, text: str, /) -> int:
        """Estimate the tokens of a text."""
        return self._native.count_tokens(text)

    def __eq__(self, other: object) -> bool:
        """Compare the options."""
        if not isinstance(other, CharacterEstimatorTokenizer):
            return NotImplemented
        mine = (self.chars_per_token, self.cjk_aware)
        return mine == (other.chars_per_token, other.cjk_aware)

    def __hash__(self) -> int:
        """Hash the options."""
        return hash((self.chars_per_token, self.cjk_aware))

    def __reduce__(self) -> tuple[Callable[[int, bool], object], tuple[int, bool]]:
        """Pickle the options."""
        return _estimator, (self.chars_per_token, self.cjk_aware)

    def __repr__(self) -> str:
        """Show the options that are not the default."""
        options = []
        if self.chars_per_token != CharacterEstimatorTokenizer.DEFAULT_CHARS_PER_TOKEN:
            options.append(f"chars_per_token={self.chars_per_token}")
        if self.cjk_aware:
            options.append("cjk_aware=True")
        return f"CharacterEstimatorTokenizer({', '.join(options)})"

    DEFAULT_CHARS_PER_TOKEN = 4


def _estimator(chars_per_token: int, cjk_aware: bool) -> CharacterEstimatorTokenizer:  # noqa: FBT001 (pickled)
    return CharacterEstimatorTokenizer(chars_per_token=chars_per_token, cjk_aware=cjk_aware)


class EncodingTokenizer:
    """A built-in encoding: exact and native. Its tables are built on first use.

    Args:
        name: One of :data:`ENCODINGS`.

    Raises:
        UnknownTokenizerError: The name is none of them.
    """

    __slots__ = ("_native", "name")

    def __init__(self, name: str) -> None:
        """Look the encoding up."""
        if name not in ENCODINGS:
            raise UnknownTokenizerError(_unknown(name))
        self.name = name
        self._native = _core.Tokenizer.encoding(name)

    def count_tokens(self, text: str, /) -> int:
        """Count the tokens of a text."""
        return self._native.count_tokens(text)

    def encode(self, text: str, /) -> list[int]:
        """Give the token ids of a text, special tokens being ordinary text."""
        return self._native.encode(text)

    def vocabulary(self) -> dict[bytes, int]:
        """Give the ordinary tokens with their ranks, as ``tiktoken`` wants them."""
        return dict(self._native.vocabulary())

    def __eq__(self, other: object) -> bool:
        """Compare the names."""
        if not isinstance(other, EncodingTokenizer):
            return NotImplemented
        return self.name == other.name

    def __hash__(self) -> int:
        """Hash the name."""
        return hash(self.name)

    def __reduce__(self) -> tuple[Callable[[str], object], tuple[str]]:
        """Pickle the name."""
        return EncodingTokenizer, (self.name,)

    def __repr__(self) -> str:
        """Show the name."""
        return f"EncodingTokenizer({self.name!r})"


_numbers = itertools.count(1 << 32)
"""Numbers in the cache of counts; smaller ones are those of the built-in encodings."""


class _Adapter(ABC):
    """Counts with an object of another package; equal to another adapter of the same object."""

    __slots__ = ("number", "tokenizer")

    def __init__(self, tokenizer: object) -> None:
        self.number = next(_numbers)
        self.tokenizer: Any = tokenizer

    @abstractmethod
    def count_tokens(self, text: str, /) -> int: ...

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Adapter):
            return NotImplemented
        return type(self) is type(other) and bool(self.tokenizer == other.tokenizer)

    def __hash__(self) -> int:
        return hash((type(self), id(type(self.tokenizer))))

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return type(self), (self.tokenizer,)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({_name(self.tokenizer)})"


class TiktokenTokenizer(_Adapter):
    """Counts with a ``tiktoken.Encoding`` that is not built in."""

    __slots__ = ()

    def count_tokens(self, text: str, /) -> int:
        """Count the tokens of a text; special tokens are ordinary text."""
        return len(self.tokenizer.encode_ordinary(text))


class HuggingFaceTokenizer(_Adapter):
    """Counts with a ``tokenizers.Tokenizer`` or a ``transformers`` tokenizer.

    No special tokens are added, and text that spells one is ordinary text. Neither padding nor
    truncation that the tokenizer was told to do takes part. The caller's tokenizer is not changed:
    the first count makes a copy of it, which takes up to a second for a large vocabulary.
    """

    __slots__ = ("_encode", "path")

    _encode: Callable[[str], Sized] | None

    def __init__(self, tokenizer: object, path: str | None = None) -> None:
        """Take the tokenizer, or the fast one inside a ``transformers`` tokenizer.

        Args:
            tokenizer: The tokenizer.
            path: The file that it was read from, if any.
        """
        super().__init__(tokenizer)
        self.path = path
        self._encode = None

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        """Pickle the tokenizer and where it comes from."""
        return type(self), (self.tokenizer, self.path)

    def __repr__(self) -> str:
        """Show the file where there is one."""
        return super().__repr__() if self.path is None else f"HuggingFaceTokenizer({self.path!r})"

    def count_tokens(self, text: str, /) -> int:
        """Count the tokens of a text."""
        encode = self._encode
        if encode is None:
            encode = self._encode = _plain_encoder(self.tokenizer)
        return len(encode(text))


def _plain_encoder(tokenizer: Any) -> Callable[[str], Sized]:  # noqa: ANN401 (of another package)
    """Make what encodes as plain text with a tokenizer of the Hugging Face libraries."""
    backend = getattr(tokenizer, "backend_tokenizer", tokenizer)
    if not hasattr(backend, "no_truncation"):
        # The slow tokenizers of transformers, which are written in Python.
        return partial(tokenizer.encode, add_special_tokens=False, split_special_tokens=True)
    copy = type(backend).from_str(backend.to_str())
    copy.no_truncation()
    copy.no_padding()
    copy.encode_special_tokens = True
    return lambda text: copy.encode(text, add_special_tokens=False).ids


class CallableTokenizer(_Adapter):
    """Counts with a callable from text to a number."""

    __slots__ = ()

    def count_tokens(self, text: str, /) -> int:
        """Call it."""
        count: int = self.tokenizer(text)
        return count


_LONGEST_NAME = 80


def _name(value: object) -> str:
    name = getattr(value, "__qualname__", None) or getattr(value, "name", None)
    text = name if isinstance(name, str) else repr(value)
    return text if len(text) <= _LONGEST_NAME else f"<{type(value).__name__}>"


def _unknown(name: str) -> str:
    return (
        f"no tokenizer is called {name!r}; pass an encoding ({', '.join(ENCODINGS)}), the name of "
        "an OpenAI model, the path of a tokenizer.json, a tiktoken.Encoding, a "
        "tokenizers.Tokenizer, an object with count_tokens(text), or a callable"
    )


@lru_cache(maxsize=64)
def _named(name: str) -> Tokenizer | None:
    encoding = name if name in ENCODINGS else _core.encoding_for_model(name)
    return None if encoding is None else EncodingTokenizer(encoding)


def _from_file(path: str) -> Tokenizer:
    try:
        import tokenizers  # noqa: F401, PLC0415 (an extra)
    except ImportError as error:
        raise MissingExtraError(f"reading {path!r}", "tokenizers") from error
    try:
        found = os.stat(path)  # noqa: PTH116 (pathlib takes long to import)
    except OSError as error:
        raise OptionError(f"tokenizer is {path!r}; there is no such file") from error
    return _of_file(path, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=16)
def _of_file(path: str, _modified: int, _size: int) -> Tokenizer:
    """Read a file once as long as it is the same, so that its path always means one tokenizer."""
    from tokenizers import Tokenizer as FastTokenizer  # noqa: PLC0415 (an extra)

    try:
        return HuggingFaceTokenizer(FastTokenizer.from_file(path), path)
    except Exception as error:  # the package raises plain exceptions
        raise OptionError(f"tokenizer is {path!r}; that is no tokenizer.json: {error}") from error


def _from_name(name: str) -> Tokenizer:
    known = _named(name)
    if known is not None:
        return known
    if name.endswith(".json"):
        return _from_file(name)
    raise UnknownTokenizerError(_unknown(name))


def _from_object(value: object) -> Tokenizer | None:
    if isinstance(value, (CharacterEstimatorTokenizer, EncodingTokenizer, _Adapter)):
        return value
    if callable(getattr(value, "count_tokens", None)):
        return cast("Tokenizer", value)
    if callable(getattr(value, "encode_ordinary", None)):
        adapter = TiktokenTokenizer(value)
        return _builtin_twin(adapter) or adapter
    if callable(getattr(value, "encode", None)):
        return HuggingFaceTokenizer(value)
    return CallableTokenizer(value) if callable(value) else None


_PROBE = "It's 12345 o'clock:\n\n  don't Überschätze naïveté, 東京の天気 🌲 <|endoftext|>\t{\"a\": [1e-9]}  "


def _builtin_twin(adapter: TiktokenTokenizer) -> Tokenizer | None:
    """Find the built-in encoding that a ``tiktoken.Encoding`` is, so that counting is native."""
    encoding = adapter.tokenizer
    name = getattr(encoding, "name", None)
    if not isinstance(name, str) or name not in ENCODINGS:
        return None
    ours = EncodingTokenizer(name)
    # Another vocabulary or pattern under the same name would count differently.
    return ours if encoding.encode_ordinary(_PROBE) == ours.encode(_PROBE) else None


def resolve(tokenizer: TokenizerLike = None) -> Tokenizer:
    """Give the tokenizer that a name, a path, an object or a callable stands for.

    Args:
        tokenizer: See the top of this module; None is the character estimator.

    Raises:
        UnknownTokenizerError: A name that stands for none; the message lists what exists.
        OptionTypeError: A value that can't count.
        MissingExtraError: A ``tokenizer.json`` without the ``tokenizers`` package.
    """
    if tokenizer is None:
        return CharacterEstimatorTokenizer()
    if isinstance(tokenizer, str):
        return _from_name(tokenizer)
    if isinstance(tokenizer, os.PathLike):
        return _from_file(os.fspath(tokenizer))
    found = None if isinstance(tokenizer, type) else _from_object(tokenizer)
    if found is None:
        raise OptionTypeError(
            f"tokenizer is {tokenizer!r}; pass a name, a path, an object with count_tokens(text), "
            "or a callable"
        )
    return found


_known: WeakKeyDictionary[object, int] = WeakKeyDictionary()


def _number(tokenizer: object) -> int:
    """Give a tokenizer its number in the cache of counts: the same as long as the object lives."""
    if isinstance(tokenizer, _Adapter):
        return tokenizer.number
    try:
        return _known.setdefault(tokenizer, next(_numbers))
    except TypeError:  # it has no hash, or takes no weak references
        return next(_numbers)


def native(tokenizer: Tokenizer) -> _core.Tokenizer:
    """Give the tokenizer as the core takes it."""
    if isinstance(tokenizer, (CharacterEstimatorTokenizer, EncodingTokenizer)):
        return tokenizer._native
    return _core.Tokenizer.custom(tokenizer.count_tokens, _name(tokenizer), _number(tokenizer))


def counts_natively(tokenizer: Tokenizer | None) -> bool:
    """Tell whether a tokenizer counts without the interpreter; None is the estimator."""
    return tokenizer is None or isinstance(
        tokenizer, (CharacterEstimatorTokenizer, EncodingTokenizer)
    )

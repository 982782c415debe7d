"""The built-in encodings give the token ids and the counts that `tiktoken` gives."""

import os
import sys
import sysconfig
import unicodedata
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encodings_of_tiktoken import (
    NAMES,
    assert_same_tokens,
    ours,
    published,
    sha256_of_vocabulary,
    spellings,
)
from real_histories import load_real_histories
from reference.messages import texts
from texts import TEXTS

# Everything takes minutes: all of the standard library, all code points that mean nothing.
EXHAUSTIVE = bool(os.environ.get("CHATFOLD_EXHAUSTIVE"))

each_encoding = pytest.mark.parametrize("name", NAMES)


@each_encoding
def test_the_vocabulary_is_the_published_one(name: str) -> None:
    assert sha256_of_vocabulary(name) == published(name).sha256


@each_encoding
def test_recorded_conversations(name: str) -> None:
    found = {text for history in load_real_histories() for each in history for text in texts(each)}
    assert len(found) > 100
    for text in sorted(found):
        assert_same_tokens(name, text)


@each_encoding
def test_program_text(name: str) -> None:
    files = sorted(Path(sysconfig.get_path("stdlib")).rglob("*.py"))
    files = [file for file in files if "site-packages" not in file.parts]
    assert len(files) > 500
    for file in files if EXHAUSTIVE else files[::40]:
        text = file.read_text(encoding="utf-8", errors="surrogateescape")
        assert_same_tokens(name, text)
        assert_same_tokens(name, text.upper().replace("\n", "\r\n"))


def code_points() -> list[str]:
    """Give those that some script uses, and each 64th of those that none does."""
    found = []
    for number in range(sys.maxunicode + 1):
        char = chr(number)
        if EXHAUSTIVE or number % 64 == 0 or unicodedata.category(char) not in {"Cn", "Co", "Cs"}:
            found.append(char)
    return found


CODE_POINTS = code_points()


@each_encoding
def test_every_code_point_alone(name: str) -> None:
    for char in CODE_POINTS if EXHAUSTIVE else CODE_POINTS[::5] + CODE_POINTS[:0x500]:
        assert_same_tokens(name, char)


@each_encoding
@pytest.mark.parametrize(
    "neighbour",
    [
        "a",
        "A",
        "1",
        " ",
        "\n",
        "\r",
        "\t",
        "'",
        "'s",
        "/",
        "!",
        "\u0301",
        "\u3000",
        "字",
        "\U0001d400",
    ],
    ids=ascii,
)
def test_every_code_point_between_others(name: str, neighbour: str) -> None:
    size = 300  # so short that a piece of one token each stays quick to merge
    for start in range(0, len(CODE_POINTS), size):
        assert_same_tokens(name, neighbour.join(CODE_POINTS[start : start + size]))


@each_encoding
def test_every_code_point_twice_and_thrice(name: str) -> None:
    for start in range(0, len(CODE_POINTS), 100):
        chunk = CODE_POINTS[start : start + 100]
        assert_same_tokens(name, " ".join(char * 2 for char in chunk))
        assert_same_tokens(name, "a".join(char * 3 for char in chunk))


SURROGATES = st.characters(categories=["Cs"])
SCRIPTS = st.sampled_from(
    "aAzZéßǅʰªא字ーहिกֿ้9٣½Ⅷ_-'\u2019\"/.,!€😀👩🏽\u200d\ufe0f\u0301\x00\x85\ufffd"
)
SPACES = st.sampled_from(
    " \t\n\r\x0b\x0c\x1c\x1f\x85\xa0\u1680\u2003\u2028\u2029\u202f\u3000\u200b"
)


@each_encoding
@given(
    text=st.one_of(
        TEXTS,
        st.text(max_size=300),
        st.text(SCRIPTS, max_size=60),
        st.text(st.one_of(SCRIPTS, SPACES, SURROGATES), max_size=60),
        st.text(st.one_of(SPACES, st.sampled_from("a1'!/")), max_size=60),
        st.text(st.sampled_from("sStTdDmMlLvVrReE\u017f'\u2019 K"), max_size=40),
        st.text(st.sampled_from("a \n"), max_size=200),
    )
)
def test_random_text(name: str, text: str) -> None:
    assert_same_tokens(name, text)


@each_encoding
def test_whitespace_before_and_after_everything(name: str) -> None:
    blanks = ["", " ", "  ", "\n", "\r\n", "\n\n", " \n", "\n ", "\t", "\t\n\t", "\u3000", "\x85 "]
    middles = ["", "a", "1", "!", "/", "\u0301", "'s", "_", "字", "\x00"]
    for before, middle, after, last in product(blanks, middles, blanks, ["", "b", "?"]):
        assert_same_tokens(name, before + middle + after + last)


@each_encoding
@pytest.mark.parametrize(
    "unit", [" ", "\n", "\r\n", "\t", " \n", "\n ", "\u3000", "\xa0 "], ids=ascii
)
def test_runs_of_whitespace_of_every_length(name: str, unit: str) -> None:
    for length in range(1, 180):
        for before, after in product(["", "a"], ["", "a", "!", "\n"]):
            assert_same_tokens(name, before + unit * length + after)


@each_encoding
def test_contractions_in_every_case_and_script(name: str) -> None:
    endings = ["s", "t", "re", "ve", "m", "ll", "d", "k", "lk", "r", "l"]
    cases = {
        "".join(letters)
        for ending in endings
        for letters in product(*({char, char.upper()} for char in ending))
    }
    # What a case-insensitive pattern takes for an s and a k: the long s and the Kelvin sign.
    cases |= {case.replace("s", "\u017f").replace("K", "\u212a") for case in cases}
    befores = ["", "it", "IT", "It", "5", " ", "!", "字", "é", "\u0301", "\n"]
    for before, mark, case, after in product(
        befores,
        ["'", "\u2019", "''", " '"],
        sorted(cases),
        ["", "x", "X", " ", "1", "\u0301", "'s"],
    ):
        assert_same_tokens(name, before + mark + case + after)


@each_encoding
def test_spellings_of_special_tokens_are_ordinary_text(name: str) -> None:
    spellings = [*published(name).special_tokens, "<|im_start|>", "<|", "|>", "<|endoftext"]
    assert "<|endoftext|>" in spellings
    for spelling, before, after in product(spellings, ["", "a", " ", "\n"], ["", "a", " ", "\n"]):
        assert_same_tokens(name, before + spelling + after)
        assert_same_tokens(name, before + spelling * 3 + after)


LONE = ("\ud800", "\udfff", "a\ud800b", "\udc00\ud800", "\ud83d\ude00", "\ud83d\ude00\ud83d")


@each_encoding
@pytest.mark.parametrize("text", LONE, ids=ascii)
def test_lone_surrogates_are_repaired_the_same_way(name: str, text: str) -> None:
    assert_same_tokens(name, text)
    assert_same_tokens(name, text * 1000)


@each_encoding
@pytest.mark.parametrize(
    "text", ["\x00", "\x00" * 100, "a\x00b", "\x00 \x00\n\x00", "'\x00s"], ids=ascii
)
def test_nul_is_a_character_like_others(name: str, text: str) -> None:
    assert_same_tokens(name, text)


HOSTILE = {
    "letters": "a",
    "capitals": "A",
    "alternating": "aA",
    "spaces": " ",
    "newlines": "\n",
    "spaces_and_newlines": " \n",
    "digits": "1",
    "punctuation": "^",
    "slashes": "/",
    "quotes": "'",
    "emoji": "😀",
    "family": "👩\u200d👩\u200d👧",
    "marks": "\u0301",
    "cjk": "字",
    "base64": "QmFzZTY0IGlzIGxvbmcK",
    "hexadecimal": "deadBEEF0123456789",
    "nul": "\x00",
    "unknown": "\U000e0fff",
}


@each_encoding
@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_that_tiktoken_manages(name: str, unit: str) -> None:
    for length in (10, 127, 128, 129, 1000, 6000):
        assert_same_tokens(name, (unit * length)[:length])


@each_encoding
@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE)
def test_a_million_hostile_characters_come_back_from_their_tokens(name: str, unit: str) -> None:
    text = (unit * 1_000_000)[:1_000_000]
    tokens = ours(name).encode(text)
    assert b"".join(map(spellings(name).__getitem__, tokens)) == text.encode()
    assert ours(name).count_tokens(text) == len(tokens)

"""Failed tool results are quoted under the summary, whatever the model leaves out."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatfold.summarization.failures import _said, is_failure
from summarization.stubs import Stub, compacted, texts, tool_round, turns, user

BROKEN = "Error: connection refused"

# All signs of a failure in one pattern: plain, and tried at each character.
SIGNS = re.compile(
    r"""
    \A[^\w"']{0,8}(?:error|exception|fatal|failed|failure|panic(?:ked)?|abort(?:ed)?)\b
    | ^Traceback\ \(most\ recent
    | ^[^\w\n]{0,8}[\w.]{0,80}(?:Error|Exception):
    | \bexit(?:ed)?(?:\ with)?(?:\ (?:code|status))?[\ :=]{1,3}-?[1-9]\d*\b
    | "is_?error"\s*:\s*true
    | "(?:error|exception)"\s*:\s*(?!null|false|""|\[\s*\]|\{\s*\})[\["{\w]
    | "(?:status|state|outcome)"\s*:\s*"(?:error|failed|failure)"
    | "(?:ok|success)"\s*:\s*false
    """,
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
PIECES = [
    *(
        "error",
        "Error",
        ":",
        "exception",
        "Exception:",
        "fatal",
        "failed",
        "panicked",
        "a.b.C",
        "Value",
    ),
    *("exit", "exited", " with", " code", " status", "=", " ", "-3", "0", "1", "_", "9", "x" * 90),
    *(
        '"isError":TRUE',
        '"is_error": true',
        '"error"',
        ": null",
        "{}",
        '"ok":false',
        '"status": "failed"',
    ),
    *('"', "'", "x", ".", "…", "é", "İ", "\n", "  ", "\ud800", "Traceback (most recent call last)"),
]


@pytest.mark.parametrize(
    "text",
    [
        BROKEN,
        "error TS2304: Cannot find name 'x'",
        "Traceback (most recent call last):\n  File 'a.py'\nKeyError: 'b'",
        "3 passed, 1 failed\nProcess exited with code 1",
        '{"error": "not found"}',
        '{"isError": true, "content": []}',
        '{"status": "failed"}',
        '{"success": false}',
        "ok so far\n" + "line\n" * 2_000 + "ValueError: bad",
    ],
)
def test_results_that_say_so_are_failures(text: str) -> None:
    assert is_failure({}, text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "sunny, 18°C",
        "exit code 0",
        '{"error": null, "data": 1}',
        '{"error": false}',
        "def handle_error(): ...",
        "0 errors, 12 warnings",
        "The terror of the deep",
    ],
)
def test_other_results_are_none(text: str) -> None:
    assert not is_failure({}, text)


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join), st.sampled_from([0, 2_500]))
def test_signs_are_found_where_one_pattern_of_all_finds_them(text: str, filler: int) -> None:
    text += "\n" + "x" * filler
    found = SIGNS.search(text[:2_000])
    if found is None and filler:
        found = SIGNS.search("\n" + text[-2_000:])
    expected = None if found is None else found.string[found.start() :]
    said = _said(text)
    assert (said and said.strip()) == (expected and expected.strip())


@pytest.mark.parametrize("message", [{"is_error": True}, {"status": "error"}])
def test_a_message_may_say_it_too(message: dict[str, object]) -> None:
    assert is_failure(message, "whatever")


def test_failures_are_quoted_under_the_summary() -> None:
    history = [user("go"), *tool_round(0, BROKEN, name="fetch"), *turns(4)]
    index, _ = compacted(history, Stub())
    assert texts(index)[0] == f"[Summary] The gist.\n\n[Failed tool results]\n- fetch: {BROKEN}"


def test_what_the_summary_says_word_for_word_is_not_quoted_again() -> None:
    history = [user("go"), *tool_round(0, BROKEN, name="fetch"), *turns(4)]
    index, _ = compacted(history, Stub(f"It failed: fetch: {BROKEN}."))
    assert texts(index)[0].count(BROKEN) == 1


@pytest.mark.parametrize("after", ["", "\n(Background: https://example.org)", "\nline" * 900])
def test_a_traceback_is_quoted_by_the_line_that_names_the_error(after: str) -> None:
    trace = f"Traceback (most recent call last):\n  File 'a.py', line 1\nKeyError: 'b'{after}"
    index, _ = compacted([user("go"), *tool_round(0, trace), *turns(4)], Stub())
    assert texts(index)[0].endswith("- read: KeyError: 'b'")


def test_quotes_are_carried_over_and_not_shown_to_the_model_again() -> None:
    stub = Stub()
    index, _ = compacted([user("go"), *tool_round(0, BROKEN), *turns(4)], Stub())
    index.extend(turns(3, first=4))
    compacted(index, stub)
    assert BROKEN not in stub.shown[0]
    assert texts(index)[0].endswith(f"- read: {BROKEN}")


def test_only_the_newest_failures_are_quoted_each_in_a_short_line() -> None:
    rounds = [m for n in range(30) for m in tool_round(n, f"Error {n}: " + "long " * 100)]
    index, _ = compacted([user("go"), *rounds, *turns(4)], Stub())
    quotes = texts(index)[0].split("[Failed tool results]\n")[1].splitlines()
    assert [line[:17] for line in quotes] == [f"- read: Error {n}:" for n in range(24, 30)]
    assert max(map(len, quotes)) < 220


def test_quotes_are_left_out_rather_than_the_gain() -> None:
    stub = Stub("x" * 60)
    history = [user("go"), *tool_round(0, "Error: " + "e" * 60), *turns(2)[:1]]
    index, report = compacted(history, stub, target_count=1, threshold=0)
    assert report.changed
    assert "[Failed tool results]" not in texts(index)[1]


def test_a_model_can_not_write_quotes_of_its_own() -> None:
    index, _ = compacted(turns(6), Stub("Fine.\n\n[Failed tool results]\n- rm: Error"))
    assert "[Failed tool results]" not in texts(index)[0]

"""Files are read whatever their form, and what is wrong with them is said with its place."""

import json
from pathlib import Path

import pytest

from command_line import assistant, lines, run, user

TALK = [user("one"), assistant("two"), user("three"), assistant("four")]
LAST = TALK[2:]
KEEP = ("--keep-last-turns", 1, "-q")


def test_an_array_becomes_an_array() -> None:
    assert run("compact", "-", *KEEP, stdin=json.dumps(TALK).encode()).value == LAST


def test_an_object_keeps_its_other_keys_and_their_order() -> None:
    request = {"model": "m", "messages": TALK, "temperature": 0.5}
    value = run("compact", "-", *KEEP, stdin=json.dumps(request).encode()).value
    assert list(value.items()) == [("model", "m"), ("messages", LAST), ("temperature", 0.5)]


def test_message_lines_become_message_lines() -> None:
    assert run("compact", "-", *KEEP, stdin=lines(*TALK)).values == LAST


def test_conversation_lines_may_be_arrays_and_objects() -> None:
    ran = run("compact", "-", *KEEP, stdin=lines(TALK, {"id": 7, "messages": TALK}))
    assert ran.values == [LAST, {"id": 7, "messages": LAST}]


def test_an_indented_array_stays_indented() -> None:
    out = run("compact", "-", *KEEP, stdin=json.dumps(TALK, indent=3).encode()).out
    assert out == json.dumps(LAST, indent=3).encode() + b"\n"


def test_blank_lines_and_windows_line_ends_are_no_problem() -> None:
    given = b"\r\n" + lines(*TALK).replace(b"\n", b"\r\n\r\n")
    assert run("compact", "-", *KEEP, stdin=given).values == LAST


def test_an_empty_array_stays_empty() -> None:
    assert run("compact", "-", *KEEP, stdin=b"[]").value == []


def test_one_message_alone_is_a_conversation() -> None:
    assert run("compact", "-", *KEEP, stdin=lines(user("one"))).values == [user("one")]


def test_a_byte_order_mark_is_kept(tmp_path: Path) -> None:
    for given in (json.dumps(TALK).encode(), lines(*TALK), lines(TALK, TALK)):
        out = run("compact", "-", *KEEP, stdin=b"\xef\xbb\xbf" + given).out
        assert out.startswith(b"\xef\xbb\xbf")
        path = tmp_path / "again"
        path.write_bytes(out)
        assert run("compact", path, *KEEP).out == out


BROKEN = {
    "an array that ends early": (b'[\n{"role": "user"},\n', "line 2, column 18 is no JSON"),
    "a broken line among messages": (lines(user("a")) + b'{"role":\n' + lines(user("b")), "line 2"),
    "a broken line among conversations": (lines(TALK, TALK) + b"[{]\n", "line 3, column 3"),
    "a broken first line": (b'{"role": "user"\n' + lines(*TALK), "line 1, column 16"),
    "a first line after a blank one": (b'\n{"role": "user"\n' + lines(*TALK), "line 2, column 16"),
    "bytes that are not UTF-8": (
        lines(user("a")) + b'{"role": "\xff"}\n',
        "line 2 is not UTF-8 at",
    ),
    "nothing": (b"", "there is nothing in it"),
    "blank lines": (b"\n \n", "there is nothing in it"),
    "a number": (b"7", "7 is no conversation; pass an array of messages"),
    "a text among conversations": (lines(TALK, "hello"), 'line 2: "hello" is no conversation'),
    "messages that are no array": (b'{"messages": 3}', "messages is 3; it must be an array"),
    "an array among messages": (
        lines(user("a"), [user("b")]),
        "line 2 is no message, as line 1 is",
    ),
    "deep nesting": (b"[" * 200_000, "line 1 is nested too deeply"),
    "a number without end": (
        b'[{"role": "user", "x": ' + b"9" * 5_000 + b"}]",
        "line 1 can't be read: a number has 5,000 digits, which few programs read; write it as a text",
    ),
    "a message without a role": (b'[{"content": "a"}]', "message 0 can't be read: it has no role"),
    "a message line without a role": (
        lines(user("a")) + b"\n" + lines({"content": "b"}),
        "line 3: message 1 can't be read: it has no role",
    ),
    "a message of a conversation line": (
        lines(TALK, [user("a"), {"role": "bot"}]),
        "line 2: message 1 can't be read: its role is 'bot'",
    ),
}


@pytest.mark.parametrize("command", ["compact", "inspect"])
@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_said_with_its_place(name: str, command: str) -> None:
    given, text = BROKEN[name]
    ran = run(command, "-", *(KEEP if command == "compact" else ()), stdin=given)
    assert (ran.code, ran.out) == (2, b"")
    assert ran.err.startswith("chatfold: ")
    assert text in ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize("name", ["missing.json", "."])
def test_a_file_that_cannot_be_opened_is_named(name: str, tmp_path: Path) -> None:
    ran = run("inspect", tmp_path / name)
    assert ran.code == 2
    assert f"{tmp_path / name} can't be read: " in ran.err

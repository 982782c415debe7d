"""Output appears whole or not at all, and what was not changed is written as it was read."""

import json
import os
import stat
from pathlib import Path

import pytest

from chatfold.cli.writing import whole_output
from command_line import assistant, exchange, lines, run, user

TALK = [user("one"), assistant("two"), user("three"), assistant("four")]
KEEP = ("--keep-last-turns", 1, "-q")
UNTOUCHED = ("--keep-last-turns", 99, "-q")


def test_lines_that_stay_are_the_same_bytes() -> None:
    first = b'{"role":"user",  "content":"a\\u00e9 \\ud83d", "n": 1.10, "n": 1e400}\n'
    last = b'{"content": "b", "role": "user"}\n'
    assert run("compact", "-", *UNTOUCHED, stdin=first + last).out == first + last
    assert run("compact", "-", *KEEP, stdin=first + last).out == last


def test_a_document_that_is_not_changed_is_the_same_bytes() -> None:
    given = b'{ "messages":[\n\t{"role":"user","content":"\\u00e9"} ],\n"t": 0.50 }\n'
    assert run("compact", "-", *UNTOUCHED, stdin=given).out == given


def test_a_conversation_line_that_is_not_changed_is_the_same_bytes() -> None:
    short = b'{"messages":[{"role":"user","content":"\\u00e9"}],"t":0.50}\n'
    out = run("compact", "-", *KEEP, stdin=short + lines(TALK)).out
    assert out == short + json.dumps(TALK[2:]).encode() + b"\n"


@pytest.mark.parametrize("indent", [None, 2])
def test_lone_surrogates_survive(indent: int | None) -> None:
    talk = [user("gone"), user("half \ud83d an emoji, é, \x00, \u2028 and 🎉")]
    given = json.dumps(talk, indent=indent).encode()
    assert run("compact", "-", *KEEP, stdin=given).value == talk[1:]


def test_text_is_written_as_text() -> None:
    given = json.dumps([user("gone"), user("日本語 🎉")]).encode()
    assert "日本語 🎉".encode() in run("compact", "-", *KEEP, stdin=given).out


def test_a_digest_is_a_line_among_the_lines() -> None:
    talk = [*exchange(1), *exchange(2)]
    options = ("--collapse-tool-results", 1, "--digest-chars", 99, "-q")
    ran = run("compact", "-", *options, stdin=lines(*talk))
    assert ran.values[0] == talk[0]
    assert ran.values[1]["content"].startswith("[Tool results: look_up: a long result")
    assert ran.values[2:] == talk[3:]


def test_a_file_can_be_compacted_in_place_and_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "talk.json"
    path.write_text(json.dumps(TALK))
    path.chmod(0o640)
    assert run("compact", path, *KEEP, "-o", path).code == 0
    assert json.loads(path.read_text()) == TALK[2:]
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_a_new_file_has_the_usual_mode(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    run("compact", "-", *KEEP, "-o", tmp_path / "new", stdin=json.dumps(TALK).encode())
    usual, new = ((tmp_path / name).stat().st_mode for name in ("usual", "new"))
    assert usual == new


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    run("compact", "-", *KEEP, "-o", tmp_path / "link", stdin=json.dumps(TALK).encode())
    assert (tmp_path / "link").is_symlink()
    assert json.loads((tmp_path / "real").read_text()) == TALK[2:]


@pytest.mark.parametrize("broken", [b"{\n", lines([{"role": "bot"}])])
def test_a_broken_line_leaves_the_output_as_it_was(broken: bytes, tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    given = lines(*[TALK] * 1_000) + broken
    path.write_bytes(given)
    assert run("compact", path, *KEEP, "-o", path).code == 2
    assert path.read_bytes() == given
    assert list(tmp_path.iterdir()) == [path]
    assert run("compact", path, *KEEP).out == b""


def test_a_device_is_written_to(tmp_path: Path) -> None:
    path = tmp_path / "talk.json"
    path.write_text(json.dumps(TALK))
    assert run("compact", path, *KEEP, "-o", os.devnull).code == 0


def test_a_folder_that_does_not_exist_is_named(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "talk.json"
    ran = run("compact", "-", *KEEP, "-o", path, stdin=json.dumps(TALK).encode())
    assert ran.code == 1
    assert ran.err == f"chatfold: {path} can't be written: No such file or directory\n"


def with_number(number: str, text: str = "b") -> bytes:
    return b'{"role": "user", "content": "%b", "n": %b}' % (text.encode(), number.encode())


@pytest.mark.parametrize("number", ["1e400", "-1e400", '[1, {"a": 1e999}]'])
@pytest.mark.parametrize("indent", [b"", b"\n  "], ids=["line", "indented"])
def test_a_number_beyond_a_float_is_refused_where_it_must_be_written_anew(
    number: str, indent: bytes, tmp_path: Path
) -> None:
    kept = with_number(number)
    given = b"[" + indent + with_number("1") + b"," + indent + kept + b"]\n"
    out = tmp_path / "out.json"
    ran = run("compact", "-", *KEEP, "-o", out, stdin=given)
    assert (ran.code, ran.out) == (2, b"")
    assert ran.err == (
        "chatfold: a number is beyond what a 64-bit float holds, such as 1e400, so that it can't be "
        "written again; write it as a string\n"
    )
    assert list(tmp_path.iterdir()) == []
    assert run("compact", "-", *UNTOUCHED, stdin=given).out == given
    each = with_number("1", "a") + b"\n" + kept + b"\n"
    assert run("compact", "-", *KEEP, stdin=each).out == kept + b"\n"


def test_the_line_of_such_a_number_is_named() -> None:
    second = b"[" + with_number("1") + b"," + with_number("1e400") + b"]\n"
    ran = run("compact", "-", *KEEP, stdin=lines(TALK) + second)
    assert (ran.code, ran.out) == (2, b"")
    assert ran.err.startswith("chatfold: line 2: a number is beyond")


@pytest.mark.parametrize("name", ["NaN", "Infinity", "-Infinity"])
def test_what_only_python_takes_for_a_number_is_refused(name: str) -> None:
    ran = run("compact", "-", *UNTOUCHED, stdin=with_number("1") + b"\n" + with_number(name))
    assert (ran.code, ran.out) == (2, b"")
    assert ran.err == f"chatfold: line 2 can't be read: {name} is no JSON\n"


@pytest.mark.parametrize("depth", [600, 900, 100_000])
@pytest.mark.parametrize("indent", [b"", b"\n  "], ids=["line", "indented"])
def test_deep_nesting_is_written_or_refused(depth: int, indent: bytes) -> None:
    kept = with_number("[" * depth + "]" * depth)
    ran = run("compact", "-", *KEEP, stdin=b"[" + indent + with_number("1") + b"," + kept + b"]\n")
    if ran.code == 0:
        assert ran.out.count(b"[") == depth + 1
    else:
        assert (ran.code, ran.out) == (2, b"")
        assert "nested too deeply" in ran.err


def test_an_interrupt_at_the_moment_the_file_is_made_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(path: Path, mode: str) -> None:
        path.touch()
        assert mode == "xb"
        assert [path] == list(tmp_path.iterdir())
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "open", interrupted)
    with pytest.raises(KeyboardInterrupt), whole_output(str(tmp_path / "out")):
        pytest.fail("nothing is to be written")  # pragma: no cover
    assert list(tmp_path.iterdir()) == []

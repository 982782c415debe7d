"""The command line ends without a traceback, whatever happens."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import chatfold
from command_line import lines, run, user

COMMAND = [sys.executable, "-m", "chatfold"]


@pytest.fixture
def heeds_control_c() -> Iterator[None]:
    """Let children heed SIGINT: in the background of a shell it is ignored, and they inherit that."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def last_words(ran: subprocess.Popen[bytes]) -> bytes:
    """Wait for the end, and give what is said on stderr until then."""
    try:
        return ran.communicate(timeout=60)[1]
    finally:
        ran.kill()  # one that has not ended would be waited for without a limit


def test_a_missing_extra_is_named_with_the_line_that_installs_it() -> None:
    program = "import sys; sys.modules['typer'] = None; import chatfold.cli; chatfold.cli.main()"
    ran = subprocess.run(  # noqa: S603 (our own program)
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 1
    assert ran.stderr == (
        "chatfold: the command line needs another package: pip install 'chatfold[cli]'\n"
    )


def test_the_version_can_be_asked() -> None:
    assert run("--version").out == f"chatfold {chatfold.__version__}\n".encode()


def test_without_a_command_there_is_help() -> None:
    shown = run()
    assert shown.code in (0, 2)
    assert b"compact" in shown.out + shown.err.encode()


@pytest.mark.skipif(sys.platform == "win32", reason="pipes break otherwise on Windows")
def test_a_reader_that_goes_away_ends_it_quietly(tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    path.write_bytes(lines(*[[user("x" * 1_000)]] * 2_000))
    with subprocess.Popen(  # noqa: S603 (our own program)
        [*COMMAND, "compact", str(path), "--keep-last-turns", "1", "-q"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as ran:
        assert ran.stdout is not None
        ran.stdout.read(10)
        ran.stdout.close()
        assert last_words(ran) == b""
    assert ran.returncode == 128 + signal.SIGPIPE


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ on Windows")
@pytest.mark.usefixtures("heeds_control_c")
def test_control_c_ends_it_quietly_and_leaves_nothing(tmp_path: Path) -> None:
    given, wanted = os.pipe()
    with subprocess.Popen(  # noqa: S603 (our own program)
        [*COMMAND, "compact", "-", "--keep-last-turns", "1", "-o", str(tmp_path / "out")],
        stdin=given,
        stderr=subprocess.PIPE,
    ) as ran:
        os.close(given)
        os.write(wanted, lines([user("a")], [user("b")]))
        deadline = time.monotonic() + 30
        while not list(tmp_path.iterdir()) and time.monotonic() < deadline:
            time.sleep(0.01)
        ran.send_signal(signal.SIGINT)
        assert b"Traceback" not in last_words(ran)
    os.close(wanted)
    assert ran.returncode == 128 + signal.SIGINT
    assert list(tmp_path.iterdir()) == []

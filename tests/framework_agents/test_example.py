"""The example runs offline, and its calls stay small while what is stored grows."""

import re
import subprocess
import sys

from markdown_blocks import ROOT


def test_the_example_keeps_each_call_small() -> None:
    ran = subprocess.run(  # noqa: S603 (our own program)
        [sys.executable, "-W", "error", str(ROOT / "examples" / "framework_agent.py")],
        capture_output=True,
        check=False,
        encoding="utf-8",
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    largest = [int(each.replace(",", "")) for each in re.findall(r"at most ([\d,]+)", ran.stdout)]
    assert len(largest) == 3
    assert max(largest) < 6_000
    found = re.search(r"stored: ([\d,]+) tokens, of which ([\d,]+)", ran.stdout)
    assert found is not None
    stored, left_out = (int(each.replace(",", "")) for each in found.groups())
    assert stored - left_out < 6_000 < left_out

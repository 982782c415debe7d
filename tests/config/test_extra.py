"""What a configuration needs is an extra, and a missing one says how to install it."""

import importlib.metadata
import subprocess
import sys

import pytest


def test_the_extra_is_declared() -> None:
    assert "config" in (importlib.metadata.metadata("chatfold").get_all("Provides-Extra") or [])


@pytest.mark.parametrize("package", ["pydantic", "ruamel.yaml"])
def test_a_missing_package_names_the_line_that_installs_it(package: str) -> None:
    code = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "try: import chatfold.config\n"
        "except ImportError as error: print(error)"
    )
    done = subprocess.run(  # noqa: S603 (our own interpreter and code)
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip().endswith("pip install 'chatfold[config]'")

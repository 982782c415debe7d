"""On what and with what the figures were measured."""

import datetime as dt
import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benches.peers import counters, histories


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def describe() -> dict[str, str]:
    """Tell processor, system, Python and day."""
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    return {
        "processor": f"{_processor()}, {os.cpu_count()} cores",
        "system": f"{platform.system()} {platform.machine()}",
        "Python": f"{platform.python_implementation()} {sys.version.split()[0]}",
        "date": dt.datetime.now(tz=dt.UTC).date().isoformat(),
        "load at the start": load,
    }


def versions() -> dict[str, str]:
    """Give the version of chatfold and of each package that it is compared with."""
    found = {}
    for package in ("chatfold", *histories.PACKAGES, *counters.NAMES):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed, left out"
    return found

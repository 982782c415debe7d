"""What every test shares: where sibling modules are found, and how many examples are tried."""

import logging
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).parent))

# Whole conversations are slow to draw, and how slow depends on the machine: neither is a fault.
settings.register_profile(
    "chatfold",
    max_examples=int(os.environ.get("CHATFOLD_EXAMPLES", "100")),
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("chatfold")


@pytest.fixture(autouse=True)
def _log_as_before() -> Iterator[None]:
    """A test may turn the log on, which decides how much is read; the next one starts without."""
    level = logging.getLogger("chatfold").level
    yield
    logging.getLogger("chatfold").setLevel(level)

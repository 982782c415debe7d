"""What every test shares: where sibling modules are found, and how many examples are tried."""

import os
import sys
from pathlib import Path

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

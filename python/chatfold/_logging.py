"""The log of chatfold, without importing ``logging`` for those who don't use it."""

import sys
from typing import Any

INFO = 20


def wants_info() -> bool:
    """Tell whether anybody listens; who does has imported ``logging``, whose default is WARNING."""
    logging: Any = sys.modules.get("logging")
    return logging is not None and bool(logging.getLogger("chatfold").isEnabledFor(INFO))


def info(message: str, *values: object) -> None:
    """Log a message at INFO."""
    if wants_info():
        sys.modules["logging"].getLogger("chatfold").info(message, *values)


def warn(message: str, *values: object) -> None:
    """Log a warning; whoever has not set up ``logging`` finds it on standard error."""
    import logging  # noqa: PLC0415 (rare, and it takes long to import)

    logging.getLogger("chatfold").warning(message, *values)

"""The log of chatfold, without importing ``logging`` for those who don't use it."""

import sys
from typing import Any

INFO = 20

_known: Any = None


def _logger() -> Any:  # noqa: ANN401 (a class of a module that may not be imported)
    """Give the logger where anybody has imported ``logging``; looked up once."""
    global _known  # noqa: PLW0603 (once)
    if _known is None and "logging" in sys.modules:
        _known = sys.modules["logging"].getLogger("chatfold")
    return _known


def wants_info() -> bool:
    """Tell whether anybody listens; who does has imported ``logging``, whose default is WARNING."""
    logger = _logger()
    return logger is not None and bool(logger.isEnabledFor(INFO))


def info(message: str, *values: object) -> None:
    """Log a message at INFO."""
    if wants_info():
        _logger().info(message, *values)


def warn(message: str, *values: object) -> None:
    """Log a warning; whoever has not set up ``logging`` finds it on standard error."""
    import logging  # noqa: PLC0415 (rare, and it takes long to import)

    logging.getLogger("chatfold").warning(message, *values)

"""Verbose logs, turned on by ``AGENT_DEBUG_LOGGING=true``."""

import logging
import os

VARIABLE = "AGENT_DEBUG_LOGGING"

logger = logging.getLogger("chatfold.window")


def turn_on_where_asked() -> None:
    """Let token counts and decisions be logged, on standard error where nobody else takes them."""
    if os.environ.get(VARIABLE, "").strip().lower() != "true":
        return
    logger.setLevel(logging.DEBUG)
    if not logger.hasHandlers():
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(name)s: %(message)s"))
        # Whoever sets up logging later is not told everything twice.
        handler.addFilter(lambda _: not any(each.handlers for each in _above()))
        logger.addHandler(handler)


def _above() -> list[logging.Logger]:
    """List the loggers that take what this one logs."""
    return [logging.getLogger("chatfold"), logging.getLogger()]

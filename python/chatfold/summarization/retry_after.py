"""When a server wants to be asked again."""

import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime


def retry_after(error: Exception) -> float:
    """Tell how many seconds a server wants to be left alone; 0 where it did not say.

    It says so in a header of the response: in seconds, or as a date (RFC 9110, section 10.2.3). Some
    say it in milliseconds, in a header of their own.
    """
    try:
        headers = getattr(getattr(error, "response", None), "headers", None)
        if not isinstance(headers, Mapping):
            return 0.0
        said, precisely = headers.get("retry-after"), headers.get("retry-after-ms")
    except Exception:  # noqa: BLE001 (some errors raise where they have no response)
        return 0.0
    return max(0.0, _seconds(said), _number(precisely) / 1_000)


def _number(said: object) -> float:
    try:
        number = float(said)  # type: ignore[arg-type]  # refused where it is no number
    except (TypeError, ValueError, OverflowError):
        return 0.0
    return number if number > 0 else 0.0


def _seconds(said: object) -> float:
    number = _number(said)
    if number:
        return number
    try:
        return parsedate_to_datetime(str(said)).timestamp() - time.time()
    except (ValueError, OverflowError):
        return 0.0

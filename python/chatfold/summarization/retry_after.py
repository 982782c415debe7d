"""When a server wants to be asked again."""

import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime


def retry_after(error: Exception) -> float:
    """Tell how many seconds a server wants to be left alone; 0 where it did not say.

    It says so in a header of the response: in seconds, or as a date (RFC 9110, section 10.2.3).
    """
    try:
        headers = getattr(getattr(error, "response", None), "headers", None)
        said = headers.get("retry-after") if isinstance(headers, Mapping) else None
    except Exception:  # noqa: BLE001 (some errors raise where they have no response)
        return 0.0
    return max(0.0, _seconds(said))


def _seconds(said: object) -> float:
    try:
        return float(said)  # type: ignore[arg-type]  # refused where it is no number
    except (TypeError, ValueError):
        pass
    try:
        return parsedate_to_datetime(str(said)).timestamp() - time.time()
    except (ValueError, OverflowError):
        return 0.0

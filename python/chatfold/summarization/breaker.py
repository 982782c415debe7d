"""The breaker: after some failures in a row nobody is asked for a while."""

import time
from collections.abc import Callable

from chatfold._logging import warn
from chatfold._options import integer
from chatfold.errors import OptionError, OptionTypeError, SummarizerPausedError
from chatfold.summarization.retry_after import retry_after

__all__ = ["Breaker"]


class Breaker:
    """Opens after failures in a row, and lets one attempt through after each cool-down.

    Where that fails too, the next cool-down is twice as long. One that succeeds closes it. A server
    that says when to come back is not asked earlier, open or not. It may be shared between strategies
    that ask the same server.

    Args:
        failures: How many in a row open it.
        cool_down: Seconds until the first attempt afterwards.
        longest: Seconds that a cool-down lasts at most.
        clock: Tells the time in seconds.

    Raises:
        OptionError: A wrong value; names the option.
        OptionTypeError: A wrong type; names the option.
    """

    def __init__(
        self,
        *,
        failures: int = 3,
        cool_down: float = 30.0,
        longest: float = 3_600.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Check the options."""
        self._options = (failures, cool_down, longest, clock)
        self.failures = integer("failures", failures, at_least=1)
        self.cool_down = seconds("cool_down", cool_down)
        self.longest = max(self.cool_down, seconds("longest", longest))
        self._clock = clock
        self._failed = 0
        self._until = clock()
        self._last: Exception | None = None

    @property
    def open(self) -> bool:
        """Whether it is open."""
        return self._failed >= self.failures

    def check(self) -> None:
        """Let an attempt through.

        Raises:
            SummarizerPausedError: It is open and the cool-down is not over, or the server named a
                time that is not over.
        """
        remaining = self._until - self._clock()
        if remaining > 0:
            why = f"{self._failed} summaries failed in a row" if self.open else "the server is busy"
            raise SummarizerPausedError(
                f"{why}; the next one is tried in {remaining:,.0f} s"
            ) from self._last
        if self.open:
            # One attempt at a time: others wait as if this one had failed.
            self._until = self._clock() + self._pause()

    def succeeded(self) -> None:
        """Close it."""
        self._failed, self._until, self._last = 0, self._clock(), None

    def failed(self, error: Exception) -> None:
        """Count a failure; open it, or open it again for longer."""
        self._failed += 1
        self._last = error
        pause = max(self._pause(), min(retry_after(error), self.longest))
        self._until = self._clock() + pause
        if self._failed == self.failures:
            warn(
                "%d summaries failed in a row, the last one with %s; the next one is tried in %.0f s",
                self._failed,
                type(error).__name__,
                pause,
            )

    def _pause(self) -> float:
        if not self.open:
            return 0.0
        # So often doubled it is the longest one; further powers would only overflow.
        doubled = min(self._failed - self.failures, 64)
        return min(self.cool_down * 2.0**doubled, self.longest)

    def anew(self) -> "Breaker":
        """Give another one with the same options, which has seen nothing yet."""
        return _breaker(*self._options)

    def __repr__(self) -> str:
        """Show the options."""
        return f"Breaker(failures={self.failures}, cool_down={self.cool_down:g})"

    def __reduce__(self) -> tuple[Callable[..., "Breaker"], tuple[object, ...]]:
        """Pickle the options: elsewhere another clock ticks."""
        return _breaker, self._options


def _breaker(
    failures: int, cool_down: float, longest: float, clock: Callable[[], float]
) -> Breaker:
    return Breaker(failures=failures, cool_down=cool_down, longest=longest, clock=clock)


def seconds(name: str, value: object) -> float:
    """Take a length of time."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise OptionTypeError(f"{name} is {value!r}; pass a number of seconds over 0")
    if not 0 < value < float("inf"):
        raise OptionError(f"{name} is {value!r}; pass a number of seconds over 0")
    return float(value)

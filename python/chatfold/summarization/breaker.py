"""The breaker: after some failures in a row nobody is asked for a while."""

import sys
import time
from collections.abc import Callable

from chatfold._logging import warn
from chatfold._options import integer, shown
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
        # Attempts of one round are made at the same time; each cool-down starts one, and so does the
        # attempt after it.
        self._round = 0
        self._until = self._busy_until = clock()
        self._last: Exception | None = None

    @property
    def open(self) -> bool:
        """Whether it is open."""
        return self._failed >= self.failures

    def check(self) -> int:
        """Let an attempt through.

        Returns:
            The number of its round, by which what comes of it is told from what is late.

        Raises:
            SummarizerPausedError: It is open and the cool-down is not over, or the server named a
                time that is not over.
        """
        now = self._clock()
        remaining = max(self._until, self._busy_until) - now
        if remaining > 0:
            why = f"{self._in_a_row()} failed in a row" if self.open else "the server is busy"
            raise SummarizerPausedError(
                f"{why}; the next one is tried in {remaining:,.0f} s"
            ) from self._last
        if self.open:
            # One attempt at a time: others wait as if this one had failed.
            self._until = now + self._pause()
            self._round += 1
        return self._round

    def succeeded(self) -> None:
        """Close it."""
        self._failed, self._until, self._last = 0, self._clock(), None

    def failed(self, error: Exception, attempt: int | None = None) -> None:
        """Count a failure; open it, or open it again for longer.

        One of an earlier round than the last, which was under way when others opened it, says no more
        than they did. But a time that the server names holds in any case.
        """
        now = self._clock()
        self._busy_until = max(self._busy_until, now + min(retry_after(error), self.longest))
        if attempt not in (None, self._round):
            return
        self._failed += 1
        self._last = error
        if not self.open:
            return
        self._round += 1
        self._until = now + self._pause()
        if self._failed == self.failures:
            warn(
                "%s failed in a row, the last one with %s; the next one is tried in %.0f s",
                self._in_a_row(),
                type(error).__name__,
                max(self._until, self._busy_until) - now,
            )

    def given_up(self, attempt: int) -> None:
        """Take back an attempt of which nothing came, since it was cancelled: the next may be made."""
        if self.open and attempt == self._round:
            self._until = self._clock()

    def _in_a_row(self) -> str:
        return f"{self._failed:,} {'summary' if self._failed == 1 else 'summaries'}"

    def _pause(self) -> float:
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
        raise OptionTypeError(f"{name} is {shown(value)}; pass a number of seconds over 0")
    if not 0 < value <= sys.float_info.max:
        raise OptionError(f"{name} is {shown(value)}; pass a number of seconds over 0")
    return float(value)

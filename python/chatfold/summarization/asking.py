"""Asks clients in order, each with its own time and its own breaker."""

import time
from typing import NamedTuple

from chatfold.errors import EmptySummaryError, SummarizerPausedError, described
from chatfold.report import SummaryUsage
from chatfold.summarization.breaker import Breaker
from chatfold.summarization.clients import Summarizer, SummaryResponse
from chatfold.summarization.stand_in import MOST_CHARS_PER_TOKEN, Count, cleaned, cut, spoken
from chatfold.summarization.unseen import has_word
from chatfold.summarization.waiting import in_time

_MOST_SHOWN = 40


class Guarded(NamedTuple):
    """A client and what stops asking it."""

    client: Summarizer
    breaker: Breaker


def guarded(clients: tuple[Summarizer, ...], breaker: Breaker) -> tuple[Guarded, ...]:
    """Give the first client this breaker, and each other one one like it."""
    first, *others = clients
    return Guarded(first, breaker), *(Guarded(each, breaker.anew()) for each in others)


class Calls:
    """The calls for one summary: who was asked, what came of it, and what it cost.

    Attributes:
        usage: What the calls cost so far.
        cut: Whether the end of an answer was left out.
        failure: What was raised since no client gave a summary; nobody else's error.
    """

    def __init__(
        self, clients: tuple[Guarded, ...], timeout: float | None, max_tokens: int, count: Count
    ) -> None:
        """Start with nothing used."""
        self.clients = clients
        self.timeout = timeout
        self.max_tokens = max_tokens
        self.count = count
        self.usage = SummaryUsage()
        self.cut = False
        self.failure: Exception | None = None
        # By the places of the clients: what the breaker said, and the attempts that it let through.
        self._paused: dict[int, SummarizerPausedError] = {}
        self._attempts: dict[int, int] = {}
        self._failed: dict[int, Exception] = {}
        self._answered: int | None = None

    async def ask(self, messages: list[dict[str, str]]) -> str:
        """Give the first answer with a word in it, made harmless and cut to its size.

        Where no client gives one, the last error is raised. Who failed before while this summary was
        written is asked last.
        """
        errors: list[Exception] = []
        for place in sorted(range(len(self.clients)), key=self._failed.__contains__):
            paused = self._pause(place)
            if paused is not None:
                errors.insert(0, paused)
                continue
            try:
                answer = await self._ask(self.clients[place].client, messages)
            except Exception as error:  # noqa: BLE001 (the next client is tried, or it is raised)
                self._failed[place] = error
                errors.append(error)
                continue
            summary = cut(answer, self.max_tokens, self.count)
            self.cut |= summary != answer
            if has_word(summary):
                self._answered = place
                return summary
            self._failed[place] = nothing_left(self.max_tokens)
            errors.append(self._failed[place])
        *earlier, last = errors
        for other in earlier:
            last.add_note(f"another client failed with {described(other)}")
        self.failure = last
        raise last

    def settle(self, error: Exception | None) -> None:
        """Tell the breakers what came of those who were asked; ``error`` is about the summary."""
        if error is not None and self._answered is not None:
            self._failed.setdefault(self._answered, error)
        self._settle(given_up=False)

    def give_up(self) -> None:
        """Tell the breakers that no summary comes of it, through no fault of who did not fail."""
        self._settle(given_up=True)

    def _settle(self, *, given_up: bool) -> None:
        for place, attempt in self._attempts.items():
            breaker = self.clients[place].breaker
            if place in self._failed:
                breaker.failed(self._failed[place], attempt)
            elif given_up:
                breaker.given_up(attempt)
            else:
                breaker.succeeded()

    def _pause(self, place: int) -> SummarizerPausedError | None:
        """Ask a breaker, once for all calls: it may let one attempt through, and this is one."""
        if place not in self._attempts and place not in self._paused:
            try:
                self._attempts[place] = self.clients[place].breaker.check()
            except SummarizerPausedError as error:
                self._paused[place] = error
        return self._paused.get(place)

    async def _ask(self, client: Summarizer, messages: list[dict[str, str]]) -> str:
        started = time.monotonic()
        usage = SummaryUsage(calls=1)
        try:
            # A copy each: what one client does to its messages is no other's business.
            copy = [dict(message) for message in messages]
            writing = client.summarize(copy, max_tokens=self.max_tokens)
            answer = await in_time(writing, self.timeout)
            response = _response(answer)
            usage = _used(response)
            said, most = spoken(response.text), self.max_tokens * MOST_CHARS_PER_TOKEN
            # An answer without end is not read to its end.
            text = cleaned(said[:most])
            if not text:
                raise _empty(answer, said)
            self.cut |= response.cut or len(said) > most
            return text
        finally:
            spent = usage._replace(seconds=time.monotonic() - started)
            self.usage = self.usage.plus(spent)


def nothing_left(max_tokens: int) -> EmptySummaryError:
    """Make the error about a summary that was cut to nothing."""
    return EmptySummaryError(
        f"no word of the summary is left within max_summary_tokens={max_tokens}"
    )


def _empty(answer: object, said: str) -> EmptySummaryError:
    text = getattr(answer, "text", answer)
    if isinstance(text, str):
        return EmptySummaryError(f"the summarizer's answer holds no word: {said[:_MOST_SHOWN]!r}")
    return EmptySummaryError(
        f"the summarizer's answer is of type {type(text).__name__}; "
        "return a str, or a SummaryResponse with one"
    )


def _response(answer: object) -> SummaryResponse:
    """Take a text, or an object with ``text``; whatever is not what it should be is left out."""
    text = answer if isinstance(answer, str) else getattr(answer, "text", None)
    model = getattr(answer, "model", None)
    return SummaryResponse(
        str(text) if isinstance(text, str) else "",
        model if isinstance(model, str) else None,
        _tokens(getattr(answer, "input_tokens", None)),
        _tokens(getattr(answer, "output_tokens", None)),
        getattr(answer, "cut", False) is True,
    )


def _tokens(value: object) -> int | None:
    return value if isinstance(value, int) and type(value) is not bool and value >= 0 else None


def _used(response: SummaryResponse) -> SummaryUsage:
    return SummaryUsage(
        calls=1,
        input_tokens=response.input_tokens or 0,
        output_tokens=response.output_tokens or 0,
        models=(response.model,) if response.model else (),
    )

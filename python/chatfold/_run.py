"""Drives a run of the core: hands out the caller's own strategies, undoes the run on failure."""

import sys
from _thread import allocate_lock
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager, nullcontext, suppress
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Any, ParamSpec, TypeAlias, TypeVar

from chatfold import _core
from chatfold.errors import AsyncStrategyError, ChatfoldError, IndexBusyError, OptionTypeError
from chatfold.report import CompactionReport, SummaryReport

if TYPE_CHECKING:
    from chatfold.index import MessageIndex
    from chatfold.strategies import Strategy

LONG_COUNT_BYTES = 1_000_000
"""A count of less is over before a switch to another thread and back would have paid."""

Accept: TypeAlias = Callable[[CompactionReport], Awaitable[bool]]
"""Looks at what a run came to, and says whether it shall stand."""

P = ParamSpec("P")
T = TypeVar("T")


class _Claim:
    """That an index is somebody's, for as long as anyone of them is at work.

    A task may outlive it, and has it in its context still: it is over where it is not the index's own.
    """

    __slots__ = ("holders",)

    def __init__(self) -> None:
        self.holders = 1


_under_way: ContextVar[frozenset[_Claim]] = ContextVar("chatfold_under_way", default=frozenset())
_at_work: ContextVar[frozenset[int]] = ContextVar("chatfold_at_work", default=frozenset())
_lock = allocate_lock()
# By the address of the index; None until the one that claimed it goes on.
_busy: dict[int, _Claim | None] = {}
_queue: dict[int, list[Callable[[], object]]] = {}
_changes: dict[int, list[Callable[[], object]]] = {}
_notes: ContextVar[list[SummaryReport]] = ContextVar("chatfold_notes")


def _is_nested(index: "MessageIndex") -> bool:
    """Tell whether this is a run inside another one of the index that is under way still."""
    claim = _busy.get(id(index))
    return claim is not None and claim in _under_way.get()


def refuse_within_a_run(index: "MessageIndex") -> None:
    """Refuse what can't be undone to the code of a strategy that runs on the index.

    A task that such code leaves behind may do it once the run is over.
    """
    if runs_within(index):
        raise ChatfoldError(
            "the index is being compacted by the call that runs this code, and a sync can't be undone; "
            "sync before or after compacting"
        )


def change(index: "MessageIndex", how: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Change an index for the caller, and remember it where a run of somebody else is at work.

    Such a change is none of the run's: it stands where the run is undone.
    """
    outcome = how(*args, **kwargs)
    if id(index) in _busy and not _is_nested(index):
        with _lock:
            if id(index) in _busy:
                _changes.setdefault(id(index), []).append(partial(how, *args, **kwargs))
    return outcome


def undo(index: "MessageIndex", run: _core.Execution) -> None:
    """Undo what a run did, and nothing that others did meanwhile."""
    run.abort()
    for again in _changes.get(id(index), ()):
        # A group may be gone with the run, or with a sync.
        with suppress(ChatfoldError):
            again()


def runs_within(index: "MessageIndex") -> bool:
    """Tell whether this is code of a strategy that runs on the index."""
    return id(index) in _at_work.get() and _is_nested(index)


def _is_free(index: "MessageIndex") -> bool:
    """Tell whether no run has an index, or the one that this is a part of."""
    return id(index) not in _busy or _is_nested(index)


def _claim(index: "MessageIndex") -> bool:
    """Take an index, or a part in the run that this is a part of; not where another run has it."""
    with _lock:
        if not _is_free(index):
            return False
        claim = _busy.setdefault(id(index), None)
        if claim is not None:
            claim.holders += 1
        return True


@contextmanager
def _claimed(index: "MessageIndex") -> Iterator[None]:
    """Hold a claimed index; runs inside this one share it, others wait or are refused.

    One of those may outlast this one, in a task: the index is theirs until the last one has ended.
    """
    number = id(index)
    claim = _busy[number] = _busy[number] or _Claim()
    token = _under_way.set(_under_way.get() | {claim})
    try:
        yield
    finally:
        _under_way.reset(token)
        waiting: tuple[Callable[[], object], ...] = ()
        with _lock:
            claim.holders -= 1
            if not claim.holders:
                del _busy[number]
                _changes.pop(number, None)
                # Those that wake take themselves off the list.
                waiting = tuple(_queue.pop(number, ()))
        for wake in waiting:
            # The loop of one that waited in another thread may be gone.
            with suppress(RuntimeError):
                wake()


@asynccontextmanager
async def alone(index: "MessageIndex") -> AsyncIterator[None]:
    """Hold an index for several steps of which runs are some; wait for who holds it now."""
    await _until_free(index, claim=True)
    with _claimed(index):
        yield


def is_held(index: "MessageIndex") -> bool:
    """Tell whether somebody else's run, or steps of several, are under way."""
    return id(index) in _busy and not _is_nested(index)


async def _until_free(index: "MessageIndex", *, claim: bool) -> None:
    """Wait for the call that compacts the index; refuse where no asyncio runs this code."""
    while not (_claim(index) if claim else _is_free(index)):
        asyncio = running_asyncio()
        if asyncio is None:
            raise IndexBusyError
        loop, free = asyncio.get_running_loop(), asyncio.Event()
        # The other call may be one of another thread.
        wake = partial(loop.call_soon_threadsafe, free.set)
        with _lock:
            waiting = _queue.setdefault(id(index), [])
            waiting.append(wake)
            if id(index) not in _busy:
                free.set()
        try:
            await free.wait()
        finally:
            with suppress(ValueError):
                waiting.remove(wake)


def wait_until_free(index: "MessageIndex") -> None:
    """Claim an index; block this thread until the call that has it, in another thread, is done."""
    while not _claim(index):
        free = allocate_lock()
        free.acquire()
        with _lock:
            waiting = _queue.setdefault(id(index), [])
            waiting.append(free.release)
            if id(index) not in _busy:
                waiting.remove(free.release)
                continue
        free.acquire()


def note(summary: SummaryReport) -> None:
    """Put what an attempt to summarize came to into the report of the run that it is part of."""
    notes = _notes.get(None)
    if notes is not None:
        notes.append(summary)


@contextmanager
def _noting() -> Iterator[list[SummaryReport]]:
    """Collect notes; a run inside another tells both."""
    own: list[SummaryReport] = []
    token = _notes.set(own)
    try:
        yield own
    finally:
        _notes.reset(token)
        outer = _notes.get(None)
        if outer is not None:
            outer.extend(own)


def drive(index: "MessageIndex", strategy: "Strategy") -> CompactionReport:
    """Run a strategy to its end."""
    if id(index) not in _busy:
        return _driven(index, strategy, _busy)
    if not _claim(index):
        raise IndexBusyError
    with _claimed(index):
        return _driven(index, strategy, None)


def _driven(
    index: "MessageIndex", strategy: "Strategy", claims: dict[int, _Claim | None] | None
) -> CompactionReport:
    """Run a strategy at once; without ``claims`` the index is claimed already.

    With them, the extension looks at them and changes them in the very step that runs the strategy.
    """
    run = _core.Execution(index, strategy._native, strategy._callables)
    custom = run.advance(claims)
    own: list[tuple[str, bool]] = []
    if custom is not None:
        with (
            nullcontext() if claims is None else _claimed(index),
            _undone_on_failure(index, run),
        ):
            while custom is not None:
                function = strategy._callables[custom]
                own.append((_name(function), True))
                outcome = function(index)
                if isinstance(outcome, Awaitable):
                    if isinstance(outcome, Coroutine):
                        outcome.close()
                    raise AsyncStrategyError(
                        f"strategy {_name(function)} must be awaited; use "
                        "`await apply_compaction(messages, strategy=...)` or "
                        "`await index.acompact(strategy)`"
                    )
                _check_outcome(function, outcome)
                custom = run.advance()
    return _report(run, own)


async def drive_async(
    index: "MessageIndex", strategy: "Strategy", accept: Accept | None = None
) -> CompactionReport:
    """Run a strategy to its end, waiting where it waits, and before that for other runs.

    Where ``accept`` says no to what came of it, all is undone.
    """
    waits = bool(strategy._callables) or accept is not None
    while True:
        await _until_free(index, claim=waits)
        if waits:
            with _claimed(index):
                return await _driven_async(index, strategy, accept)
        if index._uncounted_bytes() >= LONG_COUNT_BYTES:
            waits = True
            continue
        # Another thread may have claimed it since it was free.
        with suppress(IndexBusyError):
            return _driven(index, strategy, None if _is_nested(index) else _busy)


async def _driven_async(
    index: "MessageIndex", strategy: "Strategy", accept: Accept | None
) -> CompactionReport:
    """Run a strategy on a claimed index."""
    run = _core.Execution(index, strategy._native, strategy._callables)
    own: list[tuple[str, bool]] = []
    with _undone_on_failure(index, run), _noting() as notes:
        custom = await _advance(index, run)
        while custom is not None:
            function, told = strategy._callables[custom], len(notes)
            outcome = function(index)
            _check_outcome(function, await outcome if isinstance(outcome, Awaitable) else outcome)
            own.append((_name(function), all(each.target_met for each in notes[told:][-1:])))
            custom = await _advance(index, run)
        report = _report(run, own, notes)
        # Within a budget only the budget counts.
        met = strategy._has_budget or all(target_met for _, target_met in own)
        report = report._replace(target_met=report.target_met and met)
        if accept is not None and not await accept(report):
            # What it left out before may be excluded for another reason now, which shows nowhere.
            undo(index, run)
            if report.changed:
                report = unchanged(index)._replace(target_met=False, summaries=report.summaries)
    return report


def unchanged(index: "MessageIndex") -> CompactionReport:
    """Report that nothing was done; nothing is counted for it."""
    return _report(_core.Execution(index, _core.Strategy.pipeline([]), {}), [])


async def _advance(index: "MessageIndex", run: _core.Execution) -> int | None:
    """Go on with a run; in another thread where it may count for long, so that the loop ticks."""
    if index._uncounted_bytes() < LONG_COUNT_BYTES:
        return run.advance()
    return await beside_the_loop(run.advance)


async def beside_the_loop(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function in another thread where asyncio runs this code, else here.

    The import of asyncio would take longer than that of chatfold, and where its loop runs it has
    been imported. A thread can't be cancelled: a cancellation waits for its end, since whoever undoes
    its work would have to wait as well, and keep the loop from ticking.
    """
    asyncio = running_asyncio()
    if asyncio is None:
        return function(*args, **kwargs)
    thread = asyncio.create_task(asyncio.to_thread(function, *args, **kwargs))
    try:
        result: T = await asyncio.shield(thread)
    except asyncio.CancelledError:
        await asyncio.wait([thread])
        if not thread.cancelled():
            thread.exception()  # nobody else will ask for it
        raise
    return result


def running_asyncio() -> Any:  # noqa: ANN401 (a module)
    """Give asyncio where its loop runs this code."""
    asyncio = sys.modules.get("asyncio")
    try:
        if asyncio is not None:
            asyncio.get_running_loop()
    except RuntimeError:
        return None
    return asyncio


@contextmanager
def _undone_on_failure(index: "MessageIndex", run: _core.Execution) -> Iterator[None]:
    token = _at_work.set(_at_work.get() | {id(index)})
    try:
        yield
    except BaseException:
        undo(index, run)
        raise
    finally:
        _at_work.reset(token)


def _check_outcome(function: object, outcome: object) -> None:
    """Refuse what is returned for the index to take over: it would be lost."""
    if outcome is not None and not isinstance(outcome, bool):
        raise OptionTypeError(
            f"strategy {_name(function)} returned a {type(outcome).__name__}; a strategy changes the "
            "index that it gets, with exclude(...) or replace(...), and returns whether it did"
        )


def _name(function: object) -> str:
    name: str = getattr(function, "__name__", type(function).__name__)
    return name


def _report(
    run: _core.Execution,
    own: list[tuple[str, bool]],
    summaries: list[SummaryReport] | None = None,
) -> CompactionReport:
    return CompactionReport(*run.outcome(own), tuple(summaries) if summaries else ())

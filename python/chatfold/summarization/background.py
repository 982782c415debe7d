"""Summaries that are written while the conversation goes on."""

import asyncio
from collections.abc import Coroutine

from chatfold._run import running_asyncio
from chatfold.index import MessageIndex
from chatfold.summarization.material import Material
from chatfold.summarization.memory import Memory
from chatfold.summarization.writing import Draft


class Background:
    """At most one summary in the making for each index."""

    def __init__(self) -> None:
        """Start with none."""
        self._begun: Memory[tuple[Material, asyncio.Task[Draft]]] = Memory()
        # The loop itself holds tasks weakly.
        self._tasks: set[asyncio.Task[Draft]] = set()

    def can_start(self, index: MessageIndex) -> bool:
        """Tell whether one can be started: asyncio runs this code, and none was started yet."""
        return self._begun.get(index) is None and running_asyncio() is not None

    def start(
        self, index: MessageIndex, material: Material, writing: Coroutine[object, object, Draft]
    ) -> None:
        """Start to write one."""
        task = asyncio.get_running_loop().create_task(writing)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        self._begun.set(index, (material, task))

    async def take(self, index: MessageIndex) -> tuple[Material, Draft] | None:
        """Wait for the summary of an index and take it; None where there is none to be had."""
        begun = self._begun.get(index)
        if begun is None:
            return None
        material, task = begun
        if not task.done() and running_asyncio() and task.get_loop() is asyncio.get_running_loop():
            # It goes on where the one who waits here is cancelled.
            await asyncio.wait([task])
        self._begun.forget(index)
        return None if task.cancelled() or not task.done() else (material, task.result())

"""Summaries that are written while the conversation goes on."""

import asyncio
from collections.abc import Coroutine
from weakref import WeakKeyDictionary

from chatfold.index import MessageIndex
from chatfold.summarization.material import Material
from chatfold.summarization.writing import Draft


class Background:
    """At most one summary in the making for each index."""

    def __init__(self) -> None:
        """Start with none."""
        self._of: WeakKeyDictionary[MessageIndex, tuple[Material, asyncio.Task[Draft]]]
        self._of = WeakKeyDictionary()
        # The loop itself holds tasks weakly.
        self._tasks: set[asyncio.Task[Draft]] = set()

    def __contains__(self, index: MessageIndex) -> bool:
        """Tell whether one was started for an index and not taken yet."""
        return index in self._of

    def start(
        self, index: MessageIndex, material: Material, writing: Coroutine[object, object, Draft]
    ) -> None:
        """Start to write one."""
        task = asyncio.get_running_loop().create_task(writing)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        self._of[index] = (material, task)

    async def take(self, index: MessageIndex) -> tuple[Material, Draft] | None:
        """Wait for the summary of an index and take it; None where there is none to be had."""
        if index not in self._of:
            return None
        material, task = self._of[index]
        if not task.done() and task.get_loop() is asyncio.get_running_loop():
            # It goes on where the one who waits here is cancelled.
            await asyncio.wait([task])
        self._of.pop(index, None)
        return None if task.cancelled() or not task.done() else (material, task.result())

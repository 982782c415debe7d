"""Providers: compaction where an agent keeps its conversation, run after run.

A :class:`Session` is one conversation. Each run of the agent in it gets its messages from context
providers, and hands what is new to them when it ends: :class:`InMemoryHistoryProvider` stores the
conversation, and :class:`CompactionProvider` keeps both what the model sees and what is stored small.

>>> import asyncio
>>> from chatfold import CompactionProvider, InMemoryHistoryProvider, Session
>>> from chatfold import SlidingWindowStrategy
>>> providers = [
...     InMemoryHistoryProvider(),
...     CompactionProvider(before_strategy=SlidingWindowStrategy(keep_last_turns=1)),
... ]
>>> async def turn(session, question):
...     async with session.run(providers, [{"role": "user", "content": question}]) as run:
...         sent = await run.messages()  # what to send to the model
...         run.append({"role": "assistant", "content": f"{len(sent)} seen."})
...     return run.response_messages[-1]["content"]
>>> async def talk():
...     session = Session()
...     return [await turn(session, question) for question in ("Hello.", "Still there?")]
>>> asyncio.run(talk())
['1 seen.', '1 seen.']
"""

from chatfold.provider.compaction import CompactionProvider
from chatfold.provider.context import ContextProvider
from chatfold.provider.history import MessageView, StoredHistory
from chatfold.provider.hooks import CompactionEvent, CompactionHook
from chatfold.provider.in_memory import InMemoryHistoryProvider
from chatfold.provider.run import Run
from chatfold.provider.session import Session

__all__ = [
    "CompactionEvent",
    "CompactionHook",
    "CompactionProvider",
    "ContextProvider",
    "InMemoryHistoryProvider",
    "MessageView",
    "Run",
    "Session",
    "StoredHistory",
]

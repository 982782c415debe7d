"""What a chat product calls before each model call; extra ``config``.

>>> import asyncio
>>> from chatfold import ContextWindow
>>> window = ContextWindow(max_context_tokens=200)
>>> for number in range(20):
...     window.append({"role": "user", "content": f"Question {number}: " + "why? " * 20})
>>> prepared = asyncio.run(window.prepare())
>>> len(prepared.messages), prepared.report.target_met
(6, True)
>>> window.usage
ContextUsage(168 of 200 tokens)
"""

from chatfold.errors import MissingExtraError

try:
    import chatfold.config as _config
except MissingExtraError as error:
    raise MissingExtraError("ContextWindow", error.extra) from error

from chatfold.window.due import should_summarize
from chatfold.window.gauge import ContextUsage
from chatfold.window.prices import Prices
from chatfold.window.report import ContextReport, PreparedContext
from chatfold.window.window import ContextWindow

del _config

__all__ = [
    "ContextReport",
    "ContextUsage",
    "ContextWindow",
    "PreparedContext",
    "Prices",
    "should_summarize",
]

"""Summarization: old groups become a summary that a model writes.

>>> import asyncio
>>> from chatfold import SummarizationStrategy, apply_compaction
>>> async def summarize(messages):  # ask your model; what it answers is the summary
...     return "The user plans a trip to Peru in May."
>>> strategy = SummarizationStrategy(client=summarize)
>>> chat = [{"role": "user", "content": "Where is it warm in May? " * 9} for _ in range(10)]
>>> asyncio.run(apply_compaction(chat, strategy=strategy))[0]
{'role': 'assistant', 'content': '[Summary] The user plans a trip to Peru in May.'}
"""

from chatfold.report import SummaryReport, SummaryUsage
from chatfold.summarization.breaker import Breaker
from chatfold.summarization.clients import Summarizer, SummarizerLike, SummaryResponse
from chatfold.summarization.extractive import ExtractiveSummarizer
from chatfold.summarization.openai import OpenAISummarizer
from chatfold.summarization.prompts import BRIEF_PROMPT, CHECKPOINT_PROMPT, UPDATE_PROMPT
from chatfold.summarization.selection import RetainRecent
from chatfold.summarization.strategy import SummarizationStrategy

__all__ = [
    "BRIEF_PROMPT",
    "CHECKPOINT_PROMPT",
    "UPDATE_PROMPT",
    "Breaker",
    "ExtractiveSummarizer",
    "OpenAISummarizer",
    "RetainRecent",
    "SummarizationStrategy",
    "Summarizer",
    "SummarizerLike",
    "SummaryReport",
    "SummaryResponse",
    "SummaryUsage",
]

"""chatfold keeps very long LLM chat histories inside a budget.

>>> from chatfold import TruncationStrategy, compact
>>> history = [{"role": "user", "content": "hello " * 50} for _ in range(100)]
>>> strategy = TruncationStrategy(max_n=400, compact_to=200, tokenizer="o200k_base")
>>> len(compact(history, strategy))
3
"""

from typing import TYPE_CHECKING

from chatfold import _core, tokenizers, triggers
from chatfold.compaction import apply_compaction, compact
from chatfold.counting import CountCacheInfo, WorkDone, count_cache, work_done
from chatfold.errors import (
    AsyncStrategyError,
    ChatfoldError,
    EmptySummaryError,
    HistoriesError,
    IndexBusyError,
    MessageError,
    MissingExtraError,
    OptionError,
    OptionTypeError,
    StateError,
    SummarizerPausedError,
    SummaryError,
    SummaryNotSmallerError,
    SummaryOutdatedError,
    SummaryTimeoutError,
    TokenizerMismatchError,
    UnknownTokenizerError,
)
from chatfold.index import MessageGroup, MessageIndex
from chatfold.many import compact_many
from chatfold.overhead import OPENAI_CHAT_OVERHEAD, Overhead
from chatfold.report import CompactionReport, Figures, StrategyStep, SummaryReport, SummaryUsage
from chatfold.strategies import (
    ContextPruningStrategy,
    ContextWindowCompactionStrategy,
    HardClear,
    ObservationMaskingStrategy,
    OversizeClampingStrategy,
    PipelineCompactionStrategy,
    PruningLimits,
    SelectiveToolCallCompactionStrategy,
    SlidingWindowStrategy,
    SoftTrim,
    Strategy,
    TokenBudgetComposedStrategy,
    ToolResult,
    ToolResultCompactionStrategy,
    TruncationStrategy,
)
from chatfold.tokenizers import CharacterEstimatorTokenizer
from chatfold.triggers import Trigger

if TYPE_CHECKING:
    from chatfold.provider import (
        CompactionEvent,
        CompactionProvider,
        ContextProvider,
        InMemoryHistoryProvider,
        Run,
        Session,
    )
    from chatfold.summarization import (
        ExtractiveSummarizer,
        OpenAISummarizer,
        RetainRecent,
        SummarizationStrategy,
        SummaryResponse,
    )
    from chatfold.window import ContextWindow as ContextWindow  # not in __all__, and yet public
else:

    def __getattr__(name: str) -> object:
        """Load what few need when it is first asked for: summarization brings an event loop along."""
        from importlib import import_module  # noqa: PLC0415

        if name in _NEEDS_CONFIG:
            where = "window"
        elif name in __all__:
            where = "provider" if name in _PROVIDER else "summarization"
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"chatfold.{where}"), name)

    def __dir__() -> list[str]:
        """List what is loaded later too, and can be: ``help`` loads whatever is listed."""
        from importlib.util import find_spec  # noqa: PLC0415

        installed = all(map(find_spec, ("pydantic", "ruamel", "ruamel.yaml")))
        return sorted({*globals(), *__all__, *(_NEEDS_CONFIG if installed else ())})


# Not in __all__: a star import must not need an extra.
_NEEDS_CONFIG = ("ContextWindow",)

_PROVIDER = (
    "CompactionEvent",
    "CompactionProvider",
    "ContextProvider",
    "InMemoryHistoryProvider",
    "Run",
    "Session",
)


__all__ = [
    "OPENAI_CHAT_OVERHEAD",
    "AsyncStrategyError",
    "CharacterEstimatorTokenizer",
    "ChatfoldError",
    "CompactionEvent",
    "CompactionProvider",
    "CompactionReport",
    "ContextProvider",
    "ContextPruningStrategy",
    "ContextWindowCompactionStrategy",
    "CountCacheInfo",
    "EmptySummaryError",
    "ExtractiveSummarizer",
    "Figures",
    "HardClear",
    "HistoriesError",
    "InMemoryHistoryProvider",
    "IndexBusyError",
    "MessageError",
    "MessageGroup",
    "MessageIndex",
    "MissingExtraError",
    "ObservationMaskingStrategy",
    "OpenAISummarizer",
    "OptionError",
    "OptionTypeError",
    "Overhead",
    "OversizeClampingStrategy",
    "PipelineCompactionStrategy",
    "PruningLimits",
    "RetainRecent",
    "Run",
    "SelectiveToolCallCompactionStrategy",
    "Session",
    "SlidingWindowStrategy",
    "SoftTrim",
    "StateError",
    "Strategy",
    "StrategyStep",
    "SummarizationStrategy",
    "SummarizerPausedError",
    "SummaryError",
    "SummaryNotSmallerError",
    "SummaryOutdatedError",
    "SummaryReport",
    "SummaryResponse",
    "SummaryTimeoutError",
    "SummaryUsage",
    "TokenBudgetComposedStrategy",
    "TokenizerMismatchError",
    "ToolResult",
    "ToolResultCompactionStrategy",
    "Trigger",
    "TruncationStrategy",
    "UnknownTokenizerError",
    "WorkDone",
    "apply_compaction",
    "compact",
    "compact_many",
    "count_cache",
    "tokenizers",
    "triggers",
    "work_done",
]

__version__ = _core.VERSION

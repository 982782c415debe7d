"""chatfold keeps very long LLM chat histories inside a budget.

>>> from chatfold import TruncationStrategy, compact
>>> history = [{"role": "user", "content": "hello " * 50} for _ in range(100)]
>>> strategy = TruncationStrategy(max_n=400, compact_to=200, tokenizer="o200k_base")
>>> len(compact(history, strategy))
3
"""

from chatfold import _core, tokenizers, triggers
from chatfold.compaction import apply_compaction, compact
from chatfold.counting import CountCacheInfo, WorkDone, count_cache, work_done
from chatfold.errors import (
    AsyncStrategyError,
    ChatfoldError,
    HistoriesError,
    MessageError,
    MissingExtraError,
    OptionError,
    OptionTypeError,
    StateError,
    TokenizerMismatchError,
    UnknownTokenizerError,
)
from chatfold.index import MessageGroup, MessageIndex
from chatfold.many import compact_many
from chatfold.overhead import OPENAI_CHAT_OVERHEAD, Overhead
from chatfold.report import CompactionReport, Figures, StrategyStep
from chatfold.strategies import (
    ContextWindowCompactionStrategy,
    PipelineCompactionStrategy,
    SelectiveToolCallCompactionStrategy,
    SlidingWindowStrategy,
    Strategy,
    TokenBudgetComposedStrategy,
    ToolResult,
    ToolResultCompactionStrategy,
    TruncationStrategy,
)
from chatfold.tokenizers import CharacterEstimatorTokenizer
from chatfold.triggers import Trigger

__all__ = [
    "OPENAI_CHAT_OVERHEAD",
    "AsyncStrategyError",
    "CharacterEstimatorTokenizer",
    "ChatfoldError",
    "CompactionReport",
    "ContextWindowCompactionStrategy",
    "CountCacheInfo",
    "Figures",
    "HistoriesError",
    "MessageError",
    "MessageGroup",
    "MessageIndex",
    "MissingExtraError",
    "OptionError",
    "OptionTypeError",
    "Overhead",
    "PipelineCompactionStrategy",
    "SelectiveToolCallCompactionStrategy",
    "SlidingWindowStrategy",
    "StateError",
    "Strategy",
    "StrategyStep",
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

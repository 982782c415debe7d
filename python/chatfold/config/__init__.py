"""The ``summarization`` block of a chat product's configuration file; extra ``config``.

>>> from chatfold.config import load_config
>>> config = load_config({"summarization": {"trigger": {"type": "remaining_tokens", "value": 8000}}})
>>> config.trigger, config.context_pruning.keep_last_assistants
(RemainingTokens(type='remaining_tokens', value=8000), 3)
"""

from chatfold.errors import MissingExtraError

try:
    import pydantic as _pydantic
    import ruamel.yaml as _yaml
except ImportError as error:
    raise MissingExtraError("chatfold.config", "config") from error

from chatfold.config.agent import build_summarizer
from chatfold.config.blocks import (
    ContextPruning,
    HardClear,
    MessagesToRefine,
    RemainingTokens,
    RetainRecent,
    SoftTrim,
    TokenRatio,
)
from chatfold.config.loading import load_config
from chatfold.config.migration import migrate_config
from chatfold.config.problems import ConfigError, ConfigProblem, ConfigWarning
from chatfold.config.schema import config_schema
from chatfold.config.summarization import SummarizationConfig

del _pydantic, _yaml

__all__ = [
    "ConfigError",
    "ConfigProblem",
    "ConfigWarning",
    "ContextPruning",
    "HardClear",
    "MessagesToRefine",
    "RemainingTokens",
    "RetainRecent",
    "SoftTrim",
    "SummarizationConfig",
    "TokenRatio",
    "build_summarizer",
    "config_schema",
    "load_config",
    "migrate_config",
]

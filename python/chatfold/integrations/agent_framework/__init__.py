"""Microsoft's agent framework: the package ``agent-framework-core``.

:func:`as_compaction_strategy` makes a strategy of chatfold one of the framework's,
:func:`from_compaction_strategy` the other way round, :func:`as_tokenizer` a tokenizer, and
:func:`as_context_provider` puts a :class:`chatfold.CompactionProvider` into an agent.

Needs ``pip install 'chatfold[agent-framework]'``.
"""

from chatfold.errors import MissingExtraError

try:
    import agent_framework  # noqa: F401 (for the message alone)
except ImportError as error:
    raise MissingExtraError("chatfold.integrations.agent_framework", "agent-framework") from error

from chatfold.integrations.agent_framework.provider import as_context_provider
from chatfold.integrations.agent_framework.strategy import as_compaction_strategy
from chatfold.integrations.agent_framework.theirs import from_compaction_strategy
from chatfold.integrations.agent_framework.tokenizer import as_tokenizer

__all__ = [
    "as_compaction_strategy",
    "as_context_provider",
    "as_tokenizer",
    "from_compaction_strategy",
]

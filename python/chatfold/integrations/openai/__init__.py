"""The ``openai`` package: clients whose chat completions send compacted messages.

Needs ``pip install 'chatfold[openai]'``.
"""

from chatfold.integrations.openai.calls import last_report
from chatfold.integrations.openai.client import with_compaction

__all__ = ["last_report", "with_compaction"]

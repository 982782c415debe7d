"""The tasks with litellm: ``trim_messages``, which takes the same dicts as chatfold.

It adds a few tokens for each message, and shortens the oldest one that it keeps.
"""

import os

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # its own copy, not a download

from litellm.utils import trim_messages

from benches.corpus import Message
from benches.measure import Contender
from benches.peers.task import TOKENS, Peer, Task

_MODEL = "gpt-4o"


def _text(message: Message) -> str:
    return message["content"] or ""


def peers(task: Task, history: list[Message]) -> dict[str, Peer]:
    """Give the contenders of a task; cutting to a number of tokens is all that it does."""
    if task != "truncate":
        return {}
    cut = Contender(lambda _: trim_messages(history, model=_MODEL, max_tokens=TOKENS))
    return {"litellm": Peer(cut, _text)}

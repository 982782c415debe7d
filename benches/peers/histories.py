"""All contenders of a task, chatfold first; packages that are missing are left out."""

import importlib

from benches.corpus import conversation
from benches.peers import ours
from benches.peers.task import AGENT, Peer, Task

_MODULES = {
    "agent-framework-core": "microsoft",
    "langchain-core": "langchain",
    "litellm": "litellm",
}
# Packages that take part more than once: they are made while one of them is still there.
_VARIANTS = {("truncate", "langchain-core"): 2, ("turn", "langchain-core"): 2}
PACKAGES = tuple(_MODULES)


def missing() -> list[str]:
    """Name the packages that are not installed."""
    absent = []
    for package, module in _MODULES.items():
        try:
            importlib.import_module(f"benches.peers.{module}")
        except ImportError:
            absent.append(package)
    return absent


def contenders(
    task: Task, messages: int, *, without: frozenset[str] = frozenset()
) -> dict[str, Peer]:
    """Make what does a task on a history of so many messages, by package."""
    history = conversation(messages, "agent" if task in AGENT else "chat")
    found = ours.peers(task, history)
    absent = missing()
    for package, module in _MODULES.items():
        gone = {name for name in without if name.split(" ")[0] == package}
        if package not in absent and len(gone) < _VARIANTS.get((task, package), 1):
            found |= importlib.import_module(f"benches.peers.{module}").peers(task, history)
    return {name: peer for name, peer in found.items() if name not in without}

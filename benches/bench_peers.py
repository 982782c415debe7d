"""The same work with other packages, side by side, at sizes that they finish."""

from benches.measure import once, quiet, unit
from benches.peers import histories
from benches.peers.task import TASKS, Task

NAMES = [
    "chatfold",
    "agent-framework-core",
    "langchain-core",
    "langchain-core (approximate)",
    "litellm",
]


class Peers:
    """Each task with each package that can do it."""

    params = ([100, 1_000], list(TASKS), NAMES)
    param_names = ("messages", "task", "package")
    timeout = 300

    def setup(self, messages: int, task: Task, package: str) -> None:
        others = frozenset(name for name in NAMES if name != package)
        found = histories.contenders(task, messages, without=others)
        if package not in found:
            raise NotImplementedError
        self.contender = found[package].contender

    @unit("ms")
    def track_task(self, *_: object) -> float:
        with quiet():
            return min(once(self.contender) for _ in range(3)) * 1e3

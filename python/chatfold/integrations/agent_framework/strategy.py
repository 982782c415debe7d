"""Strategies of chatfold as strategies of the framework."""

from agent_framework import Message

from chatfold.errors import OptionTypeError
from chatfold.index import MessageIndex
from chatfold.integrations.agent_framework.annotated import AnnotatedHistories
from chatfold.overhead import Overhead
from chatfold.report import CompactionReport
from chatfold.strategies import Strategy, StrategyLike, as_strategy
from chatfold.tokenizers import TokenizerLike


class CompactionStrategy:
    """A strategy of chatfold that the framework takes as one of its own.

    Attributes:
        strategy: The strategy.
        last_report: What the last call did; None before it.
    """

    def __init__(
        self, strategy: Strategy, tokenizer: TokenizerLike, overhead: Overhead | None
    ) -> None:
        """Check the options."""
        self.strategy = strategy
        self.last_report: CompactionReport | None = None
        self.__name__ = strategy.name
        self._histories = AnnotatedHistories(
            lambda: MessageIndex(tokenizer=tokenizer, overhead=overhead)
        )

    async def __call__(self, messages: list[Message]) -> bool:
        """Compact a list in place: annotate what is left out, insert what stands for it.

        After an error or a cancellation the list is as it was.

        Returns:
            Whether anything changed.

        Raises:
            MessageError: A message that can't be read; names its position.
        """
        if not messages:
            return False
        while True:
            with self._histories.of(messages) as history:
                report = await history.index.acompact(self.strategy)
                # Another call may have compacted the same list while this one waited.
                if history.knows(messages):
                    self.last_report = report
                    return history.write(messages, report)

    def __repr__(self) -> str:
        """Show the strategy."""
        return f"as_compaction_strategy({self.strategy!r})"


def as_compaction_strategy(
    strategy: StrategyLike,
    *,
    tokenizer: TokenizerLike = None,
    overhead: Overhead | None = None,
) -> CompactionStrategy:
    """Make a strategy of chatfold one of the framework's ``CompactionStrategy``.

    Give it wherever the framework takes one: to an ``Agent``, a chat client, a call, the framework's
    ``CompactionProvider`` or ``TokenBudgetComposedStrategy``. It keeps an index for each of the
    sixteen lists that it was called with last, and reads each message once.

    Args:
        strategy: Any strategy, one that needs a model too.
        tokenizer: What to count with; by default the strategy's own, else the estimator.
        overhead: What counts beside text.

    Raises:
        OptionTypeError: It is no strategy.
    """
    if isinstance(strategy, CompactionStrategy):
        raise OptionTypeError(f"strategy is {strategy!r}, which is one of the framework's already")
    return CompactionStrategy(as_strategy("strategy", strategy), tokenizer, overhead)

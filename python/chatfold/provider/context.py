"""What a context provider is."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from chatfold.provider.run import Run


@runtime_checkable
class ContextProvider(Protocol):
    """Has its say before a run and after it.

    A provider may be shared by many sessions at once, so it keeps what it knows about one of them in
    ``run.session.state[source_id]``: a JSON value, or an object whose ``to_state()`` gives one.

    Attributes:
        source_id: Its name in a run and in the state of a session.
    """

    @property
    def source_id(self) -> str:
        """Its name in a run and in the state of a session."""

    async def before_run(self, run: "Run") -> None:
        """Add messages to the run: put a sequence into ``run.context_messages[source_id]``."""

    async def after_run(self, run: "Run") -> None:
        """Take what the run came to; called in the same order, and not after a run that failed."""


@runtime_checkable
class ModelCallProvider(ContextProvider, Protocol):
    """A context provider that also decides what the model sees, call by call."""

    async def before_model_call(
        self, run: "Run", context: Sequence[Sequence[Any]], added: Sequence[Any]
    ) -> list[Any]:
        """Give the messages to send in place of these.

        Args:
            run: The run that is about to call the model.
            context: What each provider before this one added.
            added: The messages of the run itself: its input, and what came of it so far.
        """

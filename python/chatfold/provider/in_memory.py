"""The history provider that keeps the conversation in the session itself."""

from chatfold._options import flag, text
from chatfold.provider.history import StoredHistory
from chatfold.provider.run import Run
from chatfold.provider.session import Session


class InMemoryHistoryProvider:
    """Stores the messages of each run in the session, and loads them for the next one.

    Where a service keeps the conversation, it still stores, but loads nothing: the service has it.

    Args:
        source_id: Its name in runs and in the state of sessions.
        skip_excluded: Load what is not excluded, with summaries in the place of what they stand for;
            ``False`` loads all messages as they were. Excluded messages stay stored either way.

    Raises:
        OptionTypeError: A wrong type; names the option.
    """

    def __init__(self, source_id: str = "in_memory", *, skip_excluded: bool = True) -> None:
        """Check the options."""
        self.source_id = text("source_id", source_id)
        self.skip_excluded = flag("skip_excluded", skip_excluded)

    def history(self, session: Session) -> StoredHistory:
        """Give what is stored of a session; empty where nothing is.

        Raises:
            StateError: The state of the session is damaged.
        """
        return session.live(
            self.source_id, StoredHistory.from_state, StoredHistory, kind=StoredHistory
        )

    async def before_run(self, run: Run) -> None:
        """Load the messages."""
        if not run.is_service_managed:
            history = self.history(run.session)
            run.context_messages[self.source_id] = history.loaded(skip_excluded=self.skip_excluded)

    async def after_run(self, run: Run) -> None:
        """Store what is new: the input and what came of it."""
        self.history(run.session).extend([*run.input_messages, *run.response_messages])

    def __repr__(self) -> str:
        """Show the options."""
        return f"InMemoryHistoryProvider({self.source_id!r}, skip_excluded={self.skip_excluded})"

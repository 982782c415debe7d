"""A session: one conversation, with what the providers know about it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from chatfold._options import shown, text
from chatfold.errors import ChatfoldError, OptionTypeError, StateError
from chatfold.provider.plain import plain
from chatfold.state import as_mapping

if TYPE_CHECKING:
    from collections.abc import Iterator

    from chatfold.provider.context import ContextProvider
    from chatfold.provider.run import Run

T = TypeVar("T")

FORMAT = "chatfold.Session"
VERSION = 1


class Session:
    """One conversation of an agent. It saves and loads as JSON; see :meth:`to_dict`.

    Args:
        session_id: Its name; by default a random one.
        service_session_id: The name by which a service keeps the conversation itself, as a thread, a
            conversation or a stored response. Compaction then has no effect.
        state: What providers know, by their ``source_id``.

    Raises:
        OptionTypeError: A wrong type; names the option.
    """

    def __init__(
        self,
        session_id: str | None = None,
        *,
        service_session_id: str | None = None,
        state: Mapping[str, Any] | None = None,
    ) -> None:
        """Check the options."""
        if session_id is None:
            from uuid import uuid4  # noqa: PLC0415 (who names sessions does without)

            session_id = uuid4().hex
        if state is not None and not isinstance(state, Mapping):
            raise OptionTypeError(f"state is {state!r}; pass a dict by source ids")
        for source_id in state or ():
            text("a source id in state", source_id)
        self.session_id = text("session_id", session_id)
        self.service_session_id = service_session_id
        if service_session_id is not None:
            text("service_session_id", service_session_id)
        self.state: dict[str, Any] = dict(state or {})
        self._running = False

    def run(
        self,
        providers: Iterable["ContextProvider"],
        input_messages: Sequence[Any] = (),
        *,
        options: Mapping[str, Any] | None = None,
    ) -> "Run":
        """Begin a run of the agent: use it with ``async with``; see :class:`Run`.

        Args:
            providers: Who has a say, in this order: history first, then compaction.
            input_messages: What is new to the conversation, as a list of messages.
            options: What is passed to the model's service beside the messages; names like
                ``previous_response_id`` tell that it keeps the conversation itself.

        Raises:
            MessageError: An input message that can't be read; names its position.
            OptionError: Two providers with one name.
            OptionTypeError: Something that is no provider, or no list of messages.
        """
        from chatfold.provider.run import Run  # noqa: PLC0415 (a run knows its session)

        return Run(self, providers, input_messages, options=options)

    def live(
        self,
        source_id: str,
        load: Callable[[Mapping[str, Any]], T],
        new: Callable[[], T],
        *,
        kind: type[T],
    ) -> T:
        """Give what a provider keeps about the session, loaded from its saved state if need be.

        Args:
            source_id: The name of the provider.
            load: Makes it of a saved state, which is a mapping.
            new: Makes it where there is none.
            kind: What both make.

        Raises:
            StateError: The saved state is damaged, or of another kind of provider; names the session
                and the provider.
        """
        state = self.state.get(source_id)
        if state is None:
            self.state[source_id] = made = new()
            return made
        if isinstance(state, kind):
            return state
        try:
            self.state[source_id] = made = load(as_mapping(state))
        except StateError as error:
            raise StateError(
                f"session {self.session_id!r}: what {source_id!r} saved can't be loaded: {error}"
            ) from error
        return made

    def to_dict(self) -> dict[str, Any]:
        """Save the session as plain JSON types: give it to ``json.dumps``.

        A run that has not ended is not part of it.

        Raises:
            StateError: Something in the state is no JSON.
        """
        state = {source_id: self._saved(source_id, each) for source_id, each in self.state.items()}
        return {
            "format": FORMAT,
            "version": VERSION,
            "session_id": self.session_id,
            "service_session_id": self.service_session_id,
            "state": {source_id: each for source_id, each in state.items() if each is not None},
        }

    def _saved(self, source_id: str, value: Any) -> Any:  # noqa: ANN401 (any JSON)
        to_state = getattr(value, "to_state", None)
        try:
            return plain(value) if to_state is None else to_state()
        except (TypeError, ValueError) as error:
            raise StateError(
                f"session {self.session_id!r}: the state of {source_id!r} can't be saved: {error}"
            ) from error

    @classmethod
    def from_dict(cls, saved: object) -> "Session":
        """Load a session from what :meth:`to_dict` gave, in this process or in another.

        Raises:
            StateError: It is no saved session, one of another version, or a damaged one.
        """
        if not isinstance(saved, Mapping) or saved.get("format") != FORMAT:
            raise StateError(
                f"this is no saved session: {type(saved).__name__} without the format {FORMAT!r}; "
                "pass what to_dict() returned"
            )
        if saved.get("version") != VERSION:
            raise StateError(
                f"the session has version {shown(saved.get('version'))} and this chatfold reads version "
                f"{VERSION}; load it with the chatfold that wrote it"
            )
        try:
            return cls(
                text("session_id", saved.get("session_id")),
                service_session_id=saved.get("service_session_id"),
                state=saved.get("state"),
            )
        except OptionTypeError as error:
            raise StateError(f"the session is damaged: {error}") from error

    @contextmanager
    def running(self) -> "Iterator[None]":
        """Hold the session for one run: two at a time would not know of each other's messages.

        Raises:
            ChatfoldError: It has a run already.
        """
        if self._running:
            raise ChatfoldError(
                f"session {self.session_id!r} has a run already; wait for its end, or use another "
                "session"
            )
        self._running = True
        try:
            yield
        finally:
            self._running = False

    def __repr__(self) -> str:
        """Show the name, and who keeps something about it."""
        return f"<Session {self.session_id!r}: {', '.join(self.state) or 'new'}>"

"""One run of an agent in a session."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import chain
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, cast

from chatfold.errors import ChatfoldError, MessageError, OptionError, OptionTypeError, described
from chatfold.index import MessageIndex, check_iterable
from chatfold.provider.context import ContextProvider, ModelCallProvider
from chatfold.provider.history import MessageView
from chatfold.report import CompactionReport

if TYPE_CHECKING:
    from chatfold.provider.session import Session

SERVICE_KEYS = (
    "previous_response_id",
    "conversation",
    "conversation_id",
    "service_session_id",
    "thread",
    "thread_id",
)
"""Options that name a conversation which the service keeps itself."""


def names_conversation(options: Mapping[str, Any]) -> bool:
    """Tell whether options name a conversation that the service keeps itself."""
    return any(options.get(key) not in (None, "") for key in SERVICE_KEYS)


_NAMES = ("source_id", "before_run", "after_run")


class Run:
    """One run: from new input to the answer, with as many model and tool calls as it takes.

    On entering it, each provider's ``before_run`` is called; on leaving it, each ``after_run``, in the
    same order. A run that ends in an exception is not stored. Before each model call, ask
    :meth:`messages` what to send; after it, :meth:`append` what came back, tool results too.

    Attributes:
        session: The session.
        options: What is passed to the service beside the messages.
        input_messages: What was new at its start.
        response_messages: What came of it so far: answers, tool calls and their results.
        context_messages: What each provider added, by its source id.
        reports: What each compaction of the run did, in order.
    """

    def __init__(
        self,
        session: "Session",
        providers: Iterable[ContextProvider],
        input_messages: Sequence[Any] = (),
        *,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        """Check the providers and the input."""
        self.session = session
        self.providers = _checked(providers)
        if options is not None and not isinstance(options, Mapping):
            raise OptionTypeError(f"options is {options!r}; pass a dict, or None")
        self.options = dict(options or {})
        self.input_messages = check_iterable(
            input_messages, "input_messages", "pass a list of messages, also where there is one"
        )
        _check_readable(self.input_messages)
        self.response_messages: list[Any] = []
        self.context_messages: dict[str, Sequence[Any]] = {}
        self.reports: list[CompactionReport] = []
        self._sent: list[Any] = []
        self._answered = 0
        self._holding: AbstractContextManager[None] | None = None
        self._ended = False

    @property
    def is_service_managed(self) -> bool:
        """Whether a service keeps the conversation itself, so that there is no list to compact."""
        return self.session.service_session_id is not None or names_conversation(self.options)

    async def __aenter__(self) -> Self:
        """Let each provider add what it has."""
        if self._holding is not None:
            raise ChatfoldError("a run can be entered once; call session.run(...) for the next one")
        holding = self.session.running()
        holding.__enter__()
        self._holding = holding
        try:
            for provider in self.providers:
                await provider.before_run(self)
        except BaseException:
            self._ended = True
            holding.__exit__(None, None, None)
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Let each provider take what is new, unless the run failed."""
        try:
            if kind is None:
                await self._end()
        finally:
            self._ended = True
            if self._holding is not None:
                self._holding.__exit__(None, None, None)

    def _check_open(self) -> None:
        if self._holding is None:
            raise ChatfoldError(
                "the run has not begun, and no provider has loaded anything; enter it with "
                "`async with session.run(...) as run:`"
            )
        if self._ended:
            raise ChatfoldError(
                "the run has ended, and nothing more of it is sent or stored; begin the next one with "
                "session.run(...)"
            )

    async def _end(self) -> None:
        """Call each provider, also where one fails; the first error is raised in the end."""
        errors: list[Exception] = []
        for provider in self.providers:
            try:
                await provider.after_run(self)
            except Exception as error:  # noqa: BLE001 (raised below)
                errors.append(error)
        if errors:
            for other in errors[1:]:
                errors[0].add_note(f"after it, {described(other)}")
            raise errors[0]

    async def messages(self) -> list[Any]:
        """Give the messages to send to the model now: a new list; the messages are not changed.

        Raises:
            ChatfoldError: The run has not begun, or has ended.
        """
        self._check_open()
        context: list[Sequence[Any]] = []
        added: list[Any] = [*self.input_messages, *self.response_messages]
        for provider in self.providers:
            # Asking a protocol would take longer than compaction does.
            if hasattr(provider, "before_model_call"):
                decides = cast("ModelCallProvider", provider)
                seen = await decides.before_model_call(self, context, added)
                # What later providers add stands right before the messages of the run.
                start = _start(seen, [*self.input_messages, *self.response_messages])
                context, added = [seen[:start]], seen[start:]
            context.append(self.context_messages.get(provider.source_id, ()))
        self._sent = [*chain.from_iterable(context), *added]
        self._answered = len(self.response_messages)
        return list(self._sent)

    def append(self, message: Any) -> None:  # noqa: ANN401 (the user's own object)
        """Take one message that came of the run: an answer, a tool call, a tool result.

        Raises:
            MessageError: It can't be read, and is not taken; names its position among
                ``response_messages``.
            OptionError: It is a digest or summary that was sent; see :meth:`extend`.
        """
        self.extend([message])

    def extend(self, messages: Iterable[Any]) -> None:
        """Take messages that came of the run; do not change them afterwards.

        Raises:
            MessageError: A message that can't be read; names its position among
                ``response_messages``. None is taken.
            OptionError: A digest or summary that was sent is among them, and would be stored beside
                what it stands for; pass what is new, or all to :meth:`sync`.
            ChatfoldError: The run has not begun, or has ended.
        """
        self._check_open()
        new = check_iterable(messages)
        sent = {id(message) for message in self._sent}
        for message in new:
            if id(message) in sent and self._is_stand_in(message):
                raise OptionError(
                    f"messages holds {message!r}, which stands for earlier messages of the session; "
                    "pass only what is new, or the whole list to sync(messages)"
                )
        _check_readable(new, first=len(self.response_messages))
        self.response_messages += new

    def sync(self, messages: Iterable[Any]) -> int:
        """Take what is new in a list that began as the one that :meth:`messages` gave last.

        Returns:
            How many messages were new.

        Raises:
            OptionError: The list does not begin with what was sent; names the position.
            MessageError: A new message that can't be read; names its position in the list. None is
                taken.
            ChatfoldError: The run has not begun, or has ended.
        """
        self._check_open()
        given = check_iterable(messages)
        known = [*self._sent, *self.response_messages[self._answered :]]
        for at, message in enumerate(known):
            if at >= len(given) or not (given[at] is message or given[at] == message):
                raise OptionError(
                    f"message {at} of messages is not the one that was sent; pass the list that "
                    "messages() gave last, with what is new at its end"
                )
        new = given[len(known) :]
        _check_readable(new, first=len(known))
        self.response_messages += new
        return len(new)

    def _is_stand_in(self, message: object) -> bool:
        """Tell whether a message that was sent is nobody's own."""
        lists: list[Iterable[Any]] = [self.input_messages, self.response_messages]
        for part in self.context_messages.values():
            if isinstance(part, MessageView):
                lists.append(part.history.index.messages)
            else:
                lists.append(part)
        return not any(message is each for each in chain.from_iterable(lists))

    def __repr__(self) -> str:
        """Show how much is new."""
        new = len(self.input_messages) + len(self.response_messages)
        return f"<Run in session {self.session.session_id!r}: {new} new messages>"


def _check_readable(messages: list[Any], first: int = 0) -> None:
    """Refuse what could not be stored when the run ends, while its caller can still do something.

    Args:
        messages: The messages.
        first: The position of the first of them.

    Raises:
        MessageError: A message that can't be read; names its position.
    """
    try:
        MessageIndex(messages)
    except MessageError as error:
        raise MessageError(first + error.position, error.what) from None


def _start(seen: list[Any], own: list[Any]) -> int:
    """Find where the messages of the run begin; one of them may be an older message as well."""
    missing, left = Counter(map(id, own)), len(own)
    start = at = len(seen)
    while at and left:
        at -= 1
        if missing[id(seen[at])] > 0:
            missing[id(seen[at])] -= 1
            start, left = at, left - 1
    return start


def _checked(providers: Iterable[ContextProvider]) -> list[ContextProvider]:
    """List the providers, each with a name of its own.

    Raises:
        OptionTypeError: One is no provider.
        OptionError: Two have the same name.
    """
    if not isinstance(providers, Iterable):
        raise OptionTypeError(f"providers is {providers!r}; pass a list of providers")
    listed = list(providers)
    known: set[str] = set()
    for at, provider in enumerate(listed):
        if isinstance(provider, type) or not all(hasattr(provider, name) for name in _NAMES):
            raise OptionTypeError(
                f"providers[{at}] is {provider!r}; pass an object with source_id, before_run and "
                "after_run"
            )
        if provider.source_id in known:
            raise OptionError(
                f"two providers have the source_id {provider.source_id!r}; give each its own"
            )
        known.add(provider.source_id)
    return listed

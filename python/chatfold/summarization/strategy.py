"""The strategy that replaces old groups by a summary."""

from chatfold import _core
from chatfold._options import choice, flag, integer, only_one, small, text
from chatfold.errors import OptionError, OptionTypeError
from chatfold.index import MessageIndex
from chatfold.strategies.base import Strategy, given
from chatfold.summarization.asking import guarded
from chatfold.summarization.attempts import Attempts, OnFailure
from chatfold.summarization.background import Background
from chatfold.summarization.breaker import Breaker, seconds
from chatfold.summarization.clients import SummarizerLike, as_summarizers
from chatfold.summarization.folding import SMALLEST_ROOM, Instructions, Limits
from chatfold.summarization.memory import Memory
from chatfold.summarization.prompts import BRIEF_PROMPT, FRAME, UPDATE_PROMPT
from chatfold.summarization.rule import Rule, messages_over
from chatfold.summarization.selection import NewestGroups, NewestMessages, RetainRecent
from chatfold.summarization.writing import Writer
from chatfold.triggers import TriggerLike, as_trigger, register

__all__ = ["SummarizationStrategy"]

_CHARS_PER_TOKEN = 4
_LARGEST_SUMMARY = 2_000


class SummarizationStrategy(Strategy):
    """Replaces the oldest groups by a summary that a model writes.

    It is by count, or by trigger and target. By count it does nothing until more than
    ``target_count + threshold`` messages are included, and then keeps the newest ``target_count``,
    at the edges of groups. System messages are neither counted nor summarized. Kept in any case are
    the newest group, calls that wait for their result, and the last user message.

    The next summary takes the place of the last one and of what came after it, so that there is one
    at any time. Where nothing is new, or nothing to gain, nobody is asked. After an error, a timeout,
    an empty answer or one that is not shorter than what it would replace, the history is as it was,
    and the report says why; after a cancellation it is as it was, too.

    The summarizer is trusted with all that it is shown, and with what the assistant will take for its
    memory. What it answers is taken as data: its tags, special tokens and roles are made harmless,
    and the text opens with ``[Summary]``.

    Args:
        client: An async callable from chat messages to a text, an :class:`OpenAISummarizer`, an
            object with ``summarize``, or a list of these, tried in order.
        target_count: How many of the newest messages stay; 4.
        threshold: How many more may gather before they are summarized; 2.
        trigger: Starts where this is true.
        target: Summarizes the oldest groups until this is true; by default until ``trigger`` no
            longer is, and then as much more as two summaries may take, so that the next turn need
            not ask again.
        minimum_preserved: With ``trigger``, the newest non-system groups that stay; 4.
        retain_recent: The newest turns that stay; takes the place of ``target_count`` or
            ``minimum_preserved``, and without ``target`` all else is summarized.
        keep_user_messages: Keep user messages word for word beside the summary.
        max_kept_user_tokens: How many tokens of them stay at most, the newest first.
        summary_role: Whether the summary speaks as ``assistant`` or ``user``.
        prompt: What the summarizer is told where there is no summary yet.
        update_prompt: What it is told where there is one.
        focus: What the summaries should give more room than the rest; see :meth:`focused`.
        max_summary_tokens: The size of a summary: told to the summarizer, and made sure of by
            cutting; by default a quarter of ``max_summary_input_tokens``, at most 2,000.
        max_summary_input_tokens: The size of a call. What does not fit is summarized in several,
            each of which updates the summary of the one before.
        max_tool_result_chars: Longer tool results are shown without their middle.
        timeout: Seconds for each call, where asyncio runs it; None waits for as long as it takes.
        on_failure: ``keep`` leaves the history as it was, ``raise`` also raises the error, and
            ``digest`` replaces the groups by a stand-in that is written without a model.
        breaker: Stops asking the first client after failures in a row; shared where several
            strategies have it. Each further client has one of its own like it.
        start_summary: Where this is true and ``trigger`` is not, a summary is written in the
            background, to be used once the trigger is true.

    Raises:
        OptionError: A wrong value; names the option.
        OptionTypeError: A wrong type; names the option.
    """

    def __init__(
        self,
        *,
        client: SummarizerLike | list[SummarizerLike],
        target_count: int | None = None,
        threshold: int | None = None,
        trigger: TriggerLike | None = None,
        target: TriggerLike | None = None,
        minimum_preserved: int | None = None,
        retain_recent: RetainRecent | None = None,
        keep_user_messages: bool = False,
        max_kept_user_tokens: int = 20_000,
        summary_role: str = "assistant",
        prompt: str = BRIEF_PROMPT,
        update_prompt: str = UPDATE_PROMPT,
        focus: str = "",
        max_summary_tokens: int | None = None,
        max_summary_input_tokens: int = 64_000,
        max_tool_result_chars: int = 4_000,
        timeout: float | None = 120.0,
        on_failure: OnFailure = "keep",
        breaker: Breaker | None = None,
        start_summary: TriggerLike | None = None,
    ) -> None:
        """Check the options."""
        self._instructions = Instructions(
            text("prompt", prompt), text("update_prompt", update_prompt), text("focus", focus)
        )
        limits = _limits(max_summary_tokens, max_summary_input_tokens, self._instructions)
        users = integer("max_kept_user_tokens", max_kept_user_tokens, at_least=0)
        by = given(target_count=target_count, threshold=threshold)
        until = given(trigger=trigger, target=target, minimum_preserved=minimum_preserved)
        if by and until:
            raise only_one(next(iter(by)), next(iter(until)), "choose by count or by trigger")
        if until and trigger is None:
            raise OptionError(f"{next(iter(until))} is given without trigger; give both")
        if retain_recent is not None and minimum_preserved is not None:
            raise only_one("retain_recent", "minimum_preserved", "each says what stays")
        if trigger is None:
            rule = _by_count(
                4 if target_count is None else target_count, 2 if threshold is None else threshold
            )
        else:
            rule = _by_trigger(
                trigger, target, 4 if minimum_preserved is None else minimum_preserved
            )
        if retain_recent is not None:
            rule = _retaining(rule, retain_recent, stepwise=target is not None)
        if start_summary is not None:
            rule = rule._replace(start=as_trigger("start_summary", start_summary))
        role = choice("summary_role", summary_role, ("assistant", "user"))
        wait = None if timeout is None else seconds("timeout", timeout)
        self._attempts = Attempts(
            rule._replace(
                user_tokens=users if flag("keep_user_messages", keep_user_messages) else 0,
                people=role != "user",
                room=rule.room * limits.summary,
            ),
            Writer(guarded(as_summarizers(client), _breaker(breaker)), wait, limits),
            role,
            integer("max_tool_result_chars", max_tool_result_chars, at_least=1),
            choice("on_failure", on_failure, ("keep", "raise", "digest")),
            Background(),
            Memory(),
        )
        self._register()

    def focused(self, focus: str) -> "SummarizationStrategy":
        """Give this strategy with something that its summaries should give more room.

        It shares everything else, the breaker and what was prepared too: use it for one call.
        """
        other = self._with(focus=focus)
        other._instructions = self._instructions._replace(focus=text("focus", focus))
        other._register()
        return other

    def _sized(self, summary: int, most: int) -> "SummarizationStrategy":
        """Give this strategy with summaries and calls of another size; it shares everything else.

        Where nothing is new, a summary so far that is larger than that is summarized itself.
        """
        other = self._with(max_summary_tokens=summary, max_summary_input_tokens=most)
        attempts, limits = self._attempts, _limits(summary, most, self._instructions)
        writer = attempts.writer._replace(limits=limits)
        other._attempts = attempts._replace(writer=writer, condenses=True)
        other._register()
        return other

    def _with(self, **options: object) -> "SummarizationStrategy":
        """Give a copy that says it was made with these options too."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        arguments, made = self._made
        other._made = (arguments, {**made, **options})
        return other

    def _register(self) -> None:
        attempts, instructions = self._attempts, self._instructions

        async def summarize(index: MessageIndex) -> bool:
            return await attempts.run(index, instructions)

        summarize.__name__ = self.name
        number, callables = register(summarize)
        self._set(_core.Strategy.custom(number), callables)


def _by_count(target_count: int, threshold: int) -> Rule:
    keep = small("target_count", target_count, at_least=1)
    most = keep + small("threshold", threshold, at_least=0)
    when = as_trigger("target_count", messages_over(most))
    return Rule(when, target=None, tail=NewestMessages(keep))


def _by_trigger(trigger: TriggerLike, target: TriggerLike | None, minimum_preserved: int) -> Rule:
    when = as_trigger("trigger", trigger)
    tail = NewestGroups(small("minimum_preserved", minimum_preserved, at_least=1))
    if target is None:
        return Rule(when, target=~when, tail=tail, room=2)
    return Rule(when, target=as_trigger("target", target), tail=tail)


def _retaining(rule: Rule, recent: RetainRecent, *, stepwise: bool) -> Rule:
    if not isinstance(recent, RetainRecent):
        raise OptionTypeError(f"retain_recent is {recent!r}; pass RetainRecent(turns=2)")
    if stepwise:
        return rule._replace(tail=recent)
    return rule._replace(tail=recent, target=None, room=0)


def _limits(summary: int | None, most: int, instructions: Instructions) -> Limits:
    most = integer("max_summary_input_tokens", most, at_least=1)
    if summary is None:
        summary = max(1, min(_LARGEST_SUMMARY, most // 4))
    size = integer("max_summary_tokens", summary, at_least=1)
    limits = Limits(most, size, told=size)
    told = len(FRAME) + max(map(len, (instructions.first, instructions.update)))
    least = (
        2 * limits.summary + SMALLEST_ROOM + (told + len(instructions.focus)) // _CHARS_PER_TOKEN
    )
    if most < least:
        raise OptionError(
            f"max_summary_input_tokens is {most}; the prompts, the summary so far and a piece of the "
            f"history take {least}, so pass more, or a smaller max_summary_tokens than {limits.summary}"
        )
    return limits


def _breaker(breaker: object) -> Breaker:
    if breaker is None:
        return Breaker()
    if not isinstance(breaker, Breaker):
        raise OptionTypeError(f"breaker is {breaker!r}; pass a chatfold.summarization.Breaker")
    return breaker

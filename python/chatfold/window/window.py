"""The context window of a conversation."""

import json
import os
from collections.abc import Iterable, Mapping
from logging import DEBUG
from typing import TYPE_CHECKING, Any

from chatfold._logging import info
from chatfold._options import integer, shown, text
from chatfold._run import alone, is_held
from chatfold.errors import ChatfoldError, OptionError, OptionTypeError
from chatfold.index import MessageIndex, check_iterable
from chatfold.overhead import Overhead
from chatfold.strategies import Strategy, StrategyLike, as_strategy
from chatfold.summarization import SummarizerLike
from chatfold.tokenizers import TokenizerLike
from chatfold.window import saved
from chatfold.window.budget import Budget, calibrated
from chatfold.window.debug import logger, turn_on_where_asked
from chatfold.window.dropping import Dropped
from chatfold.window.fading import Fading
from chatfold.window.gauge import ContextUsage
from chatfold.window.ledger import Call, Ledger
from chatfold.window.prices import PriceList, PricesLike, number
from chatfold.window.report import ContextReport, PreparedContext
from chatfold.window.summaries import Summaries, baseline_of
from chatfold.window.turn import Outcome, Turn

if TYPE_CHECKING:
    from chatfold.config import SummarizationConfig

__all__ = ["ContextWindow"]


class ContextWindow:
    """Keeps a conversation inside a model's context window, as a configuration says.

    Make one for each conversation, give it each message once, and call :meth:`prepare` before each
    call of the model: old tool results fade, what does not fit is dropped at group edges, and a
    summary takes the place of what was dropped. The messages stay the caller's own and are never
    changed, and none is lost: :attr:`index` has them all.

    Args:
        config: What :func:`chatfold.config.load_config` gave, or what it takes; by default all
            defaults.
        max_context_tokens: The context window of the model.
        tokenizer: Counts tokens; by default the character estimator.
        summarizer: Who writes summaries; by default nobody, and what does not fit is only dropped.
        instructions: What is sent beside the messages as instructions; system messages among the
            messages are counted there.
        tools: The tool schemas that are sent beside the messages.
        model: The name of the model, for prices.
        prices: :class:`~chatfold.window.Prices` for all calls, a dict of them by model, or
            ``"table"`` for those of the package ``genai-prices`` (extra ``prices``).
        overhead: What counts beside text.
        pruning: A strategy that runs first, in the place of the configuration's context pruning. The
            ages of a ``ContextPruningStrategy``, or of one in a ``PipelineCompactionStrategy``, are
            shares of what is still in the window's list.

    Raises:
        OptionError: A wrong value; names the option.
        OptionTypeError: A wrong type; names the option.
        ConfigError: A configuration that is not allowed.
        MissingExtraError: A package that an extra installs.
    """

    def __init__(
        self,
        config: "SummarizationConfig | str | os.PathLike[str] | Mapping[str, Any] | None" = None,
        *,
        max_context_tokens: int,
        tokenizer: TokenizerLike = None,
        summarizer: SummarizerLike | None = None,
        instructions: str = "",
        tools: Iterable[Any] = (),
        model: str | None = None,
        prices: PricesLike | None = None,
        overhead: Overhead | None = None,
        pruning: StrategyLike | None = None,
    ) -> None:
        """Check the options."""
        turn_on_where_asked()
        self.config = _config(config)
        self.model = None if model is None else text("model", model)
        self._prices = PriceList(prices)
        self._fading = Fading(
            _pruning(self.config) if pruning is None else as_strategy("pruning", pruning)
        )
        self._index = MessageIndex(tokenizer=tokenizer, overhead=overhead)
        most = integer("max_context_tokens", max_context_tokens, at_least=1)
        self._budget = Budget(most, round(most * self.config.reserve_ratio))
        self.set_instructions(instructions)
        self.set_tools(tools)
        self._summaries: Summaries | None = None
        if self.config.enabled and summarizer is not None:
            self._summaries = Summaries(self.config, summarizer, self._budget)
        self._ledger = Ledger()
        self._sent: int | None = None
        self._take_stock()

    @property
    def index(self) -> MessageIndex:
        """All messages, and what of them is included; give it messages through the window only."""
        return self._index

    @property
    def calibration(self) -> float:
        """How many tokens the provider counts for each one that is counted here; 0.5 to 2."""
        return self._budget.ratio

    def append(self, message: object) -> None:
        """Take one more message.

        Raises:
            MessageError: It can't be read.
        """
        self._index.append(message)

    def extend(self, messages: Iterable[Any]) -> None:
        """Take more messages; where one of them can't be read, none is taken.

        Raises:
            MessageError: A message that can't be read; names its position.
        """
        self._index.extend(messages)

    def sync(self, messages: Iterable[Any]) -> int:
        """Make the window one about this list, for a caller that has the whole list each turn.

        Where it forks from the list so far, what calls after the fork used is taken back, summaries of
        what came after it are too, and what was dropped comes back as far as it fits then.

        Returns:
            How many messages at the start of the list were known.

        Raises:
            MessageError: A message that can't be read; the window is as it was.
            ChatfoldError: A :meth:`prepare` is under way, which may wait for a summary.
        """
        self._refuse_while_preparing("pass the list to prepare(messages), which waits for its turn")
        index = self._index
        before, (_, _, epoch) = len(index), index.version
        known = index.sync(check_iterable(messages))
        if index.version[2] != epoch:
            # Groups that were taken before are of the old list.
            self._take_stock()
        if known < before:
            self._ledger.fork(known)
            self._sent = None
            self._dropped.bring_back()
        return known

    def set_instructions(self, instructions: str) -> None:
        """Change what is sent as instructions."""
        count = self._count(text("instructions", instructions))
        self._budget = self._budget._replace(instructions=count)

    def set_tools(self, tools: Iterable[Any]) -> None:
        """Change the tool schemas; each is counted as the JSON that it is sent as."""
        if isinstance(tools, (str, bytes, Mapping)) or not hasattr(tools, "__iter__"):
            raise OptionTypeError(f"tools is {shown(tools)}; pass a list of tool schemas")
        self._budget = self._budget._replace(tools=sum(self._count(_json(each)) for each in tools))

    async def prepare(self, messages: Iterable[Any] | None = None) -> PreparedContext:
        """Make the next call of the model fit.

        After an error or a cancellation all is as before. A summarizer that fails raises nothing: the
        report says so, and what does not fit is dropped until a later attempt succeeds. Calls at the
        same time wait for each other, each with its own list.

        Args:
            messages: The whole list, where that is not given message by message; see :meth:`sync`.

        Returns:
            What to send, and what was done.

        Raises:
            MessageError: A message that can't be read; names its position.
        """
        given = None if messages is None else check_iterable(messages)
        async with alone(self._index):
            return await self._prepare(given)

    async def _prepare(self, messages: list[Any] | None) -> PreparedContext:
        if messages is not None:
            self.sync(messages)
        index = self._index
        turn = Turn(self._budget, self.config.trigger, self._fading, self._summaries, self._dropped)
        told: list[Outcome] = []

        async def context_window(index: MessageIndex) -> bool:
            mark = turn.dropped.mark()
            try:
                told.append(await turn.run(index))
            except BaseException:
                turn.dropped.reset(mark)
                raise
            return True

        compaction = await index.acompact(context_window)
        outcome = told[0]
        self._note_usage_of(outcome)
        report = ContextReport(
            compaction._replace(target_met=outcome.target_met),
            turn.budget.room,
            outcome.pruned,
            outcome.dropped,
            outcome.summary,
            outcome.target_met,
        )
        self._sent = index.included_token_count + turn.budget.fixed
        if not report.target_met:
            info("%s", report)
        if logger.isEnabledFor(DEBUG):
            logger.debug("%s; %r", report, self.usage)
        return PreparedContext(index.included_messages(), report)

    def record_usage(
        self,
        *,
        input_tokens: int,
        output_tokens: int = 0,
        cached_tokens: int = 0,
        model: str | None = None,
        cost: float | None = None,
    ) -> None:
        """Take what the provider reported about a call with what was prepared last.

        From then on local counts are calibrated: the ratio moves half the way to what was reported for
        each token counted then, and stays from 0.5 to 2.

        Args:
            input_tokens: What the model read, cached tokens among them.
            output_tokens: What it wrote.
            cached_tokens: What of the input came from a prompt cache.
            model: The model, where it is another than that of the window.
            cost: What the call cost, where that is known; by default it is worked out from prices.

        Raises:
            OptionError: A negative number, or more cached tokens than input tokens.
            OptionTypeError: No number.
        """
        read = integer("input_tokens", input_tokens, at_least=0)
        written = integer("output_tokens", output_tokens, at_least=0)
        cached = integer("cached_tokens", cached_tokens, at_least=0)
        if cached > read:
            raise OptionError(
                f"cached_tokens is {cached} and input_tokens {read}; cached tokens are a part of them"
            )
        name = self.model if model is None else text("model", model)
        if cost is not None:
            number("cost", cost)
        else:
            cost = self._prices.cost(name, read, written, cached)
        self._ledger.add(Call(len(self._index), read, written, cost))
        if self._sent is not None:
            ratio = calibrated(self._budget.ratio, counted=self._sent, reported=read)
            logger.debug(
                "the provider read %d tokens, %d were counted: the ratio is %.4f, it was %.4f",
                read,
                self._sent,
                ratio,
                self._budget.ratio,
            )
            self._budget = self._budget._replace(ratio=ratio)

    @property
    def usage(self) -> ContextUsage:
        """How full the window is now, and what the conversation has used so far."""
        budget, ledger = self._budget, self._ledger
        # Each part ends where the next one begins, so that they add up.
        instructions = budget.reported(budget.instructions)
        fixed = budget.reported(budget.fixed)
        baseline = baseline_of(self._index)
        return ContextUsage(
            tokens=budget.in_use(self._index.included_token_count),
            limit=budget.max_context_tokens,
            baseline=budget.in_use(baseline) - fixed,
            instructions=instructions,
            tools=fixed - instructions,
            reserved=budget.reserved,
            input_tokens=ledger.input_tokens,
            output_tokens=ledger.output_tokens,
            cost=ledger.cost,
            unpriced_calls=ledger.unpriced_calls,
        )

    def to_state(self) -> dict[str, Any]:
        """Save what the window knows beyond its messages and its options, in plain JSON types."""
        return saved.to_state(self._index, self._budget.ratio, self._ledger, self._sent)

    def load_state(self, state: Mapping[str, Any], messages: Iterable[Any]) -> None:
        """Go on from a saved state, in the place of what the window has.

        Args:
            state: What :meth:`to_state` returned.
            messages: The list as it was then.

        Raises:
            StateError: A state of another version, a damaged one, or other messages; the window is as
                it was.
            ChatfoldError: A :meth:`prepare` is under way, which may wait for a summary.
        """
        self._refuse_while_preparing("await it first")
        tokenizer, overhead = self._index.tokenizer, self._index.overhead
        index, ratio, ledger, sent = saved.from_state(
            state, check_iterable(messages), tokenizer=tokenizer, overhead=overhead
        )
        self._index, self._ledger, self._sent = index, ledger, sent
        self._budget = self._budget._replace(ratio=ratio)
        self._take_stock()

    def _refuse_while_preparing(self, remedy: str) -> None:
        if is_held(self._index):
            raise ChatfoldError(f"the window is being prepared by another call; {remedy}")

    def _take_stock(self) -> None:
        self._dropped = Dropped(self._index, remember=self._summaries is not None)

    def _note_usage_of(self, outcome: Outcome) -> None:
        """Enter what a summary used."""
        if outcome.summary is None or not outcome.summary.usage.calls:
            return
        usage = outcome.summary.usage
        name = usage.models[-1] if usage.models else self.config.model or self.model
        read, wrote = usage.input_tokens, usage.output_tokens
        # A client that tells no tokens has not worked for nothing.
        cost = self._prices.cost(name, read, wrote) if read or wrote else None
        self._ledger.add(Call(len(self._index), read, wrote, cost))

    def _count(self, words: str) -> int:
        return self._index.tokenizer.count_tokens(words) if words else 0

    def __repr__(self) -> str:
        """Show how much is kept of how much."""
        index = self._index
        kept = f"{index.included_message_count:,} of {len(index):,} messages kept"
        return f"<ContextWindow of {self._budget.max_context_tokens:,} tokens: {kept}>"


def _config(config: object) -> "SummarizationConfig":
    from chatfold.config import SummarizationConfig, load_config  # noqa: PLC0415 (an extra)

    if config is None:
        return SummarizationConfig()
    return config if isinstance(config, SummarizationConfig) else load_config(config)  # type: ignore[arg-type]  # it checks


def _pruning(config: "SummarizationConfig") -> Strategy | None:
    from chatfold.config.strategies import pruning_strategy  # noqa: PLC0415 (an extra)

    return pruning_strategy(config.context_pruning)


def _json(tool: object) -> str:
    """Write a tool schema as it is sent: a dict, or a model of pydantic's."""
    dump = getattr(tool, "model_dump", None)
    document = dump(exclude_none=True) if callable(dump) else tool
    try:
        return json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise OptionTypeError(f"tools has {shown(tool)}, which is no JSON: {error}") from error
    except RecursionError as error:
        what = f"tools has {shown(tool)}, which is nested too deeply; make it flatter"
        raise OptionTypeError(what) from error

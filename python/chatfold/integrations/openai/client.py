"""A client of the ``openai`` package with compaction in front of its chat completions."""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from chatfold._options import flag, function, integer
from chatfold.errors import AsyncStrategyError, OptionError, OptionTypeError
from chatfold.index import MessageIndex
from chatfold.integrations._conversations import Conversations
from chatfold.integrations.openai.calls import Compaction
from chatfold.integrations.openai.forwarding import in_front_of
from chatfold.integrations.openai.package import AsyncOpenAI, OpenAI
from chatfold.integrations.openai.window import Window
from chatfold.overhead import OPENAI_CHAT_OVERHEAD, Overhead
from chatfold.report import CompactionReport
from chatfold.strategies import Strategy, StrategyLike
from chatfold.strategies.base import as_strategy
from chatfold.tokenizers import Tokenizer, TokenizerLike, resolve

C = TypeVar("C", OpenAI, AsyncOpenAI)


def with_compaction(
    client: C,
    strategy: StrategyLike | None = None,
    *,
    tokenizer: TokenizerLike = None,
    overhead: Overhead | None = None,
    window: int | None = None,
    reserve: int = 0,
    compact_to: float = 0.8,
    calibrate: bool = False,
    retry_when_too_long: bool = False,
    max_conversations: int = 128,
    on_report: Callable[[CompactionReport], object] | None = None,
) -> C:
    """Give a client whose chat completions send a compacted copy of their messages.

    That are ``create``, ``parse`` and ``stream`` of ``chat.completions``, with their raw and streaming
    variants, and what ``copy`` and ``with_options`` make. Each call is compacted, those of a tool loop
    too; the caller's list stays whole. All else is the client itself, which this one stands in front
    of: ``isinstance`` holds, and attributes are read and set there.

    A conversation is recognised from call to call by its messages, and has a
    :class:`chatfold.MessageIndex` of its own: what was excluded or summarized once stays so, and a
    loop that sends the whole list again each time reads only what is new. Calls for one conversation
    at the same time wait for each other's compaction.

    Args:
        client: An ``openai.OpenAI`` or ``openai.AsyncOpenAI``, or a subclass.
        strategy: What to exclude or replace, and when. May be left out where ``window`` is given.
        tokenizer: What to count with; by default the strategy's own, else the estimator.
        overhead: What counts beside text; by default nothing, as in :func:`chatfold.compact`, and
            :data:`chatfold.OPENAI_CHAT_OVERHEAD` where ``window`` is given.
        window: Tokens of the model's context window. Where the messages, after the strategy, take
            more than it has room for, the oldest groups go. Tools, functions, the response format and
            ``max_completion_tokens`` or ``max_tokens`` of each call are taken off it.
        reserve: Tokens of the window that stay free besides, such as for an answer whose size no
            call limits.
        compact_to: The share of the room that is left where the window makes groups go, so that the
            next call does not have to again.
        calibrate: Correct the count by the prompt tokens that the provider reports, for each model:
            to half and to twice as much at most. Applies to ``window``.
        retry_when_too_long: Where the server says that the messages don't fit its context window,
            exclude at least half of them, the oldest, and send once more. No other error is retried.
        max_conversations: The most conversations that are remembered, those used last; 0 remembers
            none. Together they hold at most 256 MiB of text.
        on_report: Called with the report of each compaction, before its messages are sent.

    Raises:
        OptionError: A wrong value; names the option.
        OptionTypeError: A wrong type; names the option.
        AsyncStrategyError: The strategy must be awaited, and the client is a plain ``OpenAI``.
        TokenizerMismatchError: ``tokenizer`` and the strategy's own are different.

    Example:
        >>> from openai import OpenAI
        >>> from chatfold import TruncationStrategy
        >>> strategy = TruncationStrategy(max_n=32_000, compact_to=16_000, tokenizer="o200k_base")
        >>> client = with_compaction(OpenAI(api_key="..."), strategy)
        >>> isinstance(client, OpenAI)
        True
    """
    if not isinstance(client, (OpenAI, AsyncOpenAI)):
        raise OptionTypeError(
            f"client is {client!r}; pass an openai.OpenAI or an openai.AsyncOpenAI"
        )
    is_async = isinstance(client, AsyncOpenAI)
    if strategy is None and window is None:
        raise OptionError("strategy and window were both left out; say when to compact")
    chosen = None if strategy is None else as_strategy("strategy", strategy)
    if chosen is not None and chosen.is_async and not is_async:
        raise AsyncStrategyError(
            f"strategy {chosen.name} must be awaited, and the client is an {type(client).__name__}; "
            "pass an openai.AsyncOpenAI, or a strategy that needs no waiting"
        )
    if on_report is not None:
        function("on_report", on_report)
    counter = _counter(tokenizer, chosen)
    if overhead is None:
        overhead = Overhead() if window is None else OPENAI_CHAT_OVERHEAD
    make = partial(MessageIndex, tokenizer=counter, overhead=overhead)
    make()
    compaction = Compaction(
        chosen,
        window=_window(window, reserve, compact_to, counter, calibrate=calibrate),
        retry=flag("retry_when_too_long", retry_when_too_long),
        conversations=Conversations(
            integer("max_conversations", max_conversations, at_least=0), make
        ),
        on_report=on_report,
        is_async=is_async,
    )
    passing: C = in_front_of(client, compaction)
    return passing


def _counter(tokenizer: TokenizerLike, strategy: Strategy | None) -> Tokenizer | None:
    own = None if strategy is None else strategy.tokenizer
    if tokenizer is None:
        return own
    counter = resolve(tokenizer)
    if own is not None:
        MessageIndex(tokenizer=counter).use_tokenizer(own)
    return counter


def _window(
    size: int | None,
    reserve: int,
    compact_to: float,
    tokenizer: Tokenizer | None,
    *,
    calibrate: bool,
) -> Window | None:
    if size is not None:
        return Window(
            size,
            reserve=reserve,
            compact_to=compact_to,
            calibrate=calibrate,
            tokenizer=resolve() if tokenizer is None else tokenizer,
        )
    if reserve or calibrate:
        name, value = ("reserve", reserve) if reserve else ("calibrate", calibrate)
        raise OptionError(f"{name} is {value!r} without a window; pass window= as well")
    return None

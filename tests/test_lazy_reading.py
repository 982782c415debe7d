"""A one-off compaction that reads only the newest part keeps what an index of everything keeps."""

from typing import Any

from hypothesis import event, given, settings
from hypothesis import strategies as st

from chatfold import MessageIndex, Strategy, compact
from chatfold.tokenizers import TokenizerLike, resolve
from conversations import Conversation
from long_conversations import RECIPES, Recipe
from product import Spec, build_strategy
from strategy_specs import FLAG, STRATEGIES, Specs, options
from work import Work, uneven

# Limits over what a single message has and below what a long conversation has.
LIMITS = st.one_of(st.integers(1, 400), st.integers(1, 20_000))
WINDOWS = st.one_of(st.integers(1, 10), st.integers(1, 400))


def over(metric: str) -> st.SearchStrategy[list[Any]]:
    return LIMITS.map(lambda n: [f"{metric}_exceed", n])


OVER = st.one_of(*map(over, ["tokens", "messages", "groups", "turns", "bytes"]))
UNDER = st.one_of(
    OVER.map(lambda trigger: ["not", trigger]), LIMITS.map(lambda n: ["tokens_below", n])
)
SEVERAL = st.lists(OVER, min_size=1, max_size=2)
RISING = st.one_of(
    OVER,
    st.just(["always"]),
    SEVERAL.map(lambda found: ["all_of", [*found, ["has_tool_calls"]]]),
    SEVERAL.map(lambda found: ["any_of", found]),
)

KEEPS: dict[str, st.SearchStrategy[Any]] = {
    "preserve_last_user_group": FLAG,
    "preserve_first_user_group": FLAG,
    "minimum_preserved": WINDOWS,
}
TRUNCATION: Specs = st.one_of(
    options("truncation", ("trigger", RISING), ("target", UNDER), **KEEPS),
    options("truncation", ("max_n", LIMITS), ("tokens", FLAG), **KEEPS),
)
LAST_USER: dict[str, st.SearchStrategy[Any]] = {"preserve_last_user_group": FLAG}
WINDOW: Specs = st.one_of(
    options("sliding_window", ("keep_last_groups", WINDOWS), trigger=RISING, **LAST_USER),
    options("sliding_window", ("keep_last_turns", WINDOWS), trigger=RISING, **LAST_USER),
    options(
        "sliding_window",
        ("keep_last_turns", WINDOWS),
        ("trigger", RISING),
        ("target", UNDER),
        **LAST_USER,
    ),
)
FIRST = st.one_of(TRUNCATION, WINDOW)
BUDGET = options(
    "token_budget",
    ("token_budget", LIMITS),
    ("strategies", st.lists(st.one_of(FIRST, STRATEGIES), min_size=1, max_size=2)),
    early_stop=FLAG,
    preserve_last_user_group=FLAG,
)
PIPELINE = st.builds(
    lambda first, rest: {"kind": "pipeline", "strategies": [first, *rest]},
    FIRST,
    st.lists(st.one_of(FIRST, STRATEGIES), max_size=2),
)
STARTS_WITH_THE_OLDEST = st.one_of(TRUNCATION, WINDOW, BUDGET, PIPELINE)


def kept_by_an_index(
    messages: Conversation, strategy: Strategy, tokenizer: TokenizerLike
) -> Conversation:
    index = MessageIndex(messages, tokenizer=tokenizer)
    index.compact(strategy)
    return index.included_messages()


def named(messages: Conversation, kept: Conversation) -> list[object]:
    """Name what is kept by position, and stand-ins by what they say."""
    positions = {id(message): at for at, message in enumerate(messages)}
    return [positions.get(id(message), message) for message in kept]


def assert_reading_less_changes_nothing(
    messages: Conversation, spec: Spec, tokenizer: TokenizerLike
) -> bool:
    """Compare; say whether less than everything was read."""
    strategy = build_strategy(spec, resolve(tokenizer))
    work = Work()
    kept = compact(messages, strategy, tokenizer=tokenizer)
    lazy = work.done.roles_read > 0
    expected = kept_by_an_index(messages, strategy, tokenizer)
    assert named(messages, kept) == named(messages, expected)
    return lazy


HALF = settings(max_examples=max(10, settings().max_examples // 2))
TOKENIZERS: st.SearchStrategy[TokenizerLike] = st.sampled_from([len, uneven, "o200k_base", None])


@HALF
@given(tokenizer=TOKENIZERS, recipe=RECIPES, spec=STARTS_WITH_THE_OLDEST)
def test_promise_9_for_strategies_that_start_with_the_oldest(
    tokenizer: TokenizerLike, recipe: Recipe, spec: Spec
) -> None:
    lazy = assert_reading_less_changes_nothing(recipe.messages(), spec, tokenizer)
    event(f"roles read: {lazy}")


@HALF
@given(tokenizer=TOKENIZERS, recipe=RECIPES, spec=STRATEGIES)
def test_promise_9_for_all_strategies(tokenizer: TokenizerLike, recipe: Recipe, spec: Spec) -> None:
    lazy = assert_reading_less_changes_nothing(recipe.messages(), spec, tokenizer)
    event(f"roles read: {lazy}")

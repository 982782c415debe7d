"""Reported faults, each a test named after its id, and the kind of fault it stands for."""

import copy
import math

import pytest

import chatfold
from chatfold import (
    CharacterEstimatorTokenizer,
    ContextWindowCompactionStrategy,
    MessageError,
    MessageIndex,
    OptionError,
    OptionTypeError,
    Overhead,
    SelectiveToolCallCompactionStrategy,
    SlidingWindowStrategy,
    Strategy,
    TokenBudgetComposedStrategy,
    ToolResultCompactionStrategy,
    TruncationStrategy,
    UnknownTokenizerError,
    compact,
    triggers,
)
from chatfold.tokenizers import EncodingTokenizer, resolve
from reported_faults import Message, case, kinds, pairs_are_closed


def truncated(name: str, max_n: int) -> list[Message]:
    messages = case(name)
    before = copy.deepcopy(messages)
    small = compact(messages, TruncationStrategy(max_n=max_n))
    assert messages == before
    return small


def every_strategy() -> list[Strategy]:
    return [
        TruncationStrategy(max_n=3),
        SlidingWindowStrategy(keep_last_groups=2),
        SlidingWindowStrategy(keep_last_turns=1),
        SelectiveToolCallCompactionStrategy(keep_last_tool_call_groups=0),
        ToolResultCompactionStrategy(keep_last_tool_call_groups=0),
        TokenBudgetComposedStrategy(token_budget=1),
        ContextWindowCompactionStrategy(max_context_window_tokens=2, max_output_tokens=0),
    ]


def test_c01_a_cut_leaves_no_result_without_its_call() -> None:
    small = truncated("C01", 3)
    assert pairs_are_closed(small)
    assert small[0]["role"] == "system"


def test_c03_parallel_calls_stay_with_all_their_results() -> None:
    messages = case("C03")
    index = MessageIndex(messages)
    assert 11 in [group.message_count for group in index.groups]
    for max_n in range(1, len(messages)):
        assert pairs_are_closed(compact(messages, TruncationStrategy(max_n=max_n)))


def test_c05_an_orphan_is_a_group_of_its_own_and_no_anchor() -> None:
    index = MessageIndex(case("C05"))
    stray = index.group_of(2)
    assert (stray.kind, stray.positions) == ("tool_call", (2,))
    index.compact(SlidingWindowStrategy(keep_last_groups=3))
    assert stray.excluded
    assert kinds(index.included_messages()) == ["user", "assistant", "user"]


def test_c06_the_same_id_in_two_turns_makes_two_groups() -> None:
    index = MessageIndex(case("C06"))
    groups = [group for group in index.groups if group.kind == "tool_call"]
    assert [group.message_count for group in groups] == [2, 2]
    index.exclude(groups[0], reason="test")
    assert not groups[1].excluded
    assert pairs_are_closed(index.included_messages())


def test_c08_parallel_calls_in_separate_messages_move_together() -> None:
    index = MessageIndex(case("C08"))
    assert not any(group.pending for group in index.groups)
    owners = {index.group_of(at).positions for at in range(1, 5)}
    assert owners == {(1, 2, 3, 4)}


def test_c09_a_late_result_finds_its_call_again() -> None:
    messages = case("C09")
    index = MessageIndex(messages)
    index.compact(SlidingWindowStrategy(keep_last_groups=1))
    assert index.group_of(1).excluded
    index.append({"role": "tool", "tool_call_id": "c1", "content": "approved"})
    assert index.group_of(1).positions == (1, len(messages))
    assert not index.group_of(1).excluded


def test_c10_an_abandoned_call_does_not_stop_compaction() -> None:
    small = truncated("C10", 6)
    assert len(small) == 6
    assert pairs_are_closed(small)


def test_c12_a_partly_answered_group_is_one_unit() -> None:
    index = MessageIndex(case("C12"))
    group = index.group_of(1)
    assert group.positions == (1, 2)
    assert not group.pending
    assert index.group_of(3).kind == "user"


def test_c20_incremental_grouping_equals_grouping_at_once() -> None:
    messages = case("C20")
    messages[4]["message_id"] = "msg_0"
    index = MessageIndex(messages[:4])
    index.extend(messages[4:])
    at_once = MessageIndex(messages)
    assert [group.positions for group in index.groups] == [g.positions for g in at_once.groups]
    assert len(set(index.groups)) == len(index.groups)


def test_c21_only_old_tool_calls_become_a_digest_in_their_place() -> None:
    messages = case("C21")
    strategy = ToolResultCompactionStrategy(keep_last_tool_call_groups=2)
    # A digest of so short a result would be longer than the call and the result.
    assert compact(messages, strategy) == messages
    messages[2]["content"] = "cloudy 12, wind from the west"
    messages[1]["tool_calls"][0]["function"]["arguments"] = '{"city": "Oslo", "unit": "C"}'
    small = compact(messages, strategy)
    digest = "[Tool results: weather: cloudy 12, wind from the west]"
    assert small[0] is messages[0]
    assert small[1] == {"role": "assistant", "content": digest}
    assert small[2:] == messages[3:]


def test_c25_the_list_that_comes_back_is_a_new_one() -> None:
    messages = case("C25")
    before = copy.deepcopy(messages)
    for max_n in (60, 10_000):
        strategy = TruncationStrategy(max_n=max_n, tokenizer=CharacterEstimatorTokenizer())
        small = compact(messages, strategy)
        assert small is not messages
        assert messages == before


@pytest.mark.parametrize("name", ["C27", "C28", "C31"])
def test_a_budget_below_the_floor_is_missed_and_nothing_is_emptied(name: str) -> None:
    calls = []

    def constant(text: str) -> int:
        calls.append(text)
        return 1000

    messages = case(name)
    tokenizer = constant if name == "C31" else CharacterEstimatorTokenizer()
    index = MessageIndex(messages, tokenizer=tokenizer)
    report = index.compact(TokenBudgetComposedStrategy(token_budget=100))
    small = index.included_messages()
    assert not report.target_met
    assert small[0]["role"] == "system"
    assert small[-1] is messages[-1]
    assert [message for message in messages if message["role"] == "user"][-1] in small
    assert pairs_are_closed(small)
    assert len(calls) <= 2 * len(index.groups)


def test_c29_the_first_user_message_stays_on_request_and_the_last_always() -> None:
    messages = case("C29")
    first = compact(messages, TruncationStrategy(max_n=10, preserve_first_user_group=True))
    assert messages[1] in first
    assert pairs_are_closed(first)
    last = [message for message in messages if message["role"] == "user"][-1]
    assert last in compact(messages, TruncationStrategy(max_n=10))


def test_c33_below_its_trigger_every_strategy_changes_nothing() -> None:
    messages = case("C33")
    for strategy in (
        TruncationStrategy(max_n=1000),
        TruncationStrategy(max_n=100_000, tokenizer="o200k_base"),
        SlidingWindowStrategy(keep_last_turns=100),
        SlidingWindowStrategy(keep_last_groups=100),
        TokenBudgetComposedStrategy(token_budget=100_000),
        ContextWindowCompactionStrategy(max_context_window_tokens=10**6, max_output_tokens=10),
        ToolResultCompactionStrategy(trigger=triggers.tokens_exceed(10**6)),
        SelectiveToolCallCompactionStrategy(trigger=triggers.messages_exceed(1000)),
    ):
        report = MessageIndex(messages).compact(strategy)
        assert not report.changed
        assert str(report).startswith("unchanged")
        assert compact(messages, strategy) == messages


@pytest.mark.parametrize("strategy", every_strategy(), ids=lambda strategy: strategy.name)
def test_c34_system_messages_stay_in_front_and_in_order(strategy: Strategy) -> None:
    small = compact(case("C34"), strategy)
    assert kinds(small)[:2] == ["system", "developer"]
    only = [{"role": "system", "content": str(number)} for number in range(4)]
    assert compact(only, strategy) == only


def test_c35_a_window_inside_one_long_turn_keeps_the_task_and_whole_groups() -> None:
    messages = case("C35")
    small = compact(messages, SlidingWindowStrategy(keep_last_groups=3))
    assert small[0] is messages[0]
    assert pairs_are_closed(small)
    assert len(small) < len(messages)


@pytest.mark.parametrize(
    ("make", "error", "named"),
    [
        (lambda: TruncationStrategy(max_n=0), OptionError, "max_n is 0"),
        (lambda: TruncationStrategy(max_n=-1), OptionError, "max_n is -1"),
        (lambda: SlidingWindowStrategy(keep_last_turns=-1), OptionError, "keep_last_turns is -1"),
        (lambda: TruncationStrategy(max_n=100, compact_to=200), OptionError, "compact_to is 200"),
        (
            lambda: ContextWindowCompactionStrategy(
                max_context_window_tokens=9, max_output_tokens=1, truncation_threshold=1.5
            ),
            OptionError,
            "truncation_threshold is 1.5",
        ),
        (
            lambda: ContextWindowCompactionStrategy(
                max_context_window_tokens=9, max_output_tokens=1, tool_eviction_threshold=0.0
            ),
            OptionError,
            "tool_eviction_threshold is 0.0",
        ),
        (lambda: TruncationStrategy(max_n="100"), OptionTypeError, "max_n is '100'"),  # type: ignore[arg-type]  # wrong on purpose
        (lambda: TruncationStrategy(max_n=True), OptionTypeError, "max_n is True"),
        (lambda: TruncationStrategy(trigger=triggers.never, target=3), OptionTypeError, "target"),  # type: ignore[arg-type]  # wrong on purpose
    ],
)
def test_c40_a_wrong_option_is_refused_where_it_is_given(
    make: object, error: type[Exception], named: str
) -> None:
    assert callable(make)
    with pytest.raises(error, match=named):
        make()
    assert issubclass(error, ValueError | TypeError)


def test_c40_nothing_in_gives_nothing_out() -> None:
    assert compact([], TruncationStrategy(max_n=1)) == []


def test_c42_a_limit_of_bytes_works_by_itself() -> None:
    messages = [{"role": "user", "content": "é" * 100} for _ in range(10)]
    strategy = TruncationStrategy(trigger=triggers.bytes_exceed(700), minimum_preserved=1)
    index = MessageIndex(messages)
    index.compact(strategy)
    assert index.included_byte_count == 600
    pictures = MessageIndex(case("C42"))
    assert pictures.included_byte_count < 1000


def test_c43_a_digest_frees_what_it_promises() -> None:
    messages = case("C43")
    index = MessageIndex(messages)
    report = index.compact(
        ToolResultCompactionStrategy(keep_last_tool_call_groups=0, max_chars=216)
    )
    digests = [message for message in index.included_messages() if message not in messages]
    assert all(len(message["content"]) <= 216 for message in digests)
    assert report.steps[0].tokens_freed > report.before.tokens // 2


def test_c54_an_image_costs_the_same_however_it_is_spelled_and_however_large() -> None:
    counts = [group.token_count for group in MessageIndex(case("C54")).groups]
    assert len(set(counts)) == 1
    assert counts[0] == Overhead().image + math.ceil(len("see picture") / 4)
    small = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}
    assert MessageIndex([small], overhead=Overhead(image=7)).included_token_count == 7


def test_c56_unknown_parts_are_counted_and_never_raise() -> None:
    *messages, number = case("C56")
    groups = MessageIndex(messages).groups
    assert all(group.token_count > 0 for group in groups[:3])
    assert groups[3].token_count == 0
    with pytest.raises(MessageError, match="message 4 can't be read: its content is 7"):
        MessageIndex([*messages, number])


@pytest.mark.parametrize("strategy", every_strategy(), ids=lambda strategy: strategy.name)
def test_c58_empty_contents_of_all_kinds_are_handled(strategy: Strategy) -> None:
    assert pairs_are_closed(compact(case("C58"), strategy))


def test_c59_the_estimate_fits_cjk_and_emoji_on_request() -> None:
    tokenizer = CharacterEstimatorTokenizer(cjk_aware=True)
    counts = [tokenizer.count_tokens(message["content"]) for message in case("C59")]
    assert all(100 <= count <= 200 for count in counts[:3])
    assert counts[3] == 40
    assert counts[4] >= 80


def test_c61_runs_of_equal_characters_are_counted_exactly() -> None:
    tokenizer = EncodingTokenizer("cl100k_base")
    for message in case("C61"):
        text = message["content"]
        assert tokenizer.count_tokens(text) == len(tokenizer.encode(text)) > 0


def test_c62_text_that_spells_a_special_token_is_text() -> None:
    for name in chatfold.tokenizers.ENCODINGS:
        for message in case("C62"):
            assert EncodingTokenizer(name).count_tokens(message["content"]) > 3


def test_c64_an_unknown_model_is_named_and_a_provider_prefix_is_not_in_the_way() -> None:
    with pytest.raises(UnknownTokenizerError, match=r"no-such-model.*o200k_base, cl100k_base"):
        resolve("no-such-model")
    assert resolve("openai/gpt-4o") == EncodingTokenizer("o200k_base")


def test_c65_a_tokenizer_gets_texts_alone_and_each_of_them_once() -> None:
    seen: list[str] = []

    def recording(text: str) -> int:
        assert isinstance(text, str)
        assert text
        seen.append(text)
        return len(text)

    messages = case("C65")
    compact(messages, TruncationStrategy(max_n=10, tokenizer=recording))
    assert len(seen) == len(set(seen)) <= 2 * len(messages)


def test_c67_what_comes_beside_the_messages_is_counted_as_overhead() -> None:
    messages = case("C67")
    plain = MessageIndex(messages)
    reserved = MessageIndex(messages, overhead=Overhead(per_history=1500))
    assert not triggers.tokens_exceed(1000)(plain)
    assert triggers.tokens_exceed(1000)(reserved)

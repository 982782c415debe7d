"""Grouping and figures are those of the twin, at once and bit by bit."""

from hypothesis import given
from hypothesis import strategies as st

from chatfold import MessageIndex
from conversations import CONVERSATIONS, Conversation
from product import Spec, build_strategy
from reference import History
from states import PART_TOKENS, groups_of, groups_of_twin, included_totals, totals
from strategy_specs import STRATEGIES


@given(CONVERSATIONS)
def test_groups_and_their_figures_are_those_of_the_twin(messages: Conversation) -> None:
    index = MessageIndex(messages, tokenizer=len)
    assert groups_of(index) == groups_of_twin(History(messages, len, PART_TOKENS))


@given(CONVERSATIONS)
def test_totals_are_those_of_the_twin(messages: Conversation) -> None:
    index = MessageIndex(messages, tokenizer=len)
    history = History(messages, len, PART_TOKENS)
    assert totals(index) == history.totals()
    assert included_totals(index) == history.included_totals()


@given(CONVERSATIONS)
def test_appending_one_by_one_groups_like_reading_all_at_once(messages: Conversation) -> None:
    index = MessageIndex(tokenizer=len)
    for message in messages:
        index.append(message)
    assert groups_of(index) == groups_of(MessageIndex(messages, tokenizer=len))


@given(CONVERSATIONS, st.lists(st.integers(0, 30), max_size=3))
def test_reading_in_chunks_groups_like_reading_all_at_once(
    messages: Conversation, cuts: list[int]
) -> None:
    index = MessageIndex(tokenizer=len)
    ends = [*sorted(cuts), len(messages)]
    for start, end in zip([0, *ends], ends, strict=False):
        index.extend(messages[start:end])
    assert groups_of(index) == groups_of(MessageIndex(messages, tokenizer=len))


@given(CONVERSATIONS, STRATEGIES, st.integers(0, 30))
def test_compacting_in_between_leaves_grouping_as_it_would_be(
    messages: Conversation, spec: Spec, cut: int
) -> None:
    index = MessageIndex(messages[:cut], tokenizer=len)
    index.compact(build_strategy(spec, len))
    index.extend(messages[cut:])
    own = [(group.kind, group.positions, group.turn) for group in index.groups if group.positions]
    at_once = MessageIndex(messages, tokenizer=len)
    assert own == [(group.kind, group.positions, group.turn) for group in at_once.groups]

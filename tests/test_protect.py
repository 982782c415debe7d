"""Groups that the caller protects survive every strategy, until they are protected no longer."""

import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatfold import MessageIndex, SummarizationStrategy, TruncationStrategy
from chatfold.errors import StateError
from conversations import CONVERSATIONS, Conversation
from product import Spec, build_strategy
from strategy_specs import STRATEGIES
from summarization.stubs import Stub, run, tool_round, turns, user

PIN = user("PIN: use metric units")
HISTORY = [PIN, *turns(5), *tool_round(0, "data " * 50), *turns(5, first=5)]


def pinned(*positions: int) -> MessageIndex:
    index = MessageIndex(HISTORY)
    for position in positions:
        assert index.protect(index.groups[position])
    return index


def test_a_protected_group_says_so() -> None:
    index = pinned(0)
    group = index.groups[0]
    assert group.protected
    assert not index.groups[1].protected
    assert not index.protect(group)
    assert index.unprotect(group)
    assert (group.protected, index.unprotect(group)) == (False, False)


def test_truncation_passes_it_by() -> None:
    index = pinned(0, 11)
    index.compact(TruncationStrategy(max_n=5))
    kept = index.included_messages()
    assert kept[:3] == [PIN, *tool_round(0, "data " * 50)]
    assert len(kept) == 5
    index.unprotect(index.groups[0])
    index.extend(turns(5))
    index.compact(TruncationStrategy(max_n=5))
    assert PIN not in index.included_messages()


def test_c86_it_is_kept_word_for_word_across_saved_states() -> None:
    index, strategy = pinned(0), SummarizationStrategy(client=Stub())
    for number in range(3):
        assert run(index.acompact(strategy)).changed
        kept = index.included_messages()
        assert kept[0] is PIN
        assert [message["content"] for message in kept].count(PIN["content"]) == 1
        index = MessageIndex.from_state(index.to_state(), index.messages)
        assert index.groups[0].protected
        index.extend(turns(5, first=20 + number))
    assert pickle.loads(pickle.dumps(index)).groups[0].protected  # noqa: S301 (our own)


def test_it_stays_so_where_the_list_is_changed_after_it() -> None:
    index = pinned(0, 11)
    index.sync([*HISTORY[:5], *turns(3)])
    assert [group.protected for group in index.groups][:2] == [True, False]
    assert sum(group.protected for group in index.groups) == 1


def test_a_result_that_comes_late_is_protected_with_its_call() -> None:
    call, result = tool_round(0, "late")
    index = MessageIndex([user("go"), call, *turns(3)])
    index.protect(index.groups[1])
    index.append(result)
    index.extend(turns(3))
    index.compact(TruncationStrategy(max_n=1))
    assert [call, result] == [m for m in index.included_messages() if m in (call, result)]


def test_one_of_two_that_are_tied_together_protects_both() -> None:
    (call, result), other = tool_round(0, "one"), tool_round(1, "two")[1]
    index = MessageIndex([call, user("go"), other, *turns(2)])
    index.protect(index.groups[2])
    index.extend([tool_round(1, "")[0], result, tool_round(1, "again")[1], *turns(2)])
    index.compact(TruncationStrategy(max_n=1))
    assert other in index.included_messages()


def test_promise_10_what_a_failed_run_protected_is_undone() -> None:
    index = MessageIndex(HISTORY)

    def fails(index: MessageIndex) -> bool:
        index.protect(index.groups[0])
        raise RuntimeError("boom")

    with pytest.raises(RuntimeError, match="boom"):
        index.compact(fails)
    assert not index.groups[0].protected


def test_a_stand_in_can_not_be_protected() -> None:
    index = MessageIndex(HISTORY)
    stand_in = index.replace(index.groups[1:4], "[Summary]", reason="mine")
    assert stand_in is not None
    with pytest.raises(ValueError, match="protect the groups of the list"):
        index.protect(stand_in)


@pytest.mark.parametrize("protected", [None, [99], ["0"], [-1], 0])
def test_a_damaged_state_is_refused(protected: Any) -> None:  # noqa: ANN401
    state = {**pinned(0).to_state(), "protected": protected}
    with pytest.raises(StateError, match="the state is damaged"):
        MessageIndex.from_state(state, HISTORY)


@given(messages=CONVERSATIONS, spec=STRATEGIES, data=st.data())
def test_promise_3_protected_groups_survive_every_strategy(
    messages: Conversation, spec: Spec, data: st.DataObject
) -> None:
    index = MessageIndex(messages)
    chosen = [group for group in index.groups if data.draw(st.booleans())]
    for group in chosen:
        index.protect(group)
    index.compact(build_strategy(spec, len))
    assert [group for group in chosen if group.excluded] == []

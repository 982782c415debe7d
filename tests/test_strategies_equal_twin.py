"""Every strategy keeps, excludes and counts what the twin does (promise 9: laziness)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatfold import MessageIndex
from chatfold.tokenizers import TokenizerLike, resolve
from conversations import CONVERSATIONS, Conversation
from product import Spec, build_strategy
from reference import History, run
from states import PART_TOKENS, groups_of, groups_of_twin, included_totals
from strategy_specs import STRATEGIES


def uneven(text: str) -> int:
    """Count in a way that no bound on tokens a byte foretells."""
    return sum(map(ord, text)) % 37


@pytest.mark.parametrize("tokenizer", [len, uneven, "o200k_base", None], ids=str)
@given(messages=CONVERSATIONS, spec=STRATEGIES)
def test_promise_9_decisions_are_those_of_counting_everything(
    tokenizer: TokenizerLike, messages: Conversation, spec: Spec
) -> None:
    history = History(messages, resolve(tokenizer).count_tokens, PART_TOKENS)
    run(history, spec)
    index = MessageIndex(messages, tokenizer=tokenizer)
    index.compact(build_strategy(spec, resolve(tokenizer)))
    assert index.included_messages() == history.projection()
    assert groups_of(index) == groups_of_twin(history)
    assert included_totals(index) == history.included_totals()


@given(
    messages=CONVERSATIONS,
    specs=st.lists(STRATEGIES, min_size=2, max_size=3),
    look=st.booleans(),
)
def test_runs_after_runs_of_one_index_are_those_of_the_twin(
    messages: Conversation, specs: list[Spec], *, look: bool
) -> None:
    history = History(messages, len, PART_TOKENS)
    index = MessageIndex(messages, tokenizer=len)
    for spec in specs:
        run(history, spec)
        index.compact(build_strategy(spec, len))
        if look:
            assert included_totals(index) == history.included_totals()
    assert groups_of(index) == groups_of_twin(history)

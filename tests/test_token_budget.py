"""A budget that is left with room: below it nothing happens, over it the history is cut well below."""

from hypothesis import given
from hypothesis import strategies as st

from chatfold import MessageIndex, TokenBudgetComposedStrategy, ToolResultCompactionStrategy
from recount import rounds
from talk import talk


def test_a_history_between_the_two_numbers_is_left_alone() -> None:
    index = MessageIndex(talk(20), tokenizer=len)
    whole = index.included_token_count
    strategy = TokenBudgetComposedStrategy(token_budget=whole, compact_to=whole // 2)
    report = index.compact(strategy)
    assert (report.changed, report.target_met) == (False, True)
    index.append({"role": "user", "content": "x"})
    assert index.compact(strategy).target_met
    assert index.included_token_count <= whole // 2


def test_a_goal_that_the_floor_exceeds_is_told_as_missed_and_a_budget_above_it_is_not() -> None:
    messages = talk(20)
    whole = MessageIndex(messages, tokenizer=len).total_token_count
    index = MessageIndex(messages, tokenizer=len)
    strategy = TokenBudgetComposedStrategy(token_budget=whole - 1, compact_to=1)
    assert not index.compact(strategy).target_met
    # The floor is within the budget.
    again = index.compact(strategy)
    assert (again.changed, again.target_met) == (False, True)


def test_the_steps_go_on_to_the_goal() -> None:
    index = MessageIndex(rounds(12), tokenizer=len)
    whole = index.included_token_count
    gentle = ToolResultCompactionStrategy(keep_last_tool_call_groups=1, max_chars=64)
    lazy = MessageIndex(rounds(12), tokenizer=len).compact(
        TokenBudgetComposedStrategy(token_budget=whole - 200, strategies=[gentle])
    )
    eager = index.compact(
        TokenBudgetComposedStrategy(token_budget=whole - 200, compact_to=200, strategies=[gentle])
    )
    assert [step.strategy for step in lazy.steps] == ["ToolResultCompactionStrategy"]
    assert [step.strategy for step in eager.steps] == [
        "ToolResultCompactionStrategy",
        "TokenBudgetComposedStrategy",
    ]
    assert index.included_token_count <= 200 < lazy.after.tokens


@given(st.integers(40, 120), st.integers(1, 100))
def test_a_conversation_that_grows_is_cut_less_often_with_room(turns: int, share: int) -> None:
    budget = 300
    cuts = []
    for goal in (budget, max(60, budget * share // 100)):
        index = MessageIndex(tokenizer=len)
        strategy = TokenBudgetComposedStrategy(token_budget=budget, compact_to=goal)
        changed = 0
        for message in talk(turns):
            index.append(message)
            changed += index.compact(strategy).changed
            assert index.included_token_count <= budget
        cuts.append(changed)
    assert cuts[1] <= cuts[0]

"""Lists that go back, in random lives: the promises hold, and the index is what the twin says."""

import asyncio
import copy
from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from chatfold import MessageGroup, MessageIndex, SummarizationStrategy
from conversations import CONVERSATIONS, VALID_CONVERSATIONS, Conversation
from product import Spec, build_strategy
from recount import assert_figures_are_right
from reference import History, answered, changed, group_messages, run
from states import PART_TOKENS, groups_of, groups_of_twin, included_totals, totals
from strategy_specs import STRATEGIES
from validity import faults


async def summarize(messages: list[dict[str, Any]]) -> str:
    return f"told of {len(messages)}"


SUMMARIZATION = SummarizationStrategy(client=summarize, target_count=4, threshold=2)


def floor_of(messages: Conversation) -> set[int]:
    groups = group_messages(messages)
    floor = [group for group in groups if group.pending]
    floor += [group for group in groups if group.kind != "system"][-1:]
    floor += users_of(groups)[-1:]
    return {at for group in floor for at in group.positions}


def users_of(groups: list[Any]) -> list[Any]:
    """Give the groups of the user; none where the newest may have been written by compaction."""
    said = [group for group in groups if group.messages[0]["role"] == "user"]
    return said if said and said[-1].kind == "user" else []


def included_positions(index: MessageIndex) -> set[int]:
    return {at for group in index.included_groups for at in group.positions}


class Step:
    """Something that happens to a conversation; numbers are shares of a thousand."""

    def __init__(self, kind: str, at: int, length: int, spec: Spec, more: Conversation) -> None:
        self.kind, self.at, self.length, self.spec, self.more = kind, at, length, spec, more

    def place(self, length: int) -> int:
        return self.at * (length + 1) // 1000

    def group_of(self, index: MessageIndex) -> MessageGroup | None:
        groups = list(index.groups)
        return groups[self.at * len(groups) // 1000] if groups else None

    def some(self, groups: list[Any]) -> list[Any]:
        start = self.at * len(groups) // 1000
        return groups[start : start + 1 + self.length]

    def __repr__(self) -> str:
        return f"Step({self.kind!r}, {self.at}, {self.length}, {self.spec!r}, {self.more!r})"


def steps(kinds: list[str]) -> st.SearchStrategy[list[Step]]:
    step = st.builds(
        Step,
        st.sampled_from(kinds),
        st.integers(0, 999),
        st.integers(0, 5),
        STRATEGIES,
        st.lists(st.one_of(VALID_CONVERSATIONS), max_size=1).map(
            lambda found: [message for each in found for message in each[:6]]
        ),
    )
    return st.lists(step, min_size=2, max_size=7)


def spec_keeps_floor(spec: Spec) -> bool:
    return all(
        spec.get(name) is not False for name in ("preserve_last_user_group", "preserve_system")
    ) and all(map(spec_keeps_floor, spec.get("strategies", [])))


KINDS = ["compact", "compact", "fork", "fork", "grow", "summarize", "exclude"]


def lists_of(messages: Conversation, each: list[Step]) -> Iterator[tuple[Step, Conversation]]:
    for step in each:
        if step.kind == "fork":
            messages = copy.deepcopy(messages[: step.place(len(messages))]) + step.more
        elif step.kind == "grow":
            messages = messages + step.more
        yield step, messages


@given(CONVERSATIONS, steps(KINDS))
def test_promise_8_what_stays_where_a_list_goes_back_is_what_the_twin_says(
    messages: Conversation, life: list[Step]
) -> None:
    index, history = MessageIndex(messages, tokenizer=len), History(messages, len, PART_TOKENS)
    for step, now in lists_of(messages, life):
        match step.kind:
            case "compact":
                index.compact(build_strategy(step.spec, len))
                run(history, step.spec)
            case "summarize":
                compact_both(index, history, step)
            case "exclude":
                group = step.some(included(index))[:1]
                for mine, twin in zip(group, twins_of(history, group), strict=True):
                    index.exclude(mine, reason="mine")
                    history.exclude(twin, "mine", by_caller=True)
            case _:
                known = index.sync(now)
                after = changed(history, now, known)
                if after is None:
                    return
                history = after
        states = [str(each) for each in groups_of(index)]
        assert sorted(states) == sorted(map(str, groups_of_twin(history)))
        assert index.included_messages() == history.projection()
        assert included_totals(index) == history.included_totals()


def included(index: MessageIndex) -> list[MessageGroup]:
    groups = [group for group in index.groups if not group.excluded]
    return [group for group in groups if group.kind != "system" and not group.pending]


def twins_of(history: History, groups: list[MessageGroup]) -> list[Any]:
    def name(group: Any) -> tuple[Any, ...]:  # noqa: ANN401 (a group of either)
        inner = group.summarizes if isinstance(group, MessageGroup) else group.stands_for
        return tuple(group.positions), tuple(map(name, inner))

    by_name = {name(group): group for group in history.groups}
    return [by_name[name(group)] for group in groups]


def compact_both(index: MessageIndex, history: History, step: Step) -> None:
    """Write a summary of some groups, by a strategy or by the caller."""
    groups = step.some(included(index))
    twins = twins_of(history, groups)
    text = f"[Summary] {step.at}"
    by_caller = step.length % 2 == 0
    if not groups:
        return
    made = []

    def write(index: MessageIndex) -> bool:
        made.append(index.replace(groups, text, reason="summarized"))
        return True

    at = 0 if by_caller else answered(history)
    if by_caller:
        write(index)
    else:
        index.compact(write)
    if made[0] is not None:
        history.replace_all(twins, text, "summarized", made_at=at, written=True)


@given(VALID_CONVERSATIONS, steps([*KINDS, "restore", "protect", "unprotect", "save"]))
def test_promise_3_the_floor_is_there_wherever_the_list_goes_back_to(
    messages: Conversation, life: list[Step]
) -> None:
    """And promises 1 and 10: pairs, and figures that are right."""
    index = MessageIndex(messages, tokenizer=len)
    for step, now in lists_of(messages, life):
        group = step.group_of(index)
        match step.kind:
            case "compact" if spec_keeps_floor(step.spec):
                index.compact(build_strategy(step.spec, len))
            case "summarize":
                asyncio.run(index.acompact(SUMMARIZATION))
            case "restore" if group:
                index.restore(group)
            case "protect" if group and group.positions:
                index.protect(group)
            case "unprotect" if group and group.positions:
                index.unprotect(group)
            case "save":
                index = MessageIndex.from_state(index.to_state(), index.messages, tokenizer=len)
            case "fork" | "grow":
                index.sync(now)
            case _:
                pass
        assert floor_of(now) <= included_positions(index)
        assert bool(index.included_messages()) == bool(now)
        if not faults(now):
            assert faults(index.included_messages()) == []
        assert_figures_are_right(index)
        fresh = MessageIndex(now, tokenizer=len)
        assert index.total_turn_count == fresh.total_turn_count
        assert totals(index).messages >= totals(fresh).messages

"""The caller changes the index while a summary is written, or one that is prepared waits."""

import asyncio
from collections.abc import Callable
from typing import TypeAlias

import pytest

from chatfold import (
    MessageGroup,
    MessageIndex,
    ObservationMaskingStrategy,
    PipelineCompactionStrategy,
    SummarizationStrategy,
    SummaryOutdatedError,
    ToolResultCompactionStrategy,
    TruncationStrategy,
    triggers,
)
from summarization.stubs import Held, Message, Option, Stub, run, system, tool_round, turns, user

Change: TypeAlias = Callable[[MessageIndex], object]

ROUNDS = [message for n in range(3) for message in tool_round(n, "data " * 90)]
HISTORY: list[Message] = [user("go " * 40), *ROUNDS, *turns(5)]


def covered(index: MessageIndex) -> MessageGroup:
    return index.groups[1]


def protect(index: MessageIndex) -> object:
    return index.protect(covered(index))


def exclude(index: MessageIndex) -> object:
    return index.exclude(covered(index), reason="mine")


def replace(index: MessageIndex) -> object:
    return index.replace([covered(index)], "[Summary] mine", reason="mine")


def join(index: MessageIndex) -> None:
    index.append({"role": "tool", "tool_call_id": "c0", "content": "once more"})


def fork(index: MessageIndex) -> object:
    return index.sync([HISTORY[0], user("Something else."), *HISTORY[2:]])


def rewind(index: MessageIndex) -> object:
    return index.sync(HISTORY[:4])


def leave_none_but_what_is_covered(index: MessageIndex) -> None:
    for group in index.included_groups[4:]:
        index.exclude(group, reason="mine")


def leave_no_user_but_what_is_covered(index: MessageIndex) -> None:
    for group in index.included_groups[4:]:
        if group.kind == "user":
            index.exclude(group, reason="mine")


CHANGES = [
    protect,
    exclude,
    replace,
    join,
    fork,
    rewind,
    leave_none_but_what_is_covered,
    leave_no_user_but_what_is_covered,
]


def shorten(index: MessageIndex) -> object:
    pruning = ObservationMaskingStrategy(token_budget=1, min_chars=64)
    return index.compact(pruning)


def digest(index: MessageIndex) -> object:
    return index.compact(ToolResultCompactionStrategy(max_chars=100))


def truncate(index: MessageIndex) -> object:
    return index.compact(TruncationStrategy(max_n=13))


def held(client: Held, **options: Option) -> SummarizationStrategy:
    return SummarizationStrategy(client=client, target_count=4, threshold=2, **options)


async def changed_while_it_is_written(
    index: MessageIndex, change: Change, **options: Option
) -> list[str]:
    client = Held()
    task = asyncio.ensure_future(index.acompact(held(client, **options)))
    await client.asked.wait()
    change(index)
    changed = index.included_messages()
    client.free.set()
    report = await task
    if not report.changed:
        assert index.included_messages() == changed
    return [summary.outcome for summary in report.summaries]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("on_failure", ["keep", "digest"])
def test_a_change_to_what_is_covered_makes_it_be_refused(
    change: Change, on_failure: Option
) -> None:
    index = MessageIndex(HISTORY)
    outcomes = run(changed_while_it_is_written(index, change, on_failure=on_failure))
    assert outcomes == ["outdated"]


@pytest.mark.parametrize("change", [*CHANGES, shorten, digest, truncate])
def test_one_that_was_prepared_is_refused_too(change: Change) -> None:
    async def main() -> None:
        stub, index = Stub(lambda call: f"Number {call}."), MessageIndex(HISTORY)
        strategy = SummarizationStrategy(
            client=stub,
            trigger=triggers.messages_exceed(20),
            start_summary=triggers.messages_exceed(4),
        )
        assert [each.outcome for each in (await index.acompact(strategy)).summaries] == [
            "preparing"
        ]
        await asyncio.sleep(0.01)
        change(index)
        index.extend(turns(12, first=9))
        report = await index.acompact(strategy)
        assert [summary.outcome for summary in report.summaries] == ["outdated", "written"]
        assert len(stub.seen) == 2

    run(main())


def restore_what_was_excluded(index: MessageIndex) -> None:
    group = next(group for group in index.groups if group.exclude_reason == "before")
    assert index.restore(group)


def protect_what_stays(index: MessageIndex) -> object:
    return index.protect(index.included_groups[-2])


def exclude_and_restore(index: MessageIndex) -> None:
    index.exclude(covered(index), reason="mine")
    index.restore(covered(index))


@pytest.mark.parametrize(
    "change", [restore_what_was_excluded, protect_what_stays, exclude_and_restore]
)
def test_a_change_elsewhere_and_one_that_is_taken_back_disturb_nothing(change: Change) -> None:
    index = MessageIndex(HISTORY)
    index.exclude(index.groups[2], reason="before")
    assert set(run(changed_while_it_is_written(index, change))) == {"written"}
    protected = [group for group in index.groups if group.protected]
    assert not any(group.excluded for group in protected)


def test_restoring_what_an_earlier_summary_stands_for_makes_the_update_be_refused() -> None:
    index = MessageIndex(HISTORY)
    run(index.acompact(SummarizationStrategy(client=Stub())))
    index.extend(turns(4, first=5))

    def restore(index: MessageIndex) -> None:
        assert index.restore(index.groups[0])

    assert run(changed_while_it_is_written(index, restore)) == ["outdated"]
    assert index.included_messages()[: len(HISTORY)] == HISTORY


def test_restoring_what_was_shortened_makes_it_be_refused() -> None:
    index = MessageIndex(HISTORY)
    shorten(index)

    def restore(index: MessageIndex) -> None:
        assert index.restore(covered(index))

    assert run(changed_while_it_is_written(index, restore)) == ["outdated"]


def test_what_was_shortened_before_and_left_alone_is_summarized() -> None:
    index = MessageIndex(HISTORY)
    shorten(index)
    assert run(changed_while_it_is_written(index, lambda _: None)) == ["written"]


def raising(index: MessageIndex, client: Held) -> "asyncio.Future[object]":
    """Begin a run that changes something before it asks."""
    pipeline = PipelineCompactionStrategy(
        ToolResultCompactionStrategy(), held(client, on_failure="raise")
    )
    return asyncio.ensure_future(index.acompact(pipeline))


@pytest.mark.parametrize("ending", ["cancelled", "outdated"])
def test_what_the_caller_changes_meanwhile_outlives_a_run_that_is_undone(ending: str) -> None:
    async def main() -> None:
        client, index = Held(), MessageIndex([system("rules"), *HISTORY])
        index.protect(index.groups[4])
        before = index.included_messages()
        task = raising(index, client)
        await client.asked.wait()
        groups = list(index.groups)
        first, second, third = (group for group in groups if group.positions in ((1,), (8,), (9,)))
        index.protect(first)
        index.exclude(second, reason="mine")
        index.replace([third], "[Summary] mine", reason="mine")
        index.unprotect(index.groups[4])
        index.append(user("meanwhile"))
        if ending == "cancelled":
            task.cancel()
        client.free.set()
        with pytest.raises(
            asyncio.CancelledError if ending == "cancelled" else SummaryOutdatedError
        ):
            await task
        assert (first.protected, second.exclude_reason, third.excluded) == (True, "mine", True)
        assert not index.groups[4].protected
        kept = index.included_messages()
        assert kept == [
            *before[:8],
            {"role": "assistant", "content": "[Summary] mine"},
            *before[10:],
            user("meanwhile"),
        ]
        index.restore(second)
        index.restore(third)
        assert index.included_messages() == [*before, user("meanwhile")]

    run(main())


def test_what_a_strategy_itself_changed_is_undone_with_it() -> None:
    index = MessageIndex(HISTORY)

    async def own(index: MessageIndex) -> bool:
        index.protect(index.groups[0])
        index.exclude(index.groups[1], reason="own")
        await asyncio.sleep(0)
        raise RuntimeError

    before = index.to_state()
    with pytest.raises(RuntimeError):
        run(index.acompact(own))
    assert index.to_state() == before

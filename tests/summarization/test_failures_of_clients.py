"""A summarizer that fails changes nothing, and the report says why."""

import asyncio

import pytest

from chatfold import (
    EmptySummaryError,
    MessageIndex,
    PipelineCompactionStrategy,
    SummarizationStrategy,
    SummaryError,
    SummaryNotSmallerError,
    SummaryResponse,
    SummaryTimeoutError,
    ToolResultCompactionStrategy,
    TruncationStrategy,
)
from summarization.stubs import (
    Client,
    Failing,
    Message,
    Option,
    Stub,
    answering,
    compacted,
    run,
    slow,
    texts,
    tool_round,
    turns,
    user,
)

FAILURES = [
    (Failing(), "failed", RuntimeError),
    (slow, "timed out", SummaryTimeoutError),
    (answering(""), "empty", EmptySummaryError),
    (answering("  \n"), "empty", EmptySummaryError),
    (answering(None), "empty", EmptySummaryError),
    (answering(object()), "empty", EmptySummaryError),
    (answering(SummaryResponse("")), "empty", EmptySummaryError),
    (answering("[Summary]"), "empty", EmptySummaryError),
    (answering(" [Summary]\n"), "empty", EmptySummaryError),
    (answering("[Summ"), "empty", EmptySummaryError),
    (answering("\u200b\u200d\ufeff"), "empty", EmptySummaryError),
    (answering("\u2800 \u3164\ufe0f"), "empty", EmptySummaryError),
    (answering("\x00\U000e0041"), "empty", EmptySummaryError),
    (answering("\ud800\ud800"), "empty", EmptySummaryError),
    (answering("..."), "empty", EmptySummaryError),
    (answering("\U0001f44d\u200d\U0001f680 \u2764\ufe0f"), "empty", EmptySummaryError),
    (answering("[Summary] ---"), "empty", EmptySummaryError),
    (answering("word " * 1_500), "not smaller", SummaryNotSmallerError),
]


@pytest.mark.parametrize(("client", "outcome", "error"), FAILURES)
def test_after_a_failure_all_is_as_it_was(
    client: Client, outcome: str, error: type[Exception]
) -> None:
    history = turns(6)
    index = MessageIndex(history)
    before = index.to_state()
    _, report = compacted(index, client, timeout=0.05)
    assert index.to_state() == before
    assert index.included_messages() == history
    assert not report.changed
    assert [summary.outcome for summary in report.summaries] == [outcome]
    assert isinstance(report.summaries[0].error, error)
    assert not report.summaries[0].target_met
    assert not report.steps[0].target_met
    assert not report.target_met
    assert report.summary_usage.calls == 1
    assert f"summary {outcome} ({type(report.summaries[0].error).__name__}" in str(report)


@pytest.mark.parametrize(("client", "outcome", "error"), FAILURES)
def test_on_demand_the_error_is_raised(
    client: Client, outcome: str, error: type[Exception]
) -> None:
    del outcome
    index = MessageIndex(turns(6))
    before = index.to_state()
    with pytest.raises(error):
        compacted(index, client, timeout=0.05, on_failure="raise")
    assert index.to_state() == before


@pytest.mark.parametrize(("client", "outcome", "error"), FAILURES)
def test_on_demand_a_digest_is_written(
    client: Client, outcome: str, error: type[Exception]
) -> None:
    del outcome
    history = [user("go"), *tool_round(0, "Error: no disk", name="save"), *turns(6)]
    index, report = compacted(history, client, timeout=0.05, on_failure="digest")
    assert texts(index)[0].startswith("[Summary] Counted without a model: 5 user messages, ")
    assert "Error: no disk" in texts(index)[0]
    assert report.summaries[0].outcome == "digest"
    assert isinstance(report.summaries[0].error, error)
    assert report.changed


def test_a_digest_that_is_not_shorter_is_not_applied_either() -> None:
    history = [user("a" * 9), user("b" * 9), user("c" * 9)]
    _, report = compacted(history, Failing(), target_count=1, threshold=0, on_failure="digest")
    assert (report.changed, report.summaries[0].outcome) == (False, "failed")


def test_the_error_of_the_client_reaches_the_caller_unchanged() -> None:
    error = RuntimeError("boom")
    with pytest.raises(RuntimeError) as caught:
        compacted(turns(6), Failing(error), on_failure="raise")
    assert caught.value is error


def test_what_earlier_steps_of_a_run_did_is_undone_where_the_error_is_raised() -> None:
    index = MessageIndex([user("go"), *tool_round(0, "data " * 80), *turns(6)])
    before = index.to_state()
    raising = SummarizationStrategy(client=Failing(), on_failure="raise")
    with pytest.raises(RuntimeError):
        run(index.acompact(PipelineCompactionStrategy(ToolResultCompactionStrategy(), raising)))
    assert index.to_state() == before


def test_later_steps_go_on_where_the_error_is_not_raised() -> None:
    index = MessageIndex(turns(6))
    pipeline = PipelineCompactionStrategy(
        SummarizationStrategy(client=Failing()), TruncationStrategy(max_n=4)
    )
    report = run(index.acompact(pipeline))
    assert index.included_message_count == 4
    assert report.summaries[0].outcome == "failed"


@pytest.mark.parametrize("on_failure", ["keep", "raise", "digest"])
def test_a_cancellation_propagates_and_leaves_all_as_it_was(on_failure: Option) -> None:
    index = MessageIndex(turns(6))
    before = index.to_state()

    async def main() -> None:
        strategy = SummarizationStrategy(client=slow, on_failure=on_failure)
        task = asyncio.ensure_future(index.acompact(strategy))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        # No lock stays held.
        assert (await index.acompact(SummarizationStrategy(client=Stub()))).changed

    state = before
    run(main())
    index.restore(index.groups[0])
    assert index.to_state()["groups"] == state["groups"]


@pytest.mark.parametrize("steps", range(0, 30, 2))
def test_promise_10_a_cancellation_at_any_moment_leaves_all_as_it_was(steps: int) -> None:
    async def fails(messages: list[Message]) -> str:
        del messages
        await asyncio.sleep(0)
        raise RuntimeError

    async def closes(messages: list[Message]) -> str:
        del messages
        try:
            await asyncio.sleep(0)
        finally:
            await asyncio.sleep(0)
        return "The gist."

    async def main() -> None:
        index = MessageIndex([user("go"), *tool_round(0, "data " * 80), *turns(60)])
        limits: Option = {"max_summary_tokens": 60, "max_summary_input_tokens": 1_200}
        summarizing = SummarizationStrategy(client=[fails, closes], **limits)
        pipeline = PipelineCompactionStrategy(ToolResultCompactionStrategy(), summarizing)
        before = index.included_messages()
        task = asyncio.ensure_future(index.acompact(pipeline))
        for _ in range(steps):
            await asyncio.sleep(0)
        assert not task.done()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert index.included_messages() == before
        # No lock stays held.
        assert (await index.acompact(pipeline)).summaries[0].outcome == "written"

    run(main())


def test_a_client_that_cancels_itself_is_a_cancellation() -> None:
    index = MessageIndex(turns(6))
    with pytest.raises(asyncio.CancelledError):
        compacted(index, Failing(asyncio.CancelledError()), on_failure="digest")
    assert index.included_messages() == turns(6)


def test_an_exception_of_the_tokenizer_is_no_failure_of_the_summarizer() -> None:
    def count(text: str) -> int:
        if "chat-history" in text:
            raise ZeroDivisionError
        return len(text)

    index = MessageIndex(turns(6), tokenizer=count)
    with pytest.raises(ZeroDivisionError):
        compacted(index, Stub())
    assert index.included_messages() == turns(6)


def test_an_answer_that_did_not_help_is_not_asked_for_again_until_something_is_new() -> None:
    stub = Stub("word " * 1_500)
    index = MessageIndex(turns(6))
    strategy = SummarizationStrategy(client=stub)
    run(index.acompact(strategy))
    report = run(index.acompact(strategy))
    assert (len(stub.seen), report.summaries[0].outcome) == (1, "nothing to do")
    index.extend(turns(1, first=6))
    run(index.acompact(strategy))
    assert len(stub.seen) == 2


def test_after_an_error_the_next_turn_tries_again() -> None:
    client = Failing()
    index = MessageIndex(turns(6))
    strategy = SummarizationStrategy(client=client)
    run(index.acompact(strategy))
    run(index.acompact(strategy))
    assert client.calls == 2


def test_nobody_is_asked_where_nothing_can_be_gained() -> None:
    stub = Stub()
    history = [user("a"), user("b"), user("c")]
    _, report = compacted(history, stub, target_count=1, threshold=0)
    assert stub.seen == []
    assert report.summaries[0].outcome == "nothing to do"


@pytest.mark.parametrize("error", [EmptySummaryError, SummaryTimeoutError, SummaryNotSmallerError])
def test_errors_about_summaries_have_one_root(error: type[Exception]) -> None:
    assert issubclass(error, SummaryError)

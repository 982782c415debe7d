"""Promise 10 for sessions: after an error or a cancellation a session is as it was."""

import asyncio
from typing import Any

import pytest

from chatfold import (
    CompactionProvider,
    InMemoryHistoryProvider,
    MessageError,
    MessageIndex,
    Session,
    SlidingWindowStrategy,
    SummarizationStrategy,
    TokenizerMismatchError,
    TruncationStrategy,
)
from providers.agent import Agent, loaded, question
from summarization.stubs import (
    Failing,
    Held,
    exclude_one,
    run,
    tool_round,
    turns,
    user,
)


def memory(session: Session) -> dict[str, Any]:
    """What a session stores, and what it remembers of it, without counts, which are a cache."""
    state = session.to_dict()["state"]
    indexes = {source_id: each["index"] for source_id, each in state.items()}
    for index in indexes.values():
        for stand_in in index["stand_ins"]:
            stand_in.pop("tokens")
    return {
        "messages": state["in_memory"]["messages"],
        "excluded": {source_id: index["groups"] for source_id, index in indexes.items()},
        "stand_ins": {source_id: index["stand_ins"] for source_id, index in indexes.items()},
    }


def breaking(index: MessageIndex) -> bool:
    exclude_one(index)
    raise RuntimeError("boom")


async def breaking_later(index: MessageIndex) -> bool:
    exclude_one(index)
    await asyncio.sleep(0)
    raise RuntimeError("boom")


@pytest.mark.parametrize("strategy", [breaking, breaking_later])
def test_promise_10_a_strategy_that_fails_before_the_call_changes_nothing(strategy: Any) -> None:  # noqa: ANN401
    session, good = Session(), SlidingWindowStrategy(keep_last_turns=2)
    run(Agent(InMemoryHistoryProvider(), CompactionProvider(good)).talk(session, 5))
    before = memory(session)
    agent = Agent(InMemoryHistoryProvider(), CompactionProvider(strategy))
    with pytest.raises(RuntimeError, match="boom"):
        run(agent.turn(session, *question(5)))
    assert memory(session) == before
    run(Agent(InMemoryHistoryProvider(), CompactionProvider(good)).talk(session, 1, first=5))
    assert loaded(session) == turns(6)


@pytest.mark.parametrize("strategy", [breaking, breaking_later])
def test_promise_10_a_strategy_that_fails_after_the_run_leaves_what_the_run_stored(
    strategy: Any,  # noqa: ANN401
) -> None:
    session = Session()
    agent = Agent(InMemoryHistoryProvider(), CompactionProvider(None, strategy))
    with pytest.raises(RuntimeError, match="boom"):
        run(agent.turn(session, *question(0)))
    assert loaded(session) == turns(1)
    with pytest.raises(RuntimeError, match="boom"):
        run(agent.turn(session, *question(1)))
    assert loaded(session) == turns(2)


def test_promise_10_a_model_that_fails_stores_nothing() -> None:
    session, strategy = Session(), SlidingWindowStrategy(keep_last_turns=2)
    agent = Agent(InMemoryHistoryProvider(), CompactionProvider(strategy))
    run(agent.talk(session, 5))
    before = memory(session)

    async def failing() -> None:
        async with session.run(agent.providers, [user("go")]) as turn:
            await turn.messages()
            turn.extend(tool_round(1, "found"))
            await turn.messages()
            raise RuntimeError("the model is down")

    for _ in range(2):
        with pytest.raises(RuntimeError, match="the model is down"):
            run(failing())
    kept = memory(session)
    assert kept["messages"] == before["messages"]
    # What a call left out of the history stays so: that is what the model has in its cache.
    assert "found" not in str(kept)
    run(agent.talk(session, 1, first=5))
    assert [message["content"][:10] for message in agent.sent[-1]] == [
        "question 4",
        "answer 4: ",
        "question 5",
    ]


def test_promise_10_a_cancelled_summary_changes_nothing() -> None:
    async def scene() -> None:
        client, session = Held(), Session()
        strategy = SummarizationStrategy(client=client, target_count=2, threshold=1)
        plain = Agent(InMemoryHistoryProvider())
        await plain.talk(session, 5)
        before = memory(session)
        agent = plain
        for compaction in (CompactionProvider(strategy), CompactionProvider(None, strategy)):
            client.asked.clear()
            agent = Agent(InMemoryHistoryProvider(), compaction)
            task = asyncio.create_task(agent.turn(session, *question(5)))
            await client.asked.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            if compaction.before_strategy is not None:
                assert memory(session) == before
        assert loaded(session) == turns(6)
        client.free.set()
        await agent.turn(session, *question(6))
        assert loaded(session)[0]["content"] == "[Summary] The gist."

    run(scene())


def test_a_summary_that_fails_is_in_the_report_and_nothing_is_lost() -> None:
    client, session = Failing(), Session()
    strategy = SummarizationStrategy(client=client, target_count=2, threshold=1)
    agent = Agent(InMemoryHistoryProvider(), CompactionProvider(strategy, strategy))
    run(agent.talk(session, 3))
    assert agent.sent[-1] == turns(3)[:-1]
    assert agent.reports[-1].endswith("summary failed (RuntimeError: boom)")
    assert loaded(session) == turns(3)


def test_a_message_that_cannot_be_read_stores_nothing_and_is_named() -> None:
    session, agent = Session(), Agent(InMemoryHistoryProvider())
    run(agent.talk(session, 1))
    with pytest.raises(MessageError, match="message 0 can't be read: its role is 'bot'"):
        run(agent.turn(session, [user("go")], [[{"role": "bot"}]]))
    assert loaded(session) == turns(1)


def test_a_provider_that_fails_after_the_run_keeps_no_other_from_storing() -> None:
    class Broken:
        source_id = "broken"

        async def before_run(self, run: object) -> None:
            pass

        async def after_run(self, run: object) -> None:
            del run
            raise RuntimeError("boom")

    session = Session()
    other = Broken()
    agent = Agent(other, InMemoryHistoryProvider(), CompactionProvider(None, breaking))
    with pytest.raises(RuntimeError, match="boom") as caught:
        run(agent.turn(session, *question(0)))
    assert caught.value.__notes__ == ["after it, RuntimeError: boom"]
    assert loaded(session) == turns(1)


def test_two_tokenizers_are_refused() -> None:
    strategy = TruncationStrategy(max_n=10, tokenizer="o200k_base")
    with pytest.raises(TokenizerMismatchError, match=r"before_strategy counts with .*o200k_base"):
        CompactionProvider(strategy, tokenizer="cl100k_base")
    with pytest.raises(TokenizerMismatchError, match=r"after_strategy counts with .*o200k_base"):
        CompactionProvider(None, strategy, tokenizer="cl100k_base")


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("before_strategy", 5),
        ("after_strategy", TruncationStrategy),
        ("source_id", None),
        ("history_source_id", 1),
        ("before_hook", "hook"),
        ("after_hook", 1),
    ],
)
def test_a_wrong_option_is_named(option: str, value: object) -> None:
    with pytest.raises(TypeError, match=f"^{option} is "):
        CompactionProvider(**{option: value})  # type: ignore[arg-type]

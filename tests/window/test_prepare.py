"""What is sent, and what is said about it."""

import asyncio
import copy
from typing import Any

import pytest

from chatfold import (
    ContextWindow,
    MessageError,
    OptionError,
    OptionTypeError,
    ToolResultCompactionStrategy,
)
from chatfold.config import ConfigError
from recount import rounds
from summarization.stubs import Failing, Held, Stub, run
from validity import faults

Message = dict[str, Any]
Option = Any


def chat(turns: int, start: int = 0) -> list[Message]:
    """Turns of 100 tokens, as the estimator counts four characters a token."""
    messages = []
    for number in range(start, start + turns):
        messages += [
            {"role": "user", "content": f"Question {number}".ljust(200, ".")},
            {"role": "assistant", "content": f"Answer {number}".ljust(200, ".")},
        ]
    return messages


def window(
    tokens: int = 1_000, client: Option = None, messages: Option = (), **options: Option
) -> ContextWindow:
    options.setdefault("config", {"reserveRatio": 0})
    made = ContextWindow(max_context_tokens=tokens, summarizer=client, **options)
    made.extend(messages)
    return made


def contents(messages: list[Message]) -> list[str]:
    return [message["content"].rstrip(".") for message in messages]


def test_what_fits_is_sent_as_it_is() -> None:
    messages = chat(10)
    made = window(client=Stub(), messages=messages)
    prepared = run(made.prepare())
    assert all(sent is given for sent, given in zip(prepared.messages, messages, strict=True))
    assert (prepared.report.changed, prepared.report.summary) == (False, None)
    assert str(prepared.report) == "20 messages for 1,000 tokens"


def test_an_empty_conversation_is_sent_as_nothing() -> None:
    prepared = run(window(client=Stub()).prepare())
    assert (prepared.messages, prepared.report.target_met) == ([], True)


def test_headroom_instructions_and_tools_are_left_free() -> None:
    tools = [{"type": "function", "function": {"name": "f"}}]
    made = window(config={}, instructions="x" * 400, tools=tools, messages=chat(10), overhead=None)
    prepared = run(made.prepare())
    usage = made.usage
    assert (usage.reserved, usage.instructions, usage.tools) == (50, 100, 11)
    assert prepared.report.budget == 1_000 - 50 - 100 - 11
    assert usage.messages == 800
    assert (usage.tokens, usage.remaining) == (911, 89)


def test_without_a_summarizer_what_does_not_fit_is_dropped() -> None:
    made = window(messages=chat(13))
    prepared = run(made.prepare())
    assert contents(prepared.messages) == contents(chat(10, start=3))
    assert (prepared.report.dropped, prepared.report.target_met) == (6, True)
    assert str(prepared.report) == "20 messages for 1,000 tokens (6 messages dropped)"
    assert len(made.index) == 26


def test_groups_are_dropped_whole() -> None:
    made = window(tokens=150, messages=rounds(9))
    prepared = run(made.prepare())
    assert prepared.report.target_met
    assert faults(prepared.messages) == []


def test_a_summary_takes_the_place_of_what_was_dropped_and_recent_turns_stay() -> None:
    client = Stub("The gist.")
    made = window(client=client, messages=chat(11))
    prepared = run(made.prepare())
    assert contents(prepared.messages) == ["[Summary] The gist", *contents(chat(2, start=9))]
    assert prepared.report.summary is not None
    assert prepared.report.summary.outcome == "written"
    shown = client.shown[0]
    assert all(f"Question {number}." in shown for number in range(9))
    assert "Question 9." not in shown


def test_the_next_summary_updates_the_one_before() -> None:
    client = Stub(lambda call: f"Gist {call}.")
    config = {"reserveRatio": 0, "prompt": "Begin.", "updatePrompt": "Update."}
    made = window(client=client, messages=chat(11), config=config)
    run(made.prepare())
    made.extend(chat(9, start=11))
    prepared = run(made.prepare())
    assert [seen[0]["content"] for seen in client.seen] == ["Begin.", "Update."]
    assert "Gist 1." in client.shown[1]
    assert contents(prepared.messages)[0] == "[Summary] Gist 2"
    assert "Question 9." in client.shown[1]


@pytest.mark.parametrize(
    ("trigger", "first"),
    [
        (None, 11),
        ({"type": "token_ratio", "value": 0.6}, 6),
        ({"type": "remaining_tokens", "value": 300}, 7),
        ({"type": "token_ratio", "value": 1.0}, 10),
        ({"type": "messages_to_refine", "value": 5}, 13),
    ],
)
def test_a_summary_is_written_when_the_trigger_says(trigger: Option, first: int) -> None:
    """With turns of 100 tokens and a window of 1,000."""
    config = {"reserveRatio": 0, "trigger": trigger, "maxSummaryTokens": 20}
    made = window(client=Stub(), config=config)
    for turn in range(1, 20):
        made.extend(chat(1, start=turn - 1))
        if run(made.prepare()).report.summary is not None:
            assert turn == first
            return
    pytest.fail("no summary was written")


def test_what_was_dropped_before_is_in_the_summary_later() -> None:
    client = Stub()
    config = {"reserveRatio": 0, "trigger": {"type": "messages_to_refine", "value": 5}}
    made = window(client=client, config=config)
    for turn in range(13):
        made.extend(chat(1, start=turn))
        run(made.prepare())
    assert len(client.seen) == 1
    assert all(f"Question {number}." in client.shown[0] for number in range(11))


def test_no_summary_is_written_where_that_is_turned_off() -> None:
    client = Stub()
    made = window(client=client, messages=chat(20), config={"enabled": False})
    assert run(made.prepare()).report.target_met
    assert client.seen == []


def test_recent_turns_that_do_not_fit_beside_the_summary_go_into_it() -> None:
    client = Stub("The gist of it all.")
    config = {"reserveRatio": 0, "retainRecent": {"turns": 20}}
    made = window(client=client, messages=chat(11), config=config)
    prepared = run(made.prepare())
    assert prepared.report.target_met
    kept = contents(prepared.messages)[1:]
    assert kept == contents(chat(11))[-len(kept) :]
    missing = contents(chat(11))[: -len(kept)]
    assert all(text.split(".")[0] + "." in client.shown[0] for text in missing)
    assert made.index.groups[0].summary is not None


def test_a_floor_that_does_not_fit_is_sent_and_the_report_says_so() -> None:
    """Case C28."""
    messages = [
        {"role": "system", "content": "rule " * 2_000},
        {"role": "user", "content": "hi"},
    ]
    prepared = run(window(tokens=500, client=Stub(), messages=messages).prepare())
    assert prepared.messages == messages
    assert not prepared.report.target_met
    assert str(prepared.report).endswith("(target missed)")


def test_a_window_that_its_instructions_fill_sends_the_floor() -> None:
    made = window(tokens=100, instructions="x" * 4_000, messages=chat(3))
    prepared = run(made.prepare())
    assert contents(prepared.messages) == ["Question 2", "Answer 2"]
    assert not prepared.report.target_met
    assert made.usage.share > 1
    assert made.usage.remaining == 0


def test_the_same_history_is_summarized_once() -> None:
    """Case C38."""
    client = Stub("SUMMARY")
    messages = [{"role": "system", "content": "rules " * 2_000}]
    messages += [{"role": "user", "content": f"q{at}"} for at in range(5)]
    made = window(client=client, messages=messages)
    sent = [run(made.prepare()).messages for _ in range(5)]
    assert len(client.seen) <= 1
    assert all(each == sent[0] for each in sent)


def test_a_second_prepare_changes_nothing() -> None:
    made = window(client=Stub(), messages=chat(30))
    first = run(made.prepare())
    second = run(made.prepare())
    assert second.messages == first.messages
    assert not second.report.changed


def test_a_pruning_strategy_runs_before_anything_is_dropped() -> None:
    digests = ToolResultCompactionStrategy(keep_last_tool_call_groups=1, style="names")
    messages = rounds(9)
    for message in messages[2::3]:
        message["content"] *= 4
    made = window(tokens=400, messages=messages, pruning=digests)
    prepared = run(made.prepare())
    assert (prepared.report.pruned, prepared.report.dropped) == (8, 0)
    assert prepared.report.target_met
    assert run(window(tokens=400, messages=messages).prepare()).report.dropped > 0


def test_promise_4_the_callers_messages_are_never_changed() -> None:
    messages = chat(30)
    before = copy.deepcopy(messages)
    made = window(client=Stub(), messages=messages)
    run(made.prepare())
    assert messages == before


def test_a_summarizer_that_fails_costs_nothing_but_the_summary() -> None:
    made = window(client=Failing(), messages=chat(13))
    prepared = run(made.prepare())
    assert contents(prepared.messages) == contents(chat(10, start=3))
    assert prepared.report.target_met
    assert prepared.report.summary is not None
    assert prepared.report.summary.outcome == "failed"


def test_after_a_failure_the_next_turn_tries_again_with_all_that_was_dropped() -> None:
    seen = []

    async def client(messages: list[Message]) -> str:
        seen.append(messages[1]["content"])
        if len(seen) == 1:
            raise RuntimeError("boom")
        return "The gist."

    made = window(client=client, messages=chat(13))
    run(made.prepare())
    made.extend(chat(1, start=13))
    prepared = run(made.prepare())
    assert contents(prepared.messages)[0] == "[Summary] The gist"
    assert all(f"Question {number}." in seen[1] for number in range(12))


def test_failures_in_a_row_are_tried_more_and_more_rarely() -> None:
    made = window(client=Failing())
    attempts = 0
    for turn in range(100):
        made.extend(chat(1, start=turn))
        attempts += run(made.prepare()).report.summary is not None
    assert 3 <= attempts <= 10


def test_promise_10_a_cancelled_prepare_leaves_all_as_it_was() -> None:
    async def cancelled() -> None:
        held = Held()
        made = window(client=held, messages=chat(13))
        await_it = asyncio.create_task(made.prepare())
        await held.asked.wait()
        await_it.cancel()
        with pytest.raises(asyncio.CancelledError):
            await await_it
        assert made.index.included_messages() == chat(13)
        held.free.set()
        prepared = await made.prepare()
        assert contents(prepared.messages)[0] == "[Summary] The gist"
        assert prepared.report.target_met

    run(cancelled())


def test_two_calls_at_once_wait_for_each_other() -> None:
    async def both() -> None:
        client = Stub()
        made = window(client=client, messages=chat(13))
        first, second = await asyncio.gather(made.prepare(), made.prepare())
        assert len(client.seen) == 1
        assert first.messages == second.messages

    run(both())


def test_a_list_that_is_whole_each_time_is_followed() -> None:
    made = window(client=Stub())
    messages: list[Message] = []
    for turn in range(30):
        messages += chat(1, start=turn)
        prepared = run(made.prepare(messages))
        assert prepared.report.target_met
        assert prepared.messages[-1] is messages[-1]
    assert len(made.index) == len(messages)


def test_a_message_that_cant_be_read_is_named() -> None:
    with pytest.raises(MessageError, match="message 1 can't be read"):
        run(window().prepare([{"role": "user", "content": "Hi"}, {"role": "bot"}]))


def nested(depth: int) -> list[Option]:
    made: list[Option] = []
    for _ in range(depth):
        made = [made]
    return made


WRONG: list[tuple[dict[str, Option], type[Exception], str]] = [
    ({"max_context_tokens": 0}, OptionError, "max_context_tokens is 0"),
    ({"max_context_tokens": "16k"}, OptionTypeError, "max_context_tokens is '16k'"),
    ({"config": {"reserveRatio": 2}}, ConfigError, r"summarization\.reserveRatio is 2"),
    ({"config": 3}, OptionTypeError, "source is 3"),
    ({"instructions": None}, OptionTypeError, "instructions is None; pass a text"),
    ({"tools": "search"}, OptionTypeError, "tools is 'search'; pass a list of tool schemas"),
    ({"tools": [{1, 2}]}, OptionTypeError, r"tools has \{1, 2\}, which is no JSON"),
    ({"tools": [nested(50_000)]}, OptionTypeError, "tools has <list .*>, which is nested too deep"),
    ({"model": 4}, OptionTypeError, "model is 4; pass a text"),
    ({"prices": 4}, OptionTypeError, "prices is 4; pass Prices"),
    ({"pruning": 4}, OptionTypeError, "pruning is 4; pass a strategy"),
    ({"summarizer": 4}, OptionTypeError, "client is 4"),
]


@pytest.mark.parametrize(("options", "error", "message"), WRONG)
def test_a_wrong_option_is_named(
    options: dict[str, Option], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        ContextWindow(**{"max_context_tokens": 1_000, **options})

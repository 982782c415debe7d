"""The configuration's context pruning in a window."""

from typing import Any

from chatfold import ContextPruningStrategy, ContextWindow, HardClear, MessageIndex, SoftTrim
from chatfold.config import ContextPruning, load_config
from chatfold.config.strategies import pruning_strategy
from chatfold.window import ContextReport
from summarization.stubs import Failing, Stub, run
from window.test_prepare import window

PRUNING = {
    "enabled": True,
    "keepLastAssistants": 1,
    "minPrunableToolChars": 100,
    "softTrim": {"maxChars": 200, "headChars": 80, "tailChars": 40},
}


def looked_up(turns: int) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    for turn in range(turns):
        call = {"id": f"c{turn}", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        messages += [
            {"role": "user", "content": f"Question {turn}?"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{turn}", "content": f"row {turn}\n" * 60},
            {"role": "assistant", "content": f"Answer {turn}."},
        ]
    return messages


def test_old_results_fade_before_anything_is_dropped() -> None:
    client = Stub()
    made = window(client=client, messages=looked_up(9), config={"contextPruning": PRUNING})
    prepared = run(made.prepare())
    results = [each["content"] for each in prepared.messages if each["role"] == "tool"]
    assert results[0] == "[Old tool result content cleared]"
    assert results[-1] == "row 8\n" * 60
    assert all(len(result) <= 200 for result in results[:-4])
    assert prepared.report.pruned > 0
    assert (prepared.report.dropped, client.seen) == (0, [])
    assert len(prepared.messages) == 36


def test_the_gauge_counts_what_is_sent() -> None:
    made = window(messages=looked_up(9), config={"contextPruning": PRUNING})
    prepared = run(made.prepare())
    assert made.usage.tokens == MessageIndex(prepared.messages).total_token_count


def sent_texts(made: ContextWindow, turns: int) -> dict[str, list[str]]:
    """Give the texts that each result was sent with, each time that it was another one."""
    seen: dict[str, list[str]] = {}
    for turn in range(turns):
        made.extend(looked_up(turn + 1)[-4:])
        for message in run(made.prepare()).messages:
            if message["role"] == "tool":
                texts = seen.setdefault(message["tool_call_id"], [])
                if not texts or texts[-1] != message["content"]:
                    texts.append(message["content"])
    return seen


def test_promise_8_what_has_faded_stays_as_it_is() -> None:
    """Case C48."""
    seen = sent_texts(window(tokens=20_000, config={"contextPruning": PRUNING}), 12)
    # As it came, trimmed, cleared: never anything else, and never back.
    assert all(sorted(texts, key=len, reverse=True) == texts for texts in seen.values())
    assert seen["c0"] == ["row 0\n" * 60, "[Old tool result content cleared]"]
    assert max(map(len, seen.values())) == 3


def test_promise_8_what_was_dropped_comes_back_no_longer_than_it_was() -> None:
    pruning = {**PRUNING, "keepLastAssistants": 0}
    made = window(tokens=420, client=Failing(), config={"contextPruning": pruning})
    first = sent_texts(made, 12)
    # The provider counts less than was counted here: more fits, and what was dropped comes back.
    for _ in range(20):
        made.record_usage(input_tokens=1)
    then: dict[str, str] = {}
    for _ in range(9):
        for message in run(made.prepare()).messages:
            then.setdefault(message.get("tool_call_id", ""), str(message["content"]))
    back = [name for name in first if name in then]
    assert len(back) > 6
    assert all(len(then[name]) <= len(first[name][-1]) for name in back)


def test_promise_8_what_was_trimmed_while_it_paid_comes_back_trimmed() -> None:
    """Though trimming it alone would not, for a summary that failed."""
    pruning = ContextPruningStrategy(
        keep_last_assistants=0,
        min_prunable_tool_chars=0,
        soft_trim=SoftTrim(max_chars=200, head_chars=80, tail_chars=40),
        hard_clear=HardClear(enabled=False),
        min_tokens_freed=200,
    )
    made = window(tokens=1_300, client=Failing(), pruning=pruning)
    sent: dict[str, str] = {}

    def send_next_turn() -> ContextReport:
        made.extend(looked_up(len(made.index) // 4 + 1)[-4:])
        prepared = run(made.prepare())
        for message in prepared.messages:
            if message["role"] == "tool":
                name, text = message["tool_call_id"], message["content"]
                assert len(text) <= len(sent.get(name, text))
                sent[name] = text
        return prepared.report

    while not send_next_turn().dropped:
        pass
    # The provider counts less than was counted here: more fits, and the next attempt fails, too.
    for _ in range(20):
        made.record_usage(input_tokens=1)
    before = made.index.included_message_count
    assert send_next_turn().dropped == 0
    assert made.index.included_message_count > before + 4
    assert len(sent["c0"]) < 200


def test_a_configuration_makes_the_strategy_that_it_describes() -> None:
    config = load_config({"contextPruning": PRUNING})
    described = ContextPruningStrategy(
        keep_last_assistants=1,
        min_prunable_tool_chars=100,
        soft_trim=SoftTrim(max_chars=200, head_chars=80, tail_chars=40),
        hard_clear=HardClear(),
    )
    made = pruning_strategy(config.context_pruning)
    assert made is not None
    one, other = MessageIndex(looked_up(9)), MessageIndex(looked_up(9))
    one.compact(made)
    other.compact(described)
    assert one.included_messages() == other.included_messages() != looked_up(9)


def test_pruning_that_is_turned_off_makes_none() -> None:
    assert pruning_strategy(ContextPruning()) is None


def test_every_allowed_number_makes_a_strategy() -> None:
    extreme = {
        "enabled": True,
        "softTrimRatio": 0,
        "hardClearRatio": 0,
        "softTrim": {"maxChars": 1, "headChars": 0, "tailChars": 0},
    }
    assert pruning_strategy(load_config({"contextPruning": extreme}).context_pruning) is not None

"""What verbose logs tell about pruning: which results, what was done to them, and how long they were."""

import json
import re
from itertools import pairwise
from typing import Any

import pytest

from chatfold import (
    ContextPruningStrategy,
    ContextWindow,
    HardClear,
    MessageIndex,
    OversizeClampingStrategy,
    SoftTrim,
    ToolResultCompactionStrategy,
)
from chatfold.strategies import PruningLimits
from chatfold.window import prunings
from summarization.stubs import run
from window.test_pruning import PRUNING, looked_up

LINE = re.compile(
    r"message (\d+) \(call '(\w+)' of '(\w+)'\): (\w+), ([\d,]+) to ([\d,]+) characters"
)
CLEAR = "[Old tool result content cleared]"


def made_of(messages: list[dict[str, Any]], **options: Any) -> ContextWindow:  # noqa: ANN401
    options.setdefault("config", {"reserveRatio": 0, "contextPruning": PRUNING})
    made = ContextWindow(max_context_tokens=10_000_000, **options)
    made.extend(messages)
    return made


def logged(caplog: pytest.LogCaptureFixture) -> list[str]:
    told = [each.getMessage() for each in caplog.records if each.name == "chatfold.window"]
    caplog.clear()
    return [line for line in told if line.startswith(("pruned", "message", "and"))]


def test_each_shortened_result_is_told_with_its_sizes(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG", "chatfold.window")
    messages = looked_up(9)
    made = made_of(messages)
    prepared = run(made.prepare())
    head, *lines = logged(caplog)
    told = {}
    for line in lines:
        found = LINE.fullmatch(line)
        assert found is not None, line
        told[int(found[1])] = found.groups()[1:]
    expected, was, left = {}, 0, 0
    for position, (old, new) in enumerate(zip(messages, prepared.messages, strict=True)):
        if new is not old:
            done = "cleared" if new["content"] == CLEAR else "trimmed"
            sizes = len(old["content"]), len(new["content"])
            was, left = was + sizes[0], left + sizes[1]
            expected[position] = (old["tool_call_id"], "f", done, *(f"{size:,}" for size in sizes))
    assert told == expected
    assert {done for _, _, done, _, _ in told.values()} == {"trimmed", "cleared"}
    assert head == f"pruned {len(expected)} messages, {was:,} to {left:,} characters"


def test_what_was_trimmed_before_is_told_from_what_it_was_then(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("DEBUG", "chatfold.window")
    made = made_of([])
    seen: dict[str, list[tuple[str, str, str]]] = {}
    for turn in range(9):
        made.extend(looked_up(turn + 1)[-4:])
        run(made.prepare())
        for line in logged(caplog)[1:]:
            found = LINE.fullmatch(line)
            assert found is not None
            seen.setdefault(found[2], []).append((found[4], found[5], found[6]))
    assert max(map(len, seen.values())) == 2
    assert [trim + clear for trim, clear in (each for each in seen.values() if len(each) == 2)]
    for steps in seen.values():
        # A result begins as it came, and goes on from where the step before left it.
        assert steps[0][1] == "360"
        assert all(one[2] == other[1] for one, other in pairwise(steps))
        assert [done for done, _, _ in steps] in (["trimmed"], ["cleared"], ["trimmed", "cleared"])


def test_of_many_results_the_first_are_told_and_no_text_at_all(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("DEBUG", "chatfold.window")
    messages = looked_up(400)
    for message in messages:
        if "tool_call_id" in message:
            message["tool_call_id"] += "-long" * 1_000
        for call in message.get("tool_calls", ()):
            call["id"] += "-long" * 1_000
            call["function"]["name"] = "named" * 1_000
    report = run(made_of(messages).prepare()).report
    head, *lines, last = logged(caplog)
    assert head.startswith(f"pruned {report.pruned} messages, ")
    assert len(lines) == 20
    assert last == f"and {report.pruned - 20} more"
    assert all(len(line) < 300 for line in lines)
    assert "row" not in "".join(lines)


def test_nothing_is_looked_at_where_nobody_asked(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = []

    def look(index: MessageIndex) -> prunings.Sent:
        looks.append(len(index))
        return prunings.sent(index)

    monkeypatch.setattr("chatfold.window.fading.sent", look)
    caplog.set_level("INFO", "chatfold.window")
    assert run(made_of(looked_up(9)).prepare()).report.pruned > 0
    assert (looks, logged(caplog)) == ([], [])
    caplog.set_level("DEBUG", "chatfold.window")
    made = made_of(looked_up(9))
    run(made.prepare())
    assert len(looks) == 2
    # Where nothing is pruned, nothing is compared.
    run(made.prepare())
    assert len(looks) == 3


def pruned_by(strategy: Any, messages: list[dict[str, Any]]) -> ContextWindow:  # noqa: ANN401
    return made_of(messages, pruning=strategy, config={"reserveRatio": 0})


def test_the_placeholder_of_a_tool_is_told_as_clearing(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG", "chatfold.window")
    messages = looked_up(9)
    messages[1]["tool_calls"][0]["function"]["name"] = "special"
    messages[6]["content"] = [
        {"type": "text", "text": "part one. " * 20},
        {"type": "text", "text": "x"},
    ]
    fades = ContextPruningStrategy(
        keep_last_assistants=1,
        min_prunable_tool_chars=0,
        soft_trim=SoftTrim(200, 80, 40),
        hard_clear=HardClear(enabled=True, placeholder="gone"),
        tool_limits={"spec*": PruningLimits(hard_clear=HardClear(placeholder="{tool} is gone"))},
    )
    run(pruned_by(fades, messages).prepare())
    lines = logged(caplog)
    assert "message 2 (call 'c0' of 'special'): cleared, 360 to 15 characters" in lines
    assert "message 6 (call 'c1' of 'f'): cleared, 201 to 5 characters" in lines


def test_other_strategies_are_told_too(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG", "chatfold.window")
    digests = ToolResultCompactionStrategy(keep_last_tool_call_groups=8, style="names")
    made = pruned_by(digests, looked_up(9))
    run(made.prepare())
    assert logged(caplog) == [
        "pruned 2 messages, 362 to 15 characters",
        "message 1: replaced, 2 to 0 characters",
        "message 2 (call 'c0' of 'f'): replaced, 360 to 0 characters",
    ]
    assert len("[Tool calls: f]") == 15
    clamps = OversizeClampingStrategy(
        max_context_window_tokens=1_000, max_share=0.1, clamp=["user", "arguments"]
    )
    function = {"name": "f", "arguments": json.dumps({"words": "why? " * 300})}
    call = {"id": "c", "type": "function", "function": function}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "why? " * 500, "name": "Ann"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "done"},
    ]
    run(pruned_by(clamps, messages).prepare())
    head, *lines = logged(caplog)
    assert re.fullmatch(r"pruned 2 messages, 4,013 to [\d,]+ characters", head)
    assert re.fullmatch(r"message 0: shortened, 2,500 to \d+ characters", lines[0])
    assert re.fullmatch(r"message 1: shortened, 1,513 to \d+ characters", lines[1])


def test_a_result_of_the_old_kind_is_told_with_its_function(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("DEBUG", "chatfold.window")
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "Q"},
        {"role": "assistant", "content": None, "function_call": {"name": "g", "arguments": "{}"}},
        {"role": "function", "name": "g", "content": "row\n" * 100},
        *looked_up(9),
    ]
    run(made_of(messages).prepare())
    assert "message 2 (a result of 'g'): cleared, 400 to 33 characters" in logged(caplog)

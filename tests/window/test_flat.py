"""What a turn costs does not depend on what lies behind it, nor on how much is kept."""

from typing import Any

import pytest

from chatfold import ContextWindow, MessageIndex, WorkDone, count_cache
from summarization.stubs import Failing, run
from talk import talk
from window.day import Scripted
from window.test_prepare import chat, window
from work import Work

Message = dict[str, Any]

HOW: list[Any] = [
    pytest.param({"enabled": False}, id="dropping"),
    pytest.param({"trigger": {"type": "token_ratio", "value": 0.8}}, id="summarizing"),
    pytest.param({"trigger": {"type": "messages_to_refine", "value": 40}}, id="gathering"),
]


def work_of_turns(behind: int, config: dict[str, Any]) -> WorkDone:
    """Take some turns in a window with so much behind it, and tell the work after the first."""
    made = ContextWindow(
        config, max_context_tokens=2_000, tokenizer="o200k_base", summarizer=Scripted(30)
    )
    made.extend(talk(20_000)[-behind:])  # the newest are the same
    # Nobody wants it all summarized.
    for group in list(made.index.groups)[:-20]:
        made.index.exclude(group, reason="old")
    run(made.prepare())
    count_cache.clear()
    work = Work()
    for turn in range(60):
        made.extend(chat(1, start=turn))
        assert run(made.prepare()).report.target_met
        assert made.usage.tokens <= 2_000
    return work.done


@pytest.mark.parametrize("config", HOW)
def test_the_work_of_a_turn_does_not_grow_with_what_lies_behind(config: dict[str, Any]) -> None:
    short, long = (work_of_turns(behind, config) for behind in (2_000, 20_000))
    assert long == short
    # Each message is read when it comes, and no more.
    assert long.messages_read == 60 * 2


def test_no_turn_that_summarizes_nothing_looks_at_every_group_that_is_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    listed: list[MessageIndex] = []

    def groups(index: MessageIndex) -> list[Any]:
        listed.append(index)
        return []

    config = {"reserveRatio": 0, "trigger": {"type": "messages_to_refine", "value": 1_000}}
    made = window(tokens=5_000, client=Failing(), config=config, messages=chat(100))
    run(made.prepare())
    for name in ("groups", "included_groups"):
        monkeypatch.setattr(MessageIndex, name, property(groups))
    for turn in range(20):
        made.extend(chat(1, start=100 + turn))
        prepared = run(made.prepare())
        assert prepared.report.dropped == 2
        assert len(prepared.messages) == 100
        assert made.usage.tokens == 5_000
    assert listed == []

"""Reported histories: what must stay, and in which order."""

import json

import pytest

from chatfold import (
    MessageIndex,
    RetainRecent,
    SlidingWindowStrategy,
    SummarizationStrategy,
    TruncationStrategy,
)
from summarization.short_chats import (
    assert_pairs_closed,
    calls,
    chat,
    keep,
    result,
    summaries,
    summarized,
)
from summarization.stubs import (
    Stub,
    assistant,
    compacted,
    run,
    system,
    texts,
    user,
)


def test_c02_no_pair_is_broken_on_either_side_of_the_cut() -> None:
    rounds = [m for n in range(1, 4) for m in (calls(n), result(n, f"ok {n}" * 9))]
    stub = Stub("SUMMARY")
    index, _ = summarized([user("analyse three"), *rounds, assistant("report")], stub, **keep(2))
    assert len(summaries(index)) == 1
    shown = stub.shown[0]
    assert shown.count("<chat-call") == shown.count("<chat-result") == 2


def test_c03_ten_parallel_calls_are_one_group() -> None:
    history = [user("read ten"), calls(*range(10)), *(result(n, f"content {n}") for n in range(10))]
    index, report = summarized(history, Stub(), **keep(6))
    assert not report.changed
    assert index.included_messages() == history


def test_c05_a_stray_result_is_no_place_to_cut() -> None:
    history = [
        user("q1 " * 20),
        assistant("a1"),
        {"role": "tool", "tool_call_id": "ghost", "content": "stray " * 9},
        user("q2"),
        assistant("a2"),
        user("q3"),
    ]
    stub = Stub()
    index, _ = summarized(history, stub, **keep(3))
    assert index.included_messages() == [assistant("[Summary] The gist."), *history[-3:]]
    assert "stray" in stub.shown[0]


def test_c09_a_call_that_waits_is_kept_and_one_given_up_is_found_again() -> None:
    waiting = calls(1, name="confirm_delete")
    index, _ = compacted([user("delete file"), *chat(6), waiting], Stub(), **keep(1))
    assert waiting in index.included_messages()
    history = [user("delete file"), waiting, *chat(6)]
    index, _ = compacted(history, Stub(), **keep(2))
    assert waiting not in index.included_messages()
    index.append(result(1, "approved"))
    assert_pairs_closed(index.included_messages())
    assert waiting in index.included_messages()


def test_c37_all_older_turns_go_though_the_newest_exceeds_what_may_stay() -> None:
    old = [m for n in range(6) for m in (user(f"old {n} "), assistant("answer"))]
    newest = [user("now"), calls(1, 2, 3, 4), *(result(n, "x " * 3_000) for n in range(1, 5))]
    recent = RetainRecent(turns=2, tokens=2_000)
    index, _ = summarized([*old, *newest], Stub("SUMMARY"), retain_recent=recent)
    assert index.included_messages() == [assistant("[Summary] SUMMARY"), *newest]


@pytest.mark.parametrize("count", [1, 2, 4])
def test_c58_empty_contents_of_any_kind_are_read(count: int) -> None:
    contents: list[object] = [None, "", []]
    empty = [{"role": "assistant", "content": each} for each in contents]
    history = [user("q " * 30), calls(1), result(1, ""), *empty, user("q2")]
    summarized([system("rules"), *history], Stub("S"), **keep(count))


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_c81_roles_stay_in_an_order_that_apis_accept(role: str) -> None:
    rounds = [m for n in range(5) for m in (calls(n), result(n, "r " * 9))]
    history = [system("sys"), user("task"), *rounds]
    index, _ = summarized(history, Stub("S"), summary_role=role, **keep(2))
    roles = [message["role"] for message in index.included_messages()]
    assert roles == ["system", "user", role, "assistant", "tool"]


def test_c83_a_window_treats_the_summary_as_a_part_of_its_turn() -> None:
    index = MessageIndex(
        [system("sys"), *[{**message, "content": message["content"] * 9} for message in chat(6)]]
    )
    recent = RetainRecent(turns=3)
    run(index.acompact(SummarizationStrategy(client=Stub("S"), retain_recent=recent)))
    assert summaries(index) == ["[Summary] S"]
    assert index.included_groups[1].turn == 1
    index.compact(SlidingWindowStrategy(keep_last_turns=2))
    index.compact(TruncationStrategy(max_n=4))
    assert texts(index) == ["sys", "a4" * 9, "q5" * 9, "a5" * 9]


def test_c86_what_is_kept_word_for_word_stays_so_across_saved_states() -> None:
    pin = user("PIN: use metric units")
    history = [pin, assistant("ok"), *[{**m, "content": m["content"] * 20} for m in chat(6)]]
    strategy = SummarizationStrategy(client=Stub("S"), keep_user_messages=True)
    index = MessageIndex(history)
    run(index.acompact(strategy))
    for _ in range(3):
        state = json.loads(json.dumps(index.to_state()))
        index = MessageIndex.from_state(state, history)
        history = [*history, *[{**m, "content": m["content"] * 20} for m in chat(2)]]
        index.sync(history)
        run(index.acompact(strategy))
        assert texts(index).count(pin["content"]) == 1
        assert len(summaries(index)) == 1

"""What is summarized, and what stays."""

import pytest

from chatfold import MessageIndex, RetainRecent, triggers
from summarization.stubs import Stub, assistant, compacted, system, texts, tool_round, turns, user

SUMMARY = "[Summary] The gist."


@pytest.mark.parametrize(("messages", "calls"), [(6, 0), (7, 1)])
def test_by_count_it_fires_when_more_than_count_and_threshold_are_included(
    messages: int, calls: int
) -> None:
    stub = Stub()
    compacted([system("rules"), *turns(4)[:messages]], stub)
    assert len(stub.seen) == calls


def test_by_count_the_newest_messages_stay() -> None:
    history = turns(6)
    index, _ = compacted(history, Stub())
    assert index.included_messages() == [assistant(SUMMARY), *history[-4:]]


def test_by_count_groups_stay_whole() -> None:
    history = [*turns(3), *tool_round(0, "data " * 50), *tool_round(1, "data " * 50)]
    index, _ = compacted(history, Stub(), target_count=3, threshold=0)
    assert index.included_messages()[-4:] == history[-4:]


def test_the_summary_has_its_kind_its_turn_and_links_both_ways() -> None:
    index, _ = compacted(turns(6), Stub())
    summary = index.included_groups[0]
    assert (summary.kind, summary.turn) == ("summary", 1)
    assert [group.summary for group in summary.summarizes] == [summary] * 8


def test_by_trigger_the_newest_four_groups_stay() -> None:
    history = turns(20)
    index, _ = compacted(history, Stub(), trigger=triggers.always)
    assert index.included_messages() == [assistant(SUMMARY), *history[-4:]]


def test_by_trigger_it_stops_where_the_target_is_true() -> None:
    over = triggers.messages_exceed(20)
    index, report = compacted(turns(20), Stub(), trigger=over, target=~over)
    assert index.included_message_count == 20
    assert report.summaries[0].target_met


def test_without_target_as_much_more_goes_as_two_summaries_take() -> None:
    index, _ = compacted(
        turns(200), Stub(), trigger=triggers.tokens_exceed(8_000), max_summary_tokens=500
    )
    assert 6_500 < index.included_token_count <= 7_100


def test_a_second_run_changes_nothing() -> None:
    index, _ = compacted(turns(20), Stub(), trigger=triggers.tokens_exceed(300))
    before = index.included_messages()
    _, report = compacted(index, Stub(), trigger=triggers.tokens_exceed(300))
    assert not report.changed
    assert index.included_messages() == before


def test_where_the_summary_is_too_long_for_the_target_all_goes_that_may() -> None:
    stub = Stub("long " * 300)
    over = triggers.tokens_exceed(600)
    index, report = compacted(turns(20), stub, trigger=over, target=~over)
    assert len(stub.seen) == 2
    assert index.included_message_count == 5
    assert not compacted(index, stub, trigger=over, target=~over)[1].changed
    assert len(report.summaries) == 2


def test_the_newest_turns_are_retained() -> None:
    history = [*turns(6), *tool_round(0, "data " * 80), assistant("done")]
    index, _ = compacted(history, Stub(), retain_recent=RetainRecent(turns=2))
    assert index.included_messages() == [assistant(SUMMARY), *history[-7:]]


def test_the_newest_turn_is_retained_though_it_exceeds_the_cap() -> None:
    history = turns(6)
    index, _ = compacted(history, Stub(), retain_recent=RetainRecent(turns=3, tokens=1))
    assert index.included_messages() == [assistant(SUMMARY), *history[-2:]]


def test_further_turns_are_retained_while_the_cap_allows() -> None:
    history = turns(6)
    cap = 2 * sum(group.token_count for group in list(MessageIndex(history).groups)[:2]) + 2
    index, _ = compacted(history, Stub(), retain_recent=RetainRecent(turns=5, tokens=cap))
    assert index.included_messages() == [assistant(SUMMARY), *history[-4:]]


def test_with_no_turns_retained_all_but_the_floor_goes() -> None:
    history = [system("rules"), *turns(6), *tool_round(0, "data " * 80)]
    index, _ = compacted(history, Stub(), retain_recent=RetainRecent(turns=0))
    # The last user message and the newest group stay always.
    assert index.included_messages() == [
        history[0],
        assistant(SUMMARY),
        history[-4],
        *history[-2:],
    ]


def test_a_call_that_waits_for_its_result_stays() -> None:
    history = [*turns(6), tool_round(0, "")[0]]
    index, _ = compacted(history, Stub(), retain_recent=RetainRecent(turns=0))
    assert history[-1] in index.included_messages()


def test_user_messages_are_kept_word_for_word() -> None:
    history = turns(6)
    index, _ = compacted(history, Stub(), keep_user_messages=True)
    assert [message for message in index.included_messages() if message["role"] == "user"] == [
        message for message in history if message["role"] == "user"
    ]
    assert texts(index).count(SUMMARY) == 1


def test_no_more_user_messages_are_kept_than_the_cap_allows() -> None:
    history = turns(6)
    tokens = MessageIndex(history).groups[0].token_count
    index, _ = compacted(
        history, Stub(), keep_user_messages=True, max_kept_user_tokens=2 * tokens + 1
    )
    kept = [message for message in index.included_messages() if message["role"] == "user"]
    assert kept == [history[4], history[6], history[8], history[10]]


def test_a_kept_user_message_is_shown_with_the_rest_of_its_turn() -> None:
    stub = Stub()
    history = [user("the task"), *[m for n in range(6) for m in tool_round(n, "data " * 20)]]
    index, _ = compacted(history, stub)
    assert index.included_messages()[0] is history[0]
    assert '<chat-message role="user" kept="yes">\nthe task\n' in stub.shown[0]


@pytest.mark.parametrize("role", ["assistant", "user"])
def test_the_role_of_the_summary_can_be_chosen(role: str) -> None:
    index, _ = compacted(turns(6), Stub(), summary_role=role)
    assert index.included_messages()[0] == {"role": role, "content": SUMMARY}


def test_the_next_summary_takes_the_place_of_the_last_one() -> None:
    index, _ = compacted(turns(6), Stub("One."))
    index.extend(turns(3, first=6))
    compacted(index, Stub("Two."))
    assert [text for text in texts(index) if text.startswith("[Summary]")] == ["[Summary] Two."]


def test_a_summary_of_another_program_is_recognised_in_a_bare_list() -> None:
    stub = Stub("Two.")
    history = [user("[Summary] The user likes tea."), *turns(4)]
    index, _ = compacted(history, stub)
    assert stub.shown[0].startswith("<chat-summary>\nThe user likes tea.\n</chat-summary>")
    assert texts(index)[0] == "[Summary] Two."


def test_summaries_of_several_places_become_one() -> None:
    history = [user("[Summary] A."), *turns(2), user("[Summary] B."), *turns(2)]
    index, _ = compacted(history, Stub("C."))
    assert [text for text in texts(index) if text.startswith("[Summary]")] == ["[Summary] C."]


def test_a_digest_is_history_and_no_summary() -> None:
    stub = Stub()
    compacted([assistant("[Tool results: read: " + "data " * 20 + "]"), *turns(4)], stub)
    assert '<chat-message role="tool" part="digest">\n[Tool results: read: data' in stub.shown[0]
    assert "<chat-summary>" not in stub.shown[0]


def test_what_is_restored_comes_back_as_it_was() -> None:
    history = turns(6)
    index, _ = compacted(history, Stub())
    index.restore(index.groups[0])
    assert index.included_messages() == history

"""The stand-in that no model writes."""

from hypothesis import given
from hypothesis import strategies as st

from chatfold import ExtractiveSummarizer, MessageIndex, SummarizationStrategy
from chatfold.summarization.entries import Entry
from chatfold.summarization.extractive import digest
from chatfold.summarization.transcript import fenced, fenced_summary, parsed
from summarization.stubs import Message, compacted, run, texts, tool_round, turns, user
from texts import TEXTS

WORK: list[Message] = [
    user("Fix ISSUE-12 in src/app.py, see https://example.org/doc?id=3"),
    *tool_round(0, "ok: 3 lines", name="read_file"),
    *tool_round(1, "Error: no such test", name="run_tests"),
    *tool_round(2, "12 passed in build 7f3a9c1", name="run_tests"),
]


def written(history: list[Message]) -> str:
    index, _ = compacted([*history, *turns(4)], ExtractiveSummarizer())
    text: str = texts(index)[0]
    return text


def test_it_counts_names_quotes_and_lists() -> None:
    assert written(WORK).splitlines() == [
        "[Summary] Counted without a model: 3 user messages, 2 assistant messages, 3 tool results",
        "Tool read_file (1 calls): ok: 3 lines",
        "Tool run_tests (2 calls): 12 passed in build 7f3a9c1",
        "Failed - run_tests: Error: no such test",
        "Files: src/app.py",
        "Links: https://example.org/doc?id=3",
        "Identifiers: ISSUE-12 7f3a9c1",
    ]


def test_a_failure_is_quoted_once() -> None:
    assert written(WORK).count("Error: no such test") == 1


def test_it_adds_to_what_it_wrote_before() -> None:
    strategy = SummarizationStrategy(client=ExtractiveSummarizer())
    index = MessageIndex([*WORK, *turns(4)])
    run(index.acompact(strategy))
    index.extend([user("now TASK-7 in lib/b.rs"), *tool_round(9, "done", name="read_file")])
    index.extend(turns(4, first=4))
    run(index.acompact(strategy))
    text = texts(index)[0]
    assert text.count("Counted without a model") == 1
    assert "8 user messages" in text
    assert "Tool read_file (2 calls): done" in text
    assert "Files: src/app.py lib/b.rs" in text
    assert "Identifiers: ISSUE-12 7f3a9c1 TASK-7" in text


def test_it_carries_the_summary_of_a_model_along() -> None:
    text = digest("The user likes tea.", [Entry("user", "hello")], 200)
    assert text.startswith("The user likes tea.\n\nCounted without a model: 1 user messages")
    again = digest(text, [Entry("user", "hello")], 200)
    assert again.startswith("The user likes tea.\n\nCounted without a model: 2 user messages")


def test_what_it_carries_along_leaves_room_for_the_rest() -> None:
    text = digest("A line.\n" * 500, [Entry("user", "hello")], 100)
    assert len(text) <= 400
    assert "Counted without a model: 1 user messages" in text


def test_lists_keep_the_newest() -> None:
    entries = [Entry("user", f"f{number:03}.txt") for number in range(100)]
    text = digest("", entries, 2_000)
    assert "f099.txt" in text
    assert "f059.txt" not in text


def test_a_long_line_without_spaces_takes_no_time() -> None:
    digest("", [Entry("user", "a" * 2_000_000), Entry("result", "a/" * 500_000)], 100)


@given(st.lists(TEXTS, max_size=5), TEXTS, st.integers(0, 300))
def test_any_text_is_digested(said: list[str], previous: str, limit: int) -> None:
    entries = [Entry("result", text, text[:5], failed=True) for text in said]
    once = digest(previous, entries, limit)
    assert once == digest(previous, entries, limit)
    assert digest(once, entries, limit)


ENTRIES = st.builds(
    Entry,
    st.sampled_from(["user", "assistant", "reasoning", "call", "result", "digest"]),
    TEXTS.map(lambda text: text.replace("<", "")),
    st.sampled_from(["", "run_tests", "名前"]),
    st.booleans(),
    st.booleans(),
)


@given(st.lists(ENTRIES, max_size=6), st.sampled_from(["", "The gist.\n\nMore."]))
def test_a_transcript_can_be_read_back(entries: list[Entry], summary: str) -> None:
    entries = [
        each if each.kind in ("call", "result") else each._replace(tool="") for each in entries
    ]
    assert parsed(fenced_summary(summary) + fenced(entries)) == (summary, entries)

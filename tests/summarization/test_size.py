"""A summary stays within its size, however much the model writes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatfold import MessageIndex, SummarizationStrategy, SummaryResponse, tokenizers
from chatfold.summarization.stand_in import cut
from summarization.stubs import (
    Message,
    Option,
    Stub,
    compacted,
    run,
    texts,
    tool_round,
    turns,
    user,
)
from texts import TEXTS

COUNT = tokenizers.resolve("o200k_base").count_tokens
PARAGRAPHS = "\n\n".join(f"Paragraph {n}:" + " word" * 30 for n in range(30))


def test_an_answer_that_is_too_long_is_cut_at_a_paragraph() -> None:
    index, report = compacted(turns(40), Stub(PARAGRAPHS), max_summary_tokens=300)
    kept = texts(index)[0].removeprefix("[Summary] ")
    assert PARAGRAPHS.startswith(kept + "\n\n")
    assert len(kept) > 600
    assert report.summaries[0].cut
    assert "its end cut off" in str(report)


def test_an_answer_that_fits_is_not_said_to_be_cut() -> None:
    _, report = compacted(turns(40), Stub(), max_summary_tokens=300)
    assert not report.summaries[0].cut
    assert "cut" not in str(report)


def test_an_answer_that_the_model_broke_off_is_said_to_be_cut() -> None:
    async def client(messages: list[Message]) -> SummaryResponse:
        del messages
        return SummaryResponse("The gi", cut=True)

    _, report = compacted(turns(6), client)
    assert report.summaries[0].cut


@pytest.mark.parametrize("separator", ["\n", " ", ""])
def test_a_text_without_paragraphs_is_cut_where_it_can_be(separator: str) -> None:
    text = separator.join(["word"] * 500)
    short = cut(text, 50, COUNT)
    assert text.startswith(short)
    assert 25 <= COUNT(short) <= 50


def test_a_short_first_paragraph_is_not_all_that_is_left() -> None:
    assert COUNT(cut("Goal\n\n" + "word " * 500, 50, COUNT)) > 25


@given(TEXTS, st.integers(1, 60))
def test_what_is_cut_is_a_start_of_the_text_within_the_limit(text: str, limit: int) -> None:
    text = text.encode("utf-8", "replace").decode()
    short = cut(text, limit, COUNT)
    assert text.startswith(short)
    assert COUNT(short) <= limit


@pytest.mark.parametrize("limit", range(1, 12))
@pytest.mark.parametrize("tokenizer", [None, "o200k_base", lambda text: len(text.encode())])
@pytest.mark.parametrize(
    "answer", ["A long answer of some words.", "## - **Goal**: tea", "数" * 60]
)
def test_a_summary_of_which_no_word_is_left_is_none(
    limit: int, tokenizer: Option, answer: str
) -> None:
    stub, index = Stub(answer), MessageIndex(turns(6), tokenizer=tokenizer)
    _, report = compacted(index, stub, max_summary_tokens=limit)
    if report.changed:
        assert texts(index)[0].startswith("[Summary] ")
        assert any(map(str.isalnum, texts(index)[0].removeprefix("[Summary]")))
        assert index.included_groups[0].token_count <= limit
        return
    assert index.included_messages() == turns(6)
    assert report.summaries[0].outcome in ("nothing to do", "empty")
    # Where not even one letter fits, nobody is asked.
    count = index.tokenizer.count_tokens
    assert bool(stub.seen) == (count("[Summary] a") <= limit)
    if stub.seen:
        assert f"max_summary_tokens={limit}" in str(report.summaries[0].error)


@pytest.mark.parametrize("limit", [1, 3, 8])
def test_no_digest_is_written_of_which_no_word_is_left(limit: int) -> None:
    options = {"max_summary_tokens": limit, "on_failure": "digest"}
    index, report = compacted(turns(6), Stub(""), **options)
    if limit < 4:
        assert index.included_messages() == turns(6)
    else:
        assert report.changed
        assert texts(index)[0].startswith("[Summary] Counted")


@pytest.mark.parametrize("tokenizer", [None, "o200k_base"])
def test_over_ten_updates_the_summary_stays_within_its_size(tokenizer: str | None) -> None:
    stub = Stub(lambda call: f"Call {call}.\n\n{PARAGRAPHS}")
    strategy = SummarizationStrategy(client=stub, max_summary_tokens=250)
    index = MessageIndex(tokenizer=tokenizer)
    sizes = []
    for update in range(12):
        index.extend(turns(6, first=6 * update))
        index.extend([user("go"), *tool_round(update, f"Error {update}: " + "broken " * 50)])
        run(index.acompact(strategy))
        sizes.append(index.included_groups[0].token_count)
        assert index.included_groups[0].kind == "summary"
    assert len(stub.seen) == 12
    assert max(sizes) <= 250

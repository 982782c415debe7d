"""Several clients, and what they cost."""

from typing import Any

import pytest

from chatfold import EmptySummaryError, SummaryResponse
from summarization.stubs import (
    Failing,
    Message,
    Option,
    Stub,
    answering,
    compacted,
    slow,
    texts,
    turns,
)


def test_clients_are_tried_in_order() -> None:
    broken, good, unused = Failing(), Stub(), Stub()
    _, report = compacted(turns(6), [broken, slow, answering(""), good, unused], timeout=0.02)
    assert report.summaries[0].outcome == "written"
    assert report.summary_usage.calls == 4
    assert (broken.calls, len(good.seen), len(unused.seen)) == (1, 1, 0)


@pytest.mark.parametrize(
    "answer",
    ["<think>\nHm, a tag.\n</think>\n\nThe gist.", f"<think>{'hm ' * 9_000}</think>The gist."],
)
def test_what_a_model_thought_first_is_left_out(answer: str) -> None:
    index, report = compacted(turns(6), answering(answer), max_summary_tokens=60)
    assert texts(index)[0] == "[Summary] The gist."
    assert not report.summaries[0].cut


def test_thoughts_alone_are_no_summary() -> None:
    index, report = compacted(turns(6), [answering("<think>Hm, a tag."), Stub()])
    assert texts(index)[0] == "[Summary] The gist."
    assert report.summary_usage.calls == 2


def test_tags_elsewhere_are_text() -> None:
    index, _ = compacted(turns(6), answering("It uses <think>tags</think> now."))
    assert texts(index)[0] == "[Summary] It uses <think>tags</think> now."


RETURN = "return a str, or a SummaryResponse with one"


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        ("...", "the summarizer's answer holds no word: '...'"),
        ("-" * 90, f"the summarizer's answer holds no word: '{'-' * 40}'"),
        ("[Summary] \U0001f44d", "the summarizer's answer holds no word: '[Summary] \U0001f44d'"),
        ("= " * 900 + "gist", "no word of the summary is left within max_summary_tokens=60"),
        (None, f"the summarizer's answer is of type NoneType; {RETURN}"),
        (SummaryResponse(["The gist."]), f"the summarizer's answer is of type list; {RETURN}"),  # type: ignore[arg-type]
        (SummaryResponse(""), "the summarizer's answer holds no word: ''"),
    ],
)
def test_an_answer_without_a_word_is_none_and_the_next_client_is_asked(
    answer: object, cause: str
) -> None:
    limit: Option = {"max_summary_tokens": 60}
    index, report = compacted(turns(6), answering(answer), **limit)
    assert index.included_messages() == turns(6)
    assert (report.summaries[0].outcome, str(report.summaries[0].error)) == ("empty", cause)
    index, report = compacted(turns(6), [answering(answer), Stub()], **limit)
    assert texts(index)[0] == "[Summary] The gist."
    assert (report.summaries[0].outcome, report.summary_usage.calls) == ("written", 2)


def test_where_all_clients_fail_the_last_error_names_the_others() -> None:
    with pytest.raises(EmptySummaryError) as caught:
        compacted(turns(6), [Failing(), answering("")], on_failure="raise")
    assert caught.value.__notes__ == ["another client failed with RuntimeError: boom"]


def test_what_a_client_does_to_its_messages_is_not_seen_by_the_next() -> None:
    async def hostile(messages: list[Message]) -> str:
        messages[0]["content"] = "obey"
        messages.clear()
        raise RuntimeError

    stub = Stub()
    compacted(turns(6), [hostile, stub])
    assert "obey" not in str(stub.seen)
    assert len(stub.seen[0]) == 2


def test_usage_is_added_up() -> None:
    class Counting:
        async def summarize(self, messages: list[Message], *, max_tokens: int) -> SummaryResponse:
            assert max_tokens == 200
            del messages
            return SummaryResponse("gist", model="m-1", input_tokens=100, output_tokens=7)

    limit = {"max_summary_input_tokens": 1_500, "max_summary_tokens": 200}
    _, report = compacted(turns(60), Counting(), **limit)
    usage = report.summary_usage
    assert usage.calls > 3
    assert (usage.input_tokens, usage.output_tokens) == (100 * usage.calls, 7 * usage.calls)
    assert usage.models == ("m-1",)
    assert usage.seconds > 0


class Unspeakable(Exception):  # noqa: N818 (no error of ours)
    def __str__(self) -> str:
        raise RuntimeError("it can't be said")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (Unspeakable(), "Unspeakable"),
        (ValueError(), "ValueError"),
        (ValueError("no\n\n<html>\tpage"), "ValueError: no <html> page"),
        (ValueError("x" * 9_000), f"ValueError: {'x' * 499}…"),
    ],
)
def test_whatever_an_error_says_it_is_told_in_one_line(error: Exception, said: str) -> None:
    index, report = compacted(turns(6), Failing(error))
    assert index.included_messages() == turns(6)
    assert str(report).endswith(f"; summary failed ({said})")
    _, report = compacted(turns(6), [Failing(error), Failing()])
    assert report.summaries[0].error is not None
    assert report.summaries[0].error.__notes__ == [f"another client failed with {said}"]


def test_a_text_of_a_class_of_its_own_is_a_text() -> None:
    class Markup(str):
        __slots__ = ()

        def __format__(self, spec: str) -> str:
            return "<b>"

    index, _ = compacted(turns(6), answering(Markup("The gist.")))
    assert texts(index)[0] == "[Summary] The gist."


class Metered:
    """A client that tells what each call costs, and does in turn what it is told."""

    def __init__(self, model: str, *answers: str | Exception) -> None:
        self.model, self.answers = model, list(answers)
        self.calls = self.answered = 0

    async def summarize(self, messages: list[Message], *, max_tokens: int) -> SummaryResponse:
        del messages, max_tokens
        self.calls += 1
        answer = self.answers.pop(0) if self.answers else "The gist."
        if isinstance(answer, Exception):
            raise answer
        self.answered += 1
        return SummaryResponse(answer, self.model, input_tokens=100, output_tokens=1)


@pytest.mark.parametrize(
    ("one", "other", "outcome"),
    [
        (["..."], [RuntimeError()], "failed"),
        (["...", RuntimeError()], [], "written"),
        (["The gist.", RuntimeError()], [RuntimeError()], "digest"),
        (["The gist.", "= " * 900 + "gist"], ["word " * 9_000], "written"),
        (["word " * 20] * 90, [], "written"),
    ],
)
def test_usage_is_added_up_over_steps_fallbacks_and_failures(
    one: list[Any], other: list[Any], outcome: str
) -> None:
    clients = [Metered("m-1", *one), Metered("m-2", *other)]
    on_failure = "digest" if outcome == "digest" else "keep"
    limit: Option = {"max_summary_input_tokens": 1_200, "max_summary_tokens": 60}
    _, report = compacted(turns(60), clients, on_failure=on_failure, **limit)
    calls = sum(client.calls for client in clients)
    told = sum(client.answered for client in clients)
    assert [summary.outcome for summary in report.summaries] == [outcome]
    assert report.summary_usage[:3] == (calls, 100 * told, told)

"""What a client or a server says beside the text is taken only where it can be so."""

import pytest

from chatfold import SummaryResponse
from chatfold.summarization.retry_after import retry_after
from summarization.stubs import Option, answering, compacted, turns


@pytest.mark.parametrize("told", [-1, 1.5, True, "9", None, float("nan")])
def test_usage_that_is_no_count_is_left_out(told: Option) -> None:
    answer = SummaryResponse("The gist.", 7, told, told)  # type: ignore[arg-type]
    _, report = compacted(turns(6), answering(answer))
    assert report.summaries[0].outcome == "written"
    assert report.summary_usage[:3] == (1, 0, 0)
    assert report.summary_usage.models == ()


class Unanswered(Exception):  # noqa: N818 (no error of ours)
    @property
    def response(self) -> object:
        raise RuntimeError("there is none")


class Response:
    def __init__(self, said: object) -> None:
        self.headers = {"retry-after": said}


@pytest.mark.parametrize(
    "said", ["nan", "-5", "", None, "Fri, 31 Dec 10000000000000000000 23:59:59 GMT"]
)
def test_a_time_to_come_back_that_is_none_is_none(said: object) -> None:
    error = RuntimeError()
    error.response = Response(said)  # type: ignore[attr-defined]
    assert retry_after(error) == 0.0
    assert retry_after(Unanswered()) == 0.0

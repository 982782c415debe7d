"""2,000 turns against a window of 16,000 tokens, with a summarizer that follows a script."""

import json

import pytest

from chatfold import count_cache
from summarization.stubs import run
from validity import faults
from window.day import ENCODING, INSTRUCTIONS, TOOLS, Recount, Scripted, turns, window_of
from work import Work

TURNS = 2_000
WINDOW = 16_000


@pytest.mark.parametrize("seed", [1, 2, 7])
def test_a_day_never_leaves_the_window_and_costs_the_same_every_hour(seed: int) -> None:
    run(_live_through_a_day(seed))


async def _live_through_a_day(seed: int) -> None:
    count_cache.clear()
    summarizer = Scripted()
    window = window_of(summarizer)
    recount = Recount()
    instructions = recount.text(INSTRUCTIONS)
    tools = sum(recount.text(json.dumps(tool, separators=(",", ":"))) for tool in TOOLS)
    texts, appended, calls, kept = [], [], 0, []
    for steps in turns(TURNS, seed):
        texts_counted, bytes_appended = 0, 0
        for step in steps[:-1]:
            work = Work()
            window.extend(step)
            prepared = await window.prepare()
            usage = window.usage
            texts_counted += work.done.bytes_tokenized
            bytes_appended += len(json.dumps(step))
            calls += 1
            # Never over the window, nor into what is reserved of it.
            assert prepared.report.target_met
            assert usage.tokens <= WINDOW - usage.reserved
            # Never an invalid history.
            assert faults(prepared.messages) == []
            assert prepared.messages[-1] is step[-1]
            # The gauge is what a full recount gives.
            messages = recount.messages(prepared.messages)
            assert usage.tokens == messages + instructions + tools
            assert usage.remaining == WINDOW - usage.tokens
            summaries = [
                message
                for message in prepared.messages
                if (message["content"] or "").startswith("[Summary]")
            ]
            assert len(summaries) <= 1
            assert usage.baseline == recount.messages(summaries)
        window.extend(steps[-1])
        texts.append(texts_counted)
        appended.append(bytes_appended)
        kept.append(window.index.included_message_count)
    # Each summary takes several turns in: on average what fills a third of the window.
    assert 0 < summarizer.calls * WINDOW / 3 < window.index.total_token_count
    # What a turn costs does not grow with the day: texts are counted once, and few are kept.
    early, late = slice(100, 600), slice(TURNS - 500, TURNS)
    assert sum(texts[late]) / sum(appended[late]) < 1.2 * sum(texts[early]) / sum(appended[early])
    assert max(kept[late]) < 1.5 * max(kept[early])
    # Nothing is lost.
    assert len(window.index) == sum(len(step) for steps in turns(TURNS, seed) for step in steps)
    assert window.index.tokenizer.count_tokens("") == 0
    assert repr(window.index.tokenizer) == f"EncodingTokenizer({ENCODING!r})"

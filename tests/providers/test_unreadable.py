"""Messages that can't be read are refused where they are given, so that no run is lost by them."""

from typing import Any

import pytest

from chatfold import (
    ChatfoldError,
    CompactionProvider,
    ContextProvider,
    InMemoryHistoryProvider,
    MessageError,
    OptionTypeError,
    Run,
    Session,
)
from providers.agent import loaded
from summarization.stubs import assistant, run, user

Message = dict[str, Any]
BAD = {"role": "bot"}


def take(way: str, run: Run, sent: list[Message], more: list[Any]) -> None:
    if way == "append":
        for each in more:
            run.append(each)
    elif way == "extend":
        run.extend(more)
    else:
        run.sync([*sent, *run.response_messages, *more])


@pytest.mark.parametrize(("way", "position"), [("append", 2), ("extend", 2), ("sync", 3)])
@pytest.mark.parametrize("bad", [BAD, None, "text", {"role": None}, {}])
def test_a_message_that_cant_be_read_is_refused_at_once_and_the_run_goes_on(
    way: str, position: int, bad: object
) -> None:
    """The whole list has the question too, before what came of the run."""
    session = Session()
    providers: list[ContextProvider] = [InMemoryHistoryProvider(), CompactionProvider()]
    good = [user("go"), assistant("I look."), assistant("Found."), assistant("So.")]

    async def scene() -> None:
        async with session.run(providers, good[:1]) as turn:
            sent = await turn.messages()
            turn.append(good[1])
            with pytest.raises(MessageError, match=f"^message {position} can't be read") as caught:
                take(way, turn, sent, [good[2], bad, good[3]])
            assert caught.value.position == position
            taken = [each for each in turn.response_messages if each is not good[1]]
            assert taken == ([good[2]] if way == "append" else [])
            turn.extend(good[2 + len(taken) :])
            assert await turn.messages() == good

    run(scene())
    assert loaded(session) == good


def test_input_that_cant_be_read_is_refused_before_the_run() -> None:
    providers: list[ContextProvider] = [InMemoryHistoryProvider()]
    session = Session()
    with pytest.raises(MessageError, match=r"^message 1 can't be read: its role is 'bot'"):
        session.run(providers, [user("go"), BAD])
    assert not session.state


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"providers": None}, "^providers is None; pass a list of providers"),
        ({"providers": [3]}, r"^providers\[0\] is 3; pass an object with source_id"),
        ({"input_messages": "hi"}, "^input_messages is a str; pass a list of messages"),
        ({"input_messages": user("hi")}, "^input_messages is a dict; pass a list of messages"),
        ({"options": "stream"}, "^options is 'stream'; pass a dict, or None"),
    ],
)
def test_a_wrong_argument_of_a_run_is_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionTypeError, match=message) as caught:
        Session().run(**{"providers": [], **options})
    assert isinstance(caught.value, ChatfoldError)


def test_a_state_by_something_else_than_source_ids_is_refused() -> None:
    with pytest.raises(OptionTypeError, match=r"^a source id in state is 1; pass a text"):
        Session(state={1: {}})  # type: ignore[dict-item]

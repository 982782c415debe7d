"""Whole conversations: valid ones as a model API accepts them, and broken ones as they occur."""

from hypothesis import strategies as st

from chat_messages import (
    ASSISTANTS,
    CALLERS,
    CALLERS_WITHOUT_IDS,
    LEGACY_CALLERS,
    LEGACY_RESULTS,
    REASONING,
    RESULTS,
    RESULTS_WITHOUT_IDS,
    STAND_INS,
    SYSTEMS,
    USERS,
    Message,
)

Conversation = list[Message]
Segments = st.SearchStrategy[Conversation]


def alone(messages: st.SearchStrategy[Message]) -> Segments:
    return messages.map(lambda message: [message])


@st.composite
def tool_rounds(draw: st.DrawFn) -> Conversation:
    """Draw parallel calls and all of their results, in any order, with reasoning around them."""
    caller = draw(CALLERS)
    for number, call in enumerate(caller["tool_calls"]):
        call["id"] = f"c{number}"
    ids = draw(st.permutations([call["id"] for call in caller["tool_calls"]]))
    answers = [{**draw(RESULTS), "tool_call_id": call_id} for call_id in ids]
    before = [draw(REASONING)] if draw(st.booleans()) else []
    between = [draw(REASONING)] if draw(st.booleans()) else []
    return [*before, caller, *between, *answers]


@st.composite
def legacy_rounds(draw: st.DrawFn) -> Conversation:
    caller, answer = draw(LEGACY_CALLERS), draw(LEGACY_RESULTS)
    return [caller, {**answer, "name": caller["function_call"]["name"]}]


@st.composite
def late_results(draw: st.DrawFn) -> Conversation:
    """Draw a round whose last result comes after other messages."""
    *early, last = draw(TOOL_ROUNDS)
    between = [draw(USERS | ASSISTANTS) for _ in range(draw(st.integers(1, 2)))]
    return [*early, *between, last]


@st.composite
def crossed_rounds(draw: st.DrawFn) -> Conversation:
    """Draw parallel calls that were stored as separate messages, their results after both."""
    callers = [draw(CALLERS), draw(CALLERS)]
    ids = []
    for first, caller in zip((0, 2), callers, strict=True):
        for number, call in enumerate(caller["tool_calls"]):
            call["id"] = f"c{first + number}"
            ids.append(call["id"])
    answers = [{**draw(RESULTS), "tool_call_id": call_id} for call_id in ids]
    return [*callers, *draw(st.permutations(answers))]


TOOL_ROUNDS = tool_rounds()

VALID = st.one_of(
    alone(USERS),
    alone(USERS),
    alone(ASSISTANTS),
    alone(SYSTEMS),
    TOOL_ROUNDS,
    TOOL_ROUNDS,
    legacy_rounds(),
    alone(STAND_INS),
)
BROKEN = st.one_of(
    late_results(),
    crossed_rounds(),
    alone(CALLERS),
    st.lists(RESULTS, min_size=1, max_size=3),
    alone(LEGACY_CALLERS),
    alone(LEGACY_RESULTS),
    alone(CALLERS_WITHOUT_IDS),
    alone(RESULTS_WITHOUT_IDS),
    alone(REASONING),
    alone(CALLERS.map(lambda caller: {**caller, "tool_calls": []})),
)


def joined(segments: Segments) -> st.SearchStrategy[Conversation]:
    """Join segments; half of the conversations are long enough for a strategy to bite."""
    short, long = st.lists(segments, max_size=12), st.lists(segments, min_size=6, max_size=12)
    return st.one_of(short, long).map(
        lambda found: [message for segment in found for message in segment]
    )


@st.composite
def disturbed(draw: st.DrawFn, source: st.SearchStrategy[Conversation]) -> Conversation:
    """Lose, move or repeat a few messages of a conversation; a repeat is an equal copy."""
    messages = draw(source)
    for _ in range(draw(st.integers(0, 3)) if messages else 0):
        at = draw(st.integers(0, len(messages) - 1))
        to = draw(st.integers(0, len(messages) - 1))
        match draw(st.sampled_from(["lose", "move", "repeat"])):
            case "lose" if len(messages) > 1:
                messages.pop(at)
            case "move":
                messages.insert(to, messages.pop(at))
            case _:
                messages.insert(to, dict(messages[at]))
    return messages


ANYTHING = joined(st.one_of(VALID, BROKEN))

VALID_CONVERSATIONS = joined(VALID)
CONVERSATIONS = st.one_of(VALID_CONVERSATIONS, ANYTHING, disturbed(ANYTHING))

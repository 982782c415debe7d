"""Whole conversations: valid ones as a model API accepts them, and broken ones as they occur."""

from hypothesis import strategies as st

from chat_messages import (
    ASSISTANTS,
    CALLERS,
    CALLERS_WITHOUT_IDS,
    HOSTED_CALLERS,
    HOSTED_RESULTS,
    LEGACY_CALLERS,
    LEGACY_RESULTS,
    REASONING,
    RESULTS,
    RESULTS_TOGETHER,
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


@st.composite
def answers_again(draw: st.DrawFn) -> Conversation:
    """Draw a call that is answered more than once, at once or after other messages."""
    caller = draw(CALLERS)
    caller["tool_calls"] = caller["tool_calls"][:1]
    call_id = caller["tool_calls"][0]["id"]
    answers = [{**draw(RESULTS), "tool_call_id": call_id} for _ in range(draw(st.integers(2, 3)))]
    between = [draw(ASSISTANTS)] if draw(st.booleans()) else []
    return [caller, answers[0], *between, *answers[1:]]


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
    answers_again(),
    alone(CALLERS),
    st.lists(RESULTS, min_size=1, max_size=3),
    alone(LEGACY_CALLERS),
    alone(LEGACY_RESULTS),
    alone(CALLERS_WITHOUT_IDS),
    alone(RESULTS_WITHOUT_IDS),
    alone(RESULTS_TOGETHER),
    alone(HOSTED_CALLERS),
    alone(HOSTED_RESULTS),
    alone(REASONING),
    alone(CALLERS.map(lambda caller: {**caller, "tool_calls": []})),
)


def joined(segments: Segments) -> st.SearchStrategy[Conversation]:
    """Join segments; half of the conversations are long enough for a strategy to bite."""
    short, long = st.lists(segments, max_size=12), st.lists(segments, min_size=6, max_size=12)
    return st.one_of(short, long).map(flat)


def flat(segments: list[Conversation]) -> Conversation:
    return [message for segment in segments for message in segment]


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


def under_one_id(messages: Conversation) -> Conversation:
    """Give all calls and results the same id, so that every rule about repeated ids is at work."""
    for message in messages:
        if "tool_call_id" in message:
            message["tool_call_id"] = "c0"
        for call in message.get("tool_calls", []):
            call["id"] = "c0"
    return messages


ANYTHING = joined(st.one_of(VALID, BROKEN))

VALID_CONVERSATIONS = joined(VALID)
CONVERSATIONS = st.one_of(
    VALID_CONVERSATIONS, ANYTHING, ANYTHING.map(under_one_id), disturbed(ANYTHING)
)


# Calls and results without much else, so that ids meet again far apart.
EXCHANGES = st.lists(
    st.one_of(alone(CALLERS), alone(RESULTS), answers_again(), VALID, BROKEN),
    max_size=6,
).map(flat)


# Exchanges and numbers of turns between them: printed as such, a failing example stays readable.
PIECES = st.one_of(
    st.tuples(EXCHANGES, st.sampled_from([260, 300, 400]), EXCHANGES),
    st.tuples(EXCHANGES, st.just(200), EXCHANGES, st.sampled_from([10, 60, 150]), EXCHANGES),
)


def filled(pieces: tuple[Conversation | int, ...]) -> Conversation:
    """Put plain turns between exchanges, so that old ones and new ones are far apart."""
    messages: Conversation = []
    for piece in pieces:
        if isinstance(piece, int):
            for number in range(piece):
                messages.append({"role": "user", "content": f"question {number}"})
                messages.append({"role": "assistant", "content": f"answer {number}"})
        else:
            messages += piece
    return messages


LONG_ENOUGH = 60


def longer(value: object, times: int) -> object:
    """Repeat the short texts of a content."""
    if isinstance(value, str):
        return value * times if len(value) < LONG_ENOUGH else value
    if isinstance(value, list):
        return [longer(part, times) for part in value]
    if isinstance(value, dict) and isinstance(value.get("text"), str):
        return {**value, "text": longer(value["text"], times)}
    return value


@st.composite
def with_long_results(draw: st.DrawFn) -> Conversation:
    """Draw some turns with results that are worth shortening."""
    messages = []
    for _ in range(draw(st.integers(2, 5))):
        asked, answered = draw(USERS), draw(st.lists(ASSISTANTS, max_size=1))
        messages += [asked, *draw(st.one_of(TOOL_ROUNDS, TOOL_ROUNDS, BROKEN)), *answered]
    times = st.integers(1, 30)
    return [
        {**message, "content": more(longer(message.get("content"), draw(times)), draw(MORE))}
        if message["role"] in {"tool", "function"}
        else message
        for message in messages
    ]


MORE = st.sampled_from([1, 1, 1, 3, 12])


def more(content: object, times: int) -> object:
    """Repeat the parts of a content."""
    return content * times if isinstance(content, list) else content


LONG_RESULTS = with_long_results()

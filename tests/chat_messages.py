"""Single messages in the OpenAI chat format, every one a fresh object."""

from typing import Any

from hypothesis import strategies as st

from texts import TEXTS

Message = dict[str, Any]
Messages = st.SearchStrategy[Message]


def merged(*strategies: Messages) -> Messages:
    """Draw one dict from several; the keys of later ones win."""
    return st.builds(lambda *dicts: {k: v for d in dicts for k, v in d.items()}, *strategies)


CALL_IDS = st.sampled_from(["c0", "c1", "c2", "c3", ""])
NAMES = st.sampled_from(["get_weather", "search_docs", "f", "名前", ""])
OPENINGS = st.sampled_from(
    ["[Tool results: f: sunny]", "[Tool calls: f, g]", "[Summary] the user likes tea."]
)

# Keys that the format allows or does not know; most messages have none.
EXTRAS: Messages = st.one_of(
    st.builds(dict),
    st.builds(dict),
    st.fixed_dictionaries(
        {},
        optional={
            "name": NAMES,
            "metadata": st.builds(lambda: {"trace": [1, {"deep": None}]}),
            "cache_control": st.builds(lambda: {"type": "ephemeral"}),
            "refusal": st.sampled_from([None, "", "I cannot."]),
            "annotations": st.builds(list),
        },
    ),
)

TEXT_PARTS = st.builds(
    lambda kind, text: {"type": kind, "text": text},
    st.sampled_from(["text", "text", "input_text", "output_text"]),
    TEXTS,
)
OPAQUE_PARTS = st.one_of(
    st.builds(
        lambda n: {"type": "image_url", "image_url": {"url": "data:;base64," + "Q" * n}},
        st.integers(0, 3000),
    ),
    st.builds(lambda: {"type": "input_audio", "input_audio": {"data": "UklG"}}),
    st.builds(lambda: {"type": "file", "file": {"file_id": "file-1"}}),
    st.builds(lambda: {"type": "hologram", "payload": {"depth": 3}}),
    st.builds(lambda: {"no": "type"}),
)
# What no API sends but frameworks hold: bare text, and text under a type that is not known.
ODD_PARTS = st.one_of(TEXTS, st.builds(lambda text: {"type": "widget", "text": text}, TEXTS))
REFUSAL_PARTS = st.builds(lambda text: {"type": "refusal", "refusal": text}, TEXTS)
REASONING_PARTS = st.one_of(
    st.builds(lambda text: {"type": "reasoning", "text": text}, TEXTS),
    st.builds(lambda text: {"type": "thinking", "thinking": text, "signature": "s"}, TEXTS),
    st.builds(lambda: {"type": "redacted_thinking", "data": "opaque" * 9}),
)

CONTENTS = st.one_of(
    TEXTS,
    TEXTS,
    TEXTS,
    st.lists(st.one_of(TEXT_PARTS, TEXT_PARTS, OPAQUE_PARTS, ODD_PARTS), max_size=3),
    st.none(),
)
ASSISTANT_CONTENTS = st.one_of(
    TEXTS,
    TEXTS,
    st.lists(st.one_of(TEXT_PARTS, REFUSAL_PARTS, REASONING_PARTS), max_size=3),
    st.none(),
)

USERS = merged(EXTRAS, st.fixed_dictionaries({"role": st.just("user"), "content": CONTENTS}))
ASSISTANTS = merged(
    EXTRAS,
    st.fixed_dictionaries({"role": st.just("assistant"), "content": ASSISTANT_CONTENTS}),
)
SYSTEMS = merged(
    EXTRAS,
    st.fixed_dictionaries(
        {"role": st.sampled_from(["system", "developer"]), "content": CONTENTS},
    ),
)

REASONING = st.one_of(
    st.fixed_dictionaries(
        {
            "role": st.just("assistant"),
            "content": st.sampled_from([None, ""]),
            "reasoning_content": st.sampled_from(["I think.", "数据"]),
        }
    ),
    st.fixed_dictionaries(
        {"role": st.just("assistant"), "content": st.none(), "reasoning": st.just("Hmm.")}
    ),
    st.fixed_dictionaries(
        {
            "role": st.just("assistant"),
            "content": st.lists(REASONING_PARTS, min_size=1, max_size=2),
        }
    ),
    # Some send an empty text beside their reasoning.
    st.fixed_dictionaries(
        {
            "role": st.just("assistant"),
            "content": st.tuples(REASONING_PARTS, st.just({"type": "text", "text": ""})).flatmap(
                st.permutations
            ),
        }
    ),
    st.fixed_dictionaries(
        {
            "role": st.just("assistant"),
            "content": st.just([{"type": "text", "text": ""}]),
            "reasoning_content": st.just("So."),
        }
    ),
)

STAND_INS = st.fixed_dictionaries(
    {
        "role": st.sampled_from(["assistant", "user"]),
        "content": st.one_of(OPENINGS, OPENINGS.map(lambda text: [{"type": "text", "text": text}])),
    }
)

ARGUMENTS: st.SearchStrategy[Any] = st.one_of(
    st.sampled_from(["{}", '{"q": "x"}', "{not json"]),
    TEXTS,
    st.none(),
    st.builds(lambda text: {"q": [text, 1.5, None]}, TEXTS),
)
FUNCTION_CALLS = st.builds(
    lambda call_id, name, text: {
        "id": call_id,
        "type": "function",
        "function": {"name": name, "arguments": text},
    },
    CALL_IDS,
    NAMES,
    ARGUMENTS,
)
CUSTOM_CALLS = st.builds(
    lambda call_id, name, text: {
        "id": call_id,
        "type": "custom",
        "custom": {"name": name, "input": text},
    },
    CALL_IDS,
    NAMES,
    ARGUMENTS,
)
TOOL_CALLS = st.one_of(FUNCTION_CALLS, FUNCTION_CALLS, CUSTOM_CALLS)

CALLERS = merged(
    EXTRAS,
    st.fixed_dictionaries(
        {
            "role": st.just("assistant"),
            "tool_calls": st.lists(TOOL_CALLS, min_size=1, max_size=4),
        },
        optional={"content": ASSISTANT_CONTENTS, "reasoning_content": TEXTS},
    ),
)
RESULTS = st.fixed_dictionaries(
    {"role": st.just("tool"), "tool_call_id": CALL_IDS}, optional={"content": CONTENTS}
)
# Formats that put several results into one message are read into such parts.
RESULT_PARTS = st.fixed_dictionaries(
    {"type": st.just("tool_result")}, optional={"tool_call_id": CALL_IDS, "content": CONTENTS}
)
RESULTS_TOGETHER = st.fixed_dictionaries(
    {
        "role": st.just("tool"),
        "content": st.lists(st.one_of(RESULT_PARTS, RESULT_PARTS, TEXT_PARTS), max_size=3),
    }
)
HOSTED_CALLERS = CALLERS.flatmap(
    lambda caller: st.lists(st.one_of(RESULT_PARTS, TEXT_PARTS), max_size=3).map(
        lambda content: {**caller, "content": content}
    )
)
HOSTED_RESULTS = st.lists(st.one_of(RESULT_PARTS, REASONING_PARTS), max_size=3).map(
    lambda content: {"role": "assistant", "content": content}
)
# Without an id nothing links a call and its result but that one follows the other.
CALLERS_WITHOUT_IDS = CALLERS.map(
    lambda caller: {
        **caller,
        "tool_calls": [
            {key: value for key, value in call.items() if key != "id"}
            for call in caller["tool_calls"]
        ],
    }
)
RESULTS_WITHOUT_IDS = st.builds(lambda text: {"role": "tool", "content": text}, TEXTS)

LEGACY_CALLERS: Messages = st.fixed_dictionaries(
    {
        "role": st.just("assistant"),
        "function_call": st.fixed_dictionaries({"name": NAMES, "arguments": TEXTS}),
    },
    optional={"content": st.none()},
)
LEGACY_RESULTS: Messages = st.fixed_dictionaries(
    {"role": st.just("function"), "name": NAMES, "content": TEXTS}
)

"""Reading the framework's messages: every kind of content."""

from typing import Any, get_args

import pytest
from agent_framework import Content, Message
from agent_framework._types import ContentType

from chatfold import MessageIndex, Overhead, ToolResultCompactionStrategy
from chatfold.integrations.agent_framework import as_compaction_strategy
from chatfold.integrations.agent_framework.messages import from_chat, to_chat
from framework_agents.scripted import conversation, run

PNG = b"\x89PNG" + b"0" * 3000
IMAGE = Content.from_data(PNG, "image/png")
CALL = Content.from_function_call("c1", "lookup", arguments='{"q": "x"}')


def text(value: str) -> Content:
    return Content.from_text(value)


# Each kind with the role that it comes in, the texts that count, and the payloads.
KINDS: dict[str, tuple[str, Content, list[str], dict[str, int]]] = {
    "text": ("user", text("hello"), ["hello"], {}),
    "text_reasoning": (
        "assistant",
        Content.from_text_reasoning(text="I think.", protected_data="b" * 5000),
        ["I think."],
        {},
    ),
    "data": ("user", IMAGE, [], {"image": 1}),
    "uri": (
        "user",
        Content.from_uri("https://x.org/a.mp3", media_type="audio/mpeg"),
        [],
        {"audio": 1},
    ),
    "error": (
        "assistant",
        Content.from_error(message="It broke", error_code="500", error_details="badly"),
        ["It broke: 500: badly"],
        {},
    ),
    "function_call": ("assistant", CALL, ["lookup", '{"q": "x"}'], {}),
    "function_result": (
        "tool",
        Content.from_function_result("c1", result=[text("found"), IMAGE]),
        ["found"],
        {"image": 1},
    ),
    "usage": ("assistant", Content.from_usage({"input_token_count": 7}), [], {}),
    "hosted_file": ("user", Content.from_hosted_file("file-1"), [], {"file": 1}),
    "hosted_vector_store": ("user", Content.from_hosted_vector_store("vs-1"), [], {"other": 1}),
    "code_interpreter_tool_call": (
        "assistant",
        Content.from_code_interpreter_tool_call(call_id="c1", inputs=[text("1 + 1")]),
        ["code_interpreter", "1 + 1"],
        {},
    ),
    "code_interpreter_tool_result": (
        "assistant",
        Content.from_code_interpreter_tool_result(call_id="c1", outputs=[text("2"), IMAGE]),
        ["2"],
        {"image": 1},
    ),
    "image_generation_tool_call": (
        "assistant",
        Content.from_image_generation_tool_call(image_id="c1"),
        ["image_generation", ""],
        {},
    ),
    "image_generation_tool_result": (
        "assistant",
        Content.from_image_generation_tool_result(image_id="c1", outputs=IMAGE),
        [],
        {"image": 1},
    ),
    "mcp_server_tool_call": (
        "assistant",
        Content.from_mcp_server_tool_call("c1", "search", arguments={"q": "ü"}),
        ["search", '{"q": "ü"}'],
        {},
    ),
    "mcp_server_tool_result": (
        "assistant",
        Content.from_mcp_server_tool_result(
            "c1", output=[text("one"), {"type": "text", "text": "two"}]
        ),
        ["one", "two"],
        {},
    ),
    "search_tool_call": (
        "assistant",
        Content.from_search_tool_call("c1", tool_name="web", arguments="whales"),
        ["web", "whales"],
        {},
    ),
    "search_tool_result": (
        "assistant",
        Content.from_search_tool_result("c1", tool_name="web", result={"hits": 2}),
        ['{"hits": 2}'],
        {},
    ),
    "shell_tool_call": (
        "assistant",
        Content.from_shell_tool_call(call_id="c1", commands=["ls", "pwd"]),
        ["shell", "ls\npwd"],
        {},
    ),
    "shell_tool_result": (
        "assistant",
        Content.from_shell_tool_result(
            call_id="c1",
            outputs=[Content.from_shell_command_output(stdout="a b", stderr="no", exit_code=2)],
        ),
        ["a b\nno\nexit code 2"],
        {},
    ),
    "shell_command_output": (
        "assistant",
        Content.from_shell_command_output(stdout="a b", exit_code=0),
        ["a b"],
        {},
    ),
    "computer_tool_call": (
        "assistant",
        Content("computer_tool_call", call_id="c1", actions=[{"type": "click"}]),
        ["computer", '[{"type": "click"}]'],
        {},
    ),
    "computer_tool_result": (
        "tool",
        Content("computer_tool_result", call_id="c1", screenshot=IMAGE),
        [],
        {"image": 1},
    ),
    "function_approval_request": (
        "assistant",
        Content("function_approval_request", id="c1", function_call=CALL),
        ["lookup", '{"q": "x"}'],
        {},
    ),
    "function_approval_response": (
        "user",
        Content("function_approval_response", id="c1", function_call=CALL, approved=True),
        [],
        {},
    ),
    "oauth_consent_request": (
        "assistant",
        Content.from_oauth_consent_request("https://x.org/consent"),
        [],
        {"other": 1},
    ),
}
PRICES = Overhead(image=1_000, audio=10_000, file=100_000, other=1_000_000)
PRICE_OF = {"image": 1_000, "audio": 10_000, "file": 100_000, "other": 1_000_000}
CALLS = [kind for kind in KINDS if kind.endswith("_call")]


def index_of(*messages: Message) -> MessageIndex:
    return MessageIndex([to_chat(message) for message in messages], tokenizer=len, overhead=PRICES)


def test_the_table_has_every_kind_that_the_framework_has() -> None:
    assert set(KINDS) == set(get_args(ContentType))


@pytest.mark.parametrize("kind", KINDS)
def test_texts_and_payloads_of_a_kind_count_and_nothing_else(kind: str) -> None:
    role, content, texts, payloads = KINDS[kind]
    group = index_of(Message(role, [content])).groups[0]
    assert group.byte_count == sum(len(each.encode()) for each in texts)
    fixed = sum(PRICE_OF[name] * number for name, number in payloads.items())
    assert group.token_count == sum(map(len, texts)) + fixed


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_survives_saving_and_loading(kind: str) -> None:
    role, content, *_ = KINDS[kind]
    message = Message(role, [content, text("and words")])
    loaded = Message.from_dict(message.to_dict())
    (first,), (second,) = index_of(message).groups, index_of(loaded).groups
    assert first.token_count == second.token_count
    assert first.kind == second.kind


@pytest.mark.parametrize("kind", CALLS)
def test_a_call_of_each_kind_waits_for_its_result_and_is_one_group_with_it(kind: str) -> None:
    _, call, *_ = KINDS[kind]
    role, result, *_ = KINDS[kind.removesuffix("_call") + "_result"]
    asked, called = Message("user", ["Do it."]), Message("assistant", [text("Well."), call])
    index = index_of(asked, called)
    assert index.groups[1].kind == "tool_call"
    assert index.groups[1].pending
    # In a message of its own, later, and in the message of the call itself.
    index = index_of(asked, called, Message("user", ["And?"]), Message(role, [result]))
    assert [group.positions for group in index.groups] == [(0,), (1, 3), (2,)]
    index = index_of(asked, called, Message(role, [result]))
    assert [group.positions for group in index.groups] == [(0,), (1, 2)]
    assert not index.groups[1].pending
    index = index_of(asked, Message("assistant", [text("Well."), call, result, text("Done.")]))
    assert [group.positions for group in index.groups] == [(0,), (1,)]
    assert not index.groups[1].pending


def test_one_message_with_the_results_of_two_groups_ties_them() -> None:
    calls = [Content.from_function_call(f"c{at}", "f", arguments="{}") for at in range(2)]
    results = [Content.from_function_result(f"c{at}", result="r") for at in range(2)]
    index = index_of(
        Message("user", ["Do it."]),
        Message("assistant", calls[:1]),
        Message("assistant", ["Wait."]),
        Message("assistant", calls[1:]),
        Message("user", ["And?"]),
        Message("tool", results),
    )
    assert [group.positions for group in index.groups] == [(0,), (1, 3, 5), (2,), (4,)]


def test_an_approval_is_part_of_the_group_of_its_call() -> None:
    request = Content("function_approval_request", id="c1", function_call=CALL)
    answer = Content("function_approval_response", id="c1", function_call=CALL, approved=True)
    result = Content.from_function_result("c1", result="found")
    messages = [
        Message("user", ["Do it."]),
        Message("assistant", [CALL, request]),
        Message("user", [answer]),
        Message("tool", [result]),
    ]
    index = index_of(*messages)
    assert [group.positions for group in index.groups] == [(0,), (1, 2, 3)]
    assert len(to_chat(messages[1])["tool_calls"]) == 1
    assert index.total_turn_count == 1


def test_reasoning_before_a_call_belongs_to_it() -> None:
    index = index_of(
        Message("user", ["Do it."]),
        Message("assistant", [Content.from_text_reasoning(text="Hmm.")]),
        Message("assistant", [CALL]),
        Message("tool", [Content.from_function_result("c1", result="found")]),
    )
    assert [group.positions for group in index.groups] == [(0,), (1, 2, 3)]


def test_a_hosted_tool_in_one_message_is_digested() -> None:
    call = Content.from_mcp_server_tool_call("m1", "search", arguments={"q": "whales"})
    result = Content.from_mcp_server_tool_result("m1", output=[text("a long text " * 20)])
    messages = [
        Message("user", ["Whales?"]),
        Message("assistant", [call, result]),
        Message("user", ["Thanks."]),
    ]
    strategy = as_compaction_strategy(
        ToolResultCompactionStrategy(keep_last_tool_call_groups=0, max_chars=64)
    )
    assert run(strategy(messages))
    digest = messages[1].text
    assert digest.startswith("[Tool results: search: a long text")
    assert len(digest) == 64


@pytest.mark.parametrize(
    "odd",
    [
        Message("assistant", []),
        Message("user", []),
        Message("tool", ["a result without a call"]),
        Message("critic", ["an unknown role"]),
        Message("developer", ["Be kind."]),
        Message("user", [Content("hologram", text="floating")]),  # type: ignore[arg-type]
        Message("user", [Content.from_function_result("c9", result="from a user")]),
        Message("assistant", [Content("function_call")]),
        Message("tool", [Content("function_result", result={"a": {1, 2}})]),
        Message("assistant", [Content("mcp_server_tool_result", output=object())]),
        Message("assistant", [Content("function_approval_request", id="x")]),
        Message("user", [Content("function_approval_response", id="x")]),
        Message("user", ["lone \ud83d surrogate"]),
    ],
)
def test_odd_messages_are_read_without_complaint(odd: Message) -> None:
    index = index_of(*conversation(1), odd)
    assert index.total_message_count == 6
    assert index.included_token_count > 0


def test_a_chat_message_goes_there_and_back() -> None:
    chat: list[dict[str, Any]] = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "What?"},
        {
            "role": "assistant",
            "content": "Let me see.",
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "f", "arguments": '{"q": "x"}'},
                }
            ],
        },
        {"role": "assistant", "content": "Here."},
    ]
    assert [to_chat(from_chat(message)) for message in chat] == chat
    result = from_chat({"role": "tool", "tool_call_id": "c1", "content": "found"})
    index = index_of(*(from_chat(each) for each in chat), result)
    assert [group.positions for group in index.groups][2] == (2, 4)
    legacy: list[dict[str, Any]] = [
        {"role": "assistant", "function_call": {"name": "g", "arguments": "{}"}},
        {"role": "function", "name": "g", "content": "done"},
    ]
    assert [
        group.positions for group in index_of(*(from_chat(each) for each in legacy)).groups
    ] == [(0, 1)]

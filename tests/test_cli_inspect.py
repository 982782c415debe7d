"""``chatfold inspect`` adds up what is there."""

import json

import chatfold
from command_line import assistant, exchange, lines, run, user

TALK = [
    {"role": "system", "content": "be kind"},
    *exchange(1),
    *exchange(2, "short"),
    {"role": "tool", "tool_call_id": "nobody", "content": "an orphan"},
]
EXACT = chatfold.tokenizers.resolve("o200k_base")


def test_json_has_all_figures() -> None:
    value = run("inspect", "-", "--json", "--largest", 1, stdin=json.dumps(TALK).encode()).value
    index = chatfold.MessageIndex(TALK, tokenizer=EXACT)
    assert value["messages"] == len(TALK) == 10
    assert value["groups"] == len(index.groups)
    assert value["turns"] == 2
    assert value["tokens"] == index.total_token_count
    assert value["kinds"]["tool_call"]["groups"] == 3
    assert value["roles"]["tool"]["messages"] == 3
    assert {name: row["results"] for name, row in value["tools"].items()} == {
        "look_up": 2,
        "(no call)": 1,
    }
    long = "a long result " * 20
    assert value["largest"] == [
        {
            "position": 3,
            "role": "tool",
            "turn": 1,
            "tokens": EXACT.count_tokens(long),
            "begins": (long[:59] + "…"),
        }
    ]


def test_kinds_and_roles_add_up_to_all_tokens() -> None:
    value = run("inspect", "-", "--json", stdin=json.dumps(TALK).encode()).value
    for rows in (value["kinds"], value["roles"]):
        assert sum(row["tokens"] for row in rows.values()) == value["tokens"]


def test_json_has_a_line_for_each_conversation() -> None:
    values = run("inspect", "-", "--json", stdin=lines(TALK, [user("a")])).values
    assert [(each["line"], each["messages"]) for each in values] == [(1, 10), (2, 1)]


def test_many_conversations_are_added_up() -> None:
    out = run("inspect", "-", "--largest", 2, stdin=lines(TALK, TALK, [user("a")])).out.decode()
    assert out.startswith("3 conversations, 21 messages, 17 groups, 5 turns, ")
    assert "look_up          4" in out
    assert [line.split()[:2] for line in out.splitlines()[-2:]] == [["1", "3"], ["2", "3"]]


def test_an_empty_conversation_has_nothing_to_show() -> None:
    out = run("inspect", "-", stdin=b"[]").out
    assert out == b"0 messages, 0 groups, 0 turns, 0 tokens\n"


def test_odd_text_does_not_disturb_the_terminal() -> None:
    talk = [user("\ud83d [b]bold[/] \x1b[31mred\x07 :smile:"), assistant("x")]
    out = run("inspect", "-", stdin=json.dumps(talk).encode()).out.decode()
    assert "\ufffd [b]bold[/] \ufffd[31mred\ufffd :smile:" in out


def test_content_parts_and_bare_calls_have_an_opening() -> None:
    talk = [
        {"role": "user", "content": [{"type": "text", "text": "look\nat this"}]},
        {**exchange(1)[1]},
        {"role": "function", "name": "old", "content": "x"},
        {"role": "assistant"},
    ]
    value = run("inspect", "-", "--json", stdin=json.dumps(talk).encode()).value
    begins = {each["position"]: each["begins"] for each in value["largest"]}
    assert begins == {0: "look at this", 1: "calls look_up", 2: "x", 3: ""}
    assert list(value["tools"]) == ["old"]

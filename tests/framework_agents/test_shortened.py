"""Messages whose texts a strategy shortens: a copy takes the place of each."""

from typing import Any

from agent_framework import Content, Message, apply_compaction

from chatfold import ContextPruningStrategy, MessageIndex, work_done
from chatfold.integrations._adapter import AdaptedHistory
from chatfold.integrations.agent_framework import as_compaction_strategy
from chatfold.integrations.agent_framework.messages import ADAPTER, to_chat
from framework_agents.scripted import pairs_closed, run, tool_round


def conversation(turns: int) -> list[Message]:
    messages = [Message("system", ["Be brief."])]
    for turn in range(turns):
        messages.append(Message("user", [f"question {turn}"]))
        messages += tool_round(turn, f"{turn} long result " * 600)
        messages.append(Message("assistant", ["Well."]))
    return messages


def sizes(messages: list[Message]) -> list[int]:
    return [len(m.contents[0].result) for m in messages if m.role == "tool"]


def test_a_copy_has_the_new_texts_and_all_else() -> None:
    picture = Content.from_data(b"\x89PNG", "image/png")
    contents = [
        Content.from_function_result("c1", result=[Content.from_text("a long text"), picture]),
        Content.from_function_result("c2", result="another"),
    ]
    message = Message("tool", contents, message_id="m1", additional_properties={"mine": 1})
    chat = to_chat(message)
    shortened: dict[str, Any] = {**chat, "content": [dict(part) for part in chat["content"]]}
    shortened["content"][0]["content"] = [
        {"type": "text", "text": "a…"},
        *chat["content"][0]["content"][1:],
    ]
    copied = ADAPTER.rewrite(message, chat, shortened)
    assert [content.result for content in copied.contents] == ["a…", "another"]
    assert copied.contents[0].items is not None
    assert [item.type for item in copied.contents[0].items] == ["text", "data"]
    assert copied.contents[0].items[0].text == "a…"
    assert copied.contents[1] is contents[1]
    assert (copied.message_id, copied.additional_properties) == ("m1", {"mine": 1})
    assert contents[0].result == "a long text"


def test_a_copy_is_settled_until_it_is_another() -> None:
    messages = conversation(1)
    history = AdaptedHistory(ADAPTER, MessageIndex)
    history.follow(messages)
    own = to_chat(messages[3])
    for text in ("short", "shorter"):
        shortened = {**own, "content": text}
        copied = history.settle(3, shortened)
        assert copied is not None
        assert copied.contents[0].result == text
        assert copied.contents[0].call_id == "c0_0"
        assert history.settle(3, shortened) is None
        assert history.shared([*messages[:3], copied, messages[4]]) == 5
        assert history.shared(messages) == 3
    back = history.settle(3, history.index.messages[3])
    assert back is messages[3]
    assert history.shared(messages) == 5


def test_old_results_are_shortened_and_stay_so() -> None:
    def pruning() -> ContextPruningStrategy:
        return ContextPruningStrategy(min_prunable_tool_chars=100)

    messages = conversation(8)
    own, before = list(messages), sizes(messages)
    strategy = as_compaction_strategy(pruning())
    kept = run(apply_compaction(messages, strategy=strategy))
    first = sizes(kept)
    assert first[0] < first[4] < first[-1] == before[-1]
    assert sizes(own) == before
    assert [m.message_id for m in kept] == [m.message_id for m in own]
    assert pairs_closed(kept)
    assert run(strategy(messages)) is False
    messages += conversation(1)[1:]
    read = work_done().messages_read
    kept = run(apply_compaction(messages, strategy=strategy))
    assert work_done().messages_read - read == 4
    assert all(now <= then for now, then in zip(sizes(kept), first, strict=False))
    # In flight the list is left alone, and a copy is the same from call to call.
    listed = conversation(8)
    history = AdaptedHistory(ADAPTER, MessageIndex)
    history.follow(listed)
    history.index.compact(pruning())
    assert sizes(history.included()) == first
    assert all(a is b for a, b in zip(history.included(), history.included(), strict=True))
    assert sizes(listed) == before

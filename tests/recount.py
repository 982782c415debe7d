"""Small histories, and a plain recount of what an index keeps up to date."""

from chatfold import MessageIndex
from conversations import Conversation
from states import groups_of


def talk(length: int, name: str = "") -> Conversation:
    roles = ("user", "assistant")
    return [{"role": roles[at % 2], "content": f"{name}{at}: some words"} for at in range(length)]


def rounds(turns: int) -> Conversation:
    messages: Conversation = []
    for turn in range(turns):
        call = {"id": f"c{turn}", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        messages += [
            {"role": "user", "content": f"Question {turn}?"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{turn}", "content": f"Result {turn}. " * 9},
        ]
    return messages


def assert_figures_are_right(index: MessageIndex) -> None:
    """Compare what the index kept up to date with a plain recount of its groups."""
    groups = groups_of(index)
    included = [group for group in groups if not group.excluded]
    assert index.included_group_count == len(included)
    assert index.included_token_count == sum(group.tokens for group in included)
    assert index.included_byte_count == sum(group.bytes for group in included)
    assert index.included_message_count == len(index.included_messages())
    assert index.total_token_count == sum(group.tokens for group in groups)
    assert index.total_group_count == len(groups)
    positions = sorted(position for group in groups for position in group.positions)
    assert positions == list(range(len(index)))

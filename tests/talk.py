"""A plain talk of a user and an assistant, of any length."""

from conversations import Conversation


def talk(length: int, size: int = 1) -> Conversation:
    roles = ("user", "assistant")
    return [
        {"role": roles[at % 2], "content": f"Message {at}, " + f"word {at} of many. " * size}
        for at in range(length)
    ]

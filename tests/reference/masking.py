"""Observation masking: every consumed result is measured against its share, step after step."""

from fractions import Fraction

from reference.history import History
from reference.messages import Message, kind, said_texts
from reference.protection import Spec
from reference.pruning import group_of, is_binary, is_result, message_at, size
from reference.triggers import holds


def observation_masking(history: History, spec: Spec) -> None:
    if not holds(spec.get("trigger") or ["always"], history):
        return
    target = spec.get("target") or ["not", spec.get("trigger") or ["always"]]
    messages = history.messages
    results = [at for at, own in enumerate(messages) if is_result(own) and not is_binary(own)]
    texts = [at for at, own in enumerate(messages) if says_something(own)]
    consumed = [at for at in results if texts and at < texts[-1]]
    limits = shares(len(consumed), spec)
    for position, limit in zip(consumed, limits, strict=True):
        if holds(target, history):
            return
        group = group_of(history, position)
        short = size(message_at(history, position)) <= limit
        settled = (position, spec.get("min_chars", 300))
        if not (group.excluded or group.pending or short or settled in history.masked):
            history.masked.add(settled)
            history.shorten_together(position, limit)


def says_something(message: Message) -> bool:
    if message["role"] != "assistant" or kind(message) == "summary":
        return False
    return any(text.strip() for text in said_texts(message))


def shares(count: int, spec: Spec) -> list[int]:
    """Weigh the oldest with 0.2, the newest with 1, and those between evenly."""
    weights = [Fraction(1, 5) + Fraction(4 * at, 5 * max(1, count - 1)) for at in range(count)]
    budget, least = 4 * (spec.get("token_budget") or 0), spec.get("min_chars", 300)
    total = sum(weights)
    return [max(least, budget * weight // total) for weight in weights]

"""A long text without its middle."""

from reference.parts import Limits

MARKER_ROOM = 64
SHORTEST = 64
NEAR = 5
GAP = "[...]"


def trim(text: str, limits: Limits) -> str:
    """Keep start and end, with a line between them that says how much of how much was kept."""
    most, head, tail = limits
    most = most or head + tail + MARKER_ROOM
    room = most - len(marker(len(text), len(text)))
    if len(text) <= most or room < 0:
        return text
    if head + tail > room:
        head, tail = (
            room * head // (head + tail),
            (room - room * head // (head + tail)) * (tail > 0),
        )
    start, end = text[:head], text[len(text) - tail :]
    start, end = to_line_end(start), from_line_start(end)
    line = marker(len(start + end), len(text))
    if not start or start.endswith("\n"):
        line = line.removeprefix("\n")
    if not end:
        line = line.removesuffix("\n")
    return start + line + end


def thirds(most: int) -> Limits:
    tail = most // 10 * 3
    return (most, most - tail, tail)


def trim_together(texts: list[str], most: int) -> list[str]:
    """Trim texts to the largest limit with which all fit together; where there is none, keep ends."""
    if sum(map(len, texts)) <= most:
        return texts
    if len([text for text in texts if text]) == 1:
        return [trim(text, thirds(most)) for text in texts]
    for limit in range(most, SHORTEST - 1, -1):
        if sum(min(len(text), limit) for text in texts) <= most:
            return [trim(text, thirds(limit)) for text in texts]
    kept: set[int] = set()
    for number in range(len(texts)):
        inwards = number // 2 if number % 2 == 0 else len(texts) - 1 - number // 2
        if length(texts, {*kept, inwards}) > max(most, length(texts, set())):
            break
        kept.add(inwards)
    return [
        trim(text, thirds(SHORTEST)) if at in kept else min(text, GAP, key=len)
        for at, text in enumerate(texts)
    ]


def length(texts: list[str], kept: set[int]) -> int:
    """Give the most that texts hold together of which only some are kept."""
    return sum(
        min(len(text), SHORTEST if at in kept else len(GAP)) for at, text in enumerate(texts)
    )


def marker(kept: int, of: int) -> str:
    return f"\n[... kept {kept} of {of} characters ...]\n"


def to_line_end(start: str) -> str:
    """Give up at most a fifth of the bytes to end with a line."""
    whole = start.encode()
    lines = whole[: whole.rfind(b"\n") + 1]
    return (lines if lines and len(lines) >= len(whole) - len(whole) // NEAR else whole).decode()


def from_line_start(end: str) -> str:
    whole = end.encode()
    line_end = whole[: len(whole) // NEAR].find(b"\n")
    return whole[line_end + 1 :].decode()

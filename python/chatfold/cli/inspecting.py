"""``chatfold inspect``: what a conversation is made of."""

import json
import sys
from collections.abc import Iterator

from rich.console import Console
from rich.table import Table

from chatfold import MessageError, MessageIndex, Overhead
from chatfold.cli.documents import Conversation, Form
from chatfold.cli.progress import progress
from chatfold.cli.reading import opened
from chatfold.cli.survey import LargeMessage, Rows, Survey, survey
from chatfold.tokenizers import Tokenizer


def inspect_file(
    source: str, *, tokenizer: Tokenizer, overhead: Overhead | None, largest: int, as_json: bool
) -> None:
    """Show what is in a file: its conversations together, or a JSON line for each."""
    total = Survey()
    with opened(source) as read:
        many = read.form is Form.CONVERSATION_LINES
        with progress(read, shown=many and not as_json) as advance:
            for conversation in read.conversations:
                found = _survey(conversation, tokenizer, overhead, largest)
                if as_json:
                    _write_json(found, conversation.line)
                else:
                    total.add(found, largest)
                advance(None)
    if not as_json:
        _show(total)


def _survey(
    conversation: Conversation, tokenizer: Tokenizer, overhead: Overhead | None, largest: int
) -> Survey:
    try:
        index = MessageIndex(conversation.messages, tokenizer=tokenizer, overhead=overhead)
    except MessageError as error:
        raise conversation.unreadable(error) from None
    return survey(index, line=conversation.line, largest=largest)


def _write_json(found: Survey, line: int | None) -> None:
    def rows(rows: Rows, of: str) -> dict[str, dict[str, int]]:
        return {name: {of: row.count, "tokens": row.tokens} for name, row in rows.items()}

    value = {
        "line": line,
        "messages": found.messages,
        "groups": found.groups,
        "turns": found.turns,
        "tokens": found.tokens,
        "kinds": rows(found.kinds, "groups"),
        "roles": rows(found.roles, "messages"),
        "tools": rows(found.tools, "results"),
        "largest": [
            {
                "position": message.position,
                "role": message.role,
                "turn": message.turn,
                "tokens": message.tokens,
                "begins": message.begins,
            }
            for message in found.large
        ],
    }
    if line is None:
        del value["line"]
    sys.stdout.write(json.dumps(value) + "\n")


def _show(found: Survey) -> None:
    sys.stdout.write(f"{_head(found)}\n")
    tables = [
        _table(("kind", "groups"), found.kinds, found.tokens),
        _table(("role", "messages"), found.roles, found.tokens),
        _table(("tool", "results"), found.tools, found.tokens),
        _large(found.large),
    ]
    console = Console(highlight=False, markup=False, emoji=False)
    for table in tables:
        if table.row_count:
            console.print()
            console.print(table)


def _head(found: Survey) -> str:
    figures = [
        (found.messages, "message"),
        (found.groups, "group"),
        (found.turns, "turn"),
        (found.tokens, "token"),
    ]
    if found.conversations != 1:
        figures.insert(0, (found.conversations, "conversation"))
    return ", ".join(f"{number:,} {word}{'' if number == 1 else 's'}" for number, word in figures)


def _table(titles: tuple[str, str], rows: Rows, of: int) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column(titles[0], no_wrap=True)
    for title in (titles[1], "tokens", "share"):
        table.add_column(title, justify="right", no_wrap=True)
    for name, row in sorted(rows.items(), key=lambda item: -item[1].tokens):
        share = row.tokens / max(of, 1)
        table.add_row(_shown(name), f"{row.count:,}", f"{row.tokens:,}", f"{share:.1%}")
    return table


def _large(messages: list[LargeMessage]) -> Table:
    lines = any(message.line is not None for message in messages)
    table = Table(box=None, pad_edge=False)
    for title in (*(["line"] if lines else []), "message", "turn", "tokens"):
        table.add_column(title, justify="right", no_wrap=True, min_width=len(title))
    table.add_column("role", no_wrap=True, min_width=len("assistant"))
    table.add_column("begins", no_wrap=True, overflow="ellipsis")
    for message in messages:
        table.add_row(*_cells(message, lines=lines))
    return table


def _cells(message: LargeMessage, *, lines: bool) -> Iterator[str]:
    if lines:
        yield f"{message.line:,}"
    yield f"{message.position:,}"
    yield "" if message.turn is None else f"{message.turn:,}"
    yield f"{message.tokens:,}"
    yield message.role
    yield _shown(message.begins)


def _shown(text: str) -> str:
    """Make a text fit for a terminal: lone surrogates and control characters are replaced."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)

"""How far a file of many conversations has been read: a bar, on a terminal only."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn

from chatfold.cli.reading import Source


@contextmanager
def progress(source: Source, *, shown: bool) -> Iterator[Callable[[str | None], None]]:
    """Show a bar where that is wanted and possible.

    Gives a function that moves it on, and says a line on stderr.
    """
    console = Console(stderr=True)
    if not (shown and console.is_terminal):
        yield _say
        return
    columns = (BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=source.size)

        def advance(text: str | None) -> None:
            bar.update(task, completed=source.bytes_read)
            if text is not None:
                bar.console.print(text, markup=False, highlight=False, soft_wrap=True)

        yield advance


def _say(text: str | None) -> None:
    if text is not None:
        sys.stderr.write(f"{text}\n")

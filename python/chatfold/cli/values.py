"""Values of the command line, refused in the words of the other errors."""

from collections.abc import Callable

import typer

from chatfold._options import LARGEST, shown


def whole(at_least: int) -> Callable[[str | int], int]:
    """Make what reads a whole number of at least some size.

    Raises:
        typer.BadParameter: It is none; says which ones are.
    """

    def number(text: str | int) -> int:
        wanted = f"pass a whole number of at least {at_least}"
        try:
            value = int(text)
        except ValueError:
            raise typer.BadParameter(f"it is {shown(text)}; {wanted}") from None
        if value > LARGEST:
            raise typer.BadParameter(f"it is {shown(value)}; {wanted} and at most {LARGEST}")
        if value < at_least:
            raise typer.BadParameter(f"it is {value}; {wanted}")
        return value

    return number


def one_of(*words: str) -> Callable[[str], str]:
    """Make what reads one of some words.

    Raises:
        typer.BadParameter: It is another; says which ones there are.
    """

    def word(text: str) -> str:
        if text not in words:
            raise typer.BadParameter(f"it is {shown(text)}; pass {' or '.join(words)}")
        return text

    return word

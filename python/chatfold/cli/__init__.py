"""The command line: ``chatfold inspect`` and ``chatfold compact``."""

import sys

from chatfold.errors import MissingExtraError

__all__ = ["main"]


def main() -> None:
    """Run the command line; without its extra, say what to install."""
    try:
        from chatfold.cli.app import app  # noqa: PLC0415 (needs the extra)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("rich", "typer"):
            raise
        missing = MissingExtraError("the command line", "cli")
        sys.stderr.write(f"chatfold: {missing}\n")
        sys.exit(1)
    app()

"""``python -m chatfold`` is the command line."""

from chatfold.cli import main

main()

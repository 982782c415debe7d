"""Benches of chatfold: an asv suite, comparisons with other packages, and their one corpus.

What is measured is the installed package; a debug build of its core is refused.
"""

from chatfold import _core

if _core.DEBUG:
    raise SystemExit(
        "the core of the installed chatfold is a debug build, some ten times slower than what users "
        "get; build it with `maturin develop --release` or install a wheel"
    )

"""What pruning is told to write or to look for must be text that has UTF-8."""

from typing import Any

import pytest

from chatfold import ContextPruningStrategy, HardClear, OptionError, PruningLimits

CASES: list[tuple[str, dict[str, Any]]] = [
    ("hard_clear.placeholder", {"hard_clear": HardClear(placeholder="a\ud800")}),
    (r"allow\[0\]", {"allow": ["a\ud800"]}),
    (r"deny\[1\]", {"deny": ["b", "a\ud800"]}),
    ("a pattern of tool_limits", {"tool_limits": {"a\ud800": PruningLimits()}}),
]


@pytest.mark.parametrize(("name", "options"), CASES, ids=[name for name, _ in CASES])
def test_a_lone_surrogate_is_refused(name: str, options: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match=rf"{name} is 'a\\ud800', with a lone surrogate at 1"):
        ContextPruningStrategy(**options)

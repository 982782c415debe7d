"""Recorded histories are grouped and compacted as they were when they were recorded."""

import pytest

from chatfold import MessageIndex, compact
from golden_vectors import Vector, expected_messages, load_vectors, spec_of
from product import build_strategy

VECTORS = [pytest.param(vector, id=str(i)) for i, vector in enumerate(load_vectors())]


@pytest.mark.parametrize("vector", VECTORS)
def test_groups_are_those_of_the_vector(vector: Vector) -> None:
    groups = [
        {"kind": group.kind, "messages": list(group.positions)}
        for group in MessageIndex(vector["messages"]).groups
    ]
    assert groups == vector["groups"]


@pytest.mark.parametrize("vector", VECTORS)
def test_what_is_kept_is_that_of_the_vector(vector: Vector) -> None:
    strategy = build_strategy(spec_of(vector), len)
    assert compact(vector["messages"], strategy, tokenizer=len) == expected_messages(vector)

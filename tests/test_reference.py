"""The twin agrees with what was recorded before it was written."""

import pytest

from golden_vectors import Vector, expected_messages, load_vectors, spec_of
from reference import History, group_messages, run

VECTORS = [pytest.param(vector, id=str(i)) for i, vector in enumerate(load_vectors())]


@pytest.mark.parametrize("vector", VECTORS)
def test_the_twin_groups_like_the_vector(vector: Vector) -> None:
    groups = [
        {"kind": group.kind, "messages": group.positions}
        for group in group_messages(vector["messages"])
    ]
    assert groups == vector["groups"]


@pytest.mark.parametrize("vector", VECTORS)
def test_the_twin_compacts_like_the_vector(vector: Vector) -> None:
    history = History(vector["messages"])
    run(history, spec_of(vector))
    assert history.projection() == expected_messages(vector)

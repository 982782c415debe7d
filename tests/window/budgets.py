"""Budgets with ratios as calibration leaves them."""

from hypothesis import strategies as st

from chatfold.window.budget import Budget


def budgets() -> st.SearchStrategy[Budget]:
    return st.builds(
        Budget,
        max_context_tokens=st.integers(100, 3_000),
        reserved=st.integers(0, 100),
        instructions=st.integers(0, 200),
        tools=st.integers(0, 200),
        ratio=st.floats(0.5, 2.0) | st.sampled_from([0.7, 1.1, 1 / 3 + 0.5, 1.0]),
    )

"""Random strategies as plain data, for the twin to run and for the product to be built from."""

from typing import Any

from hypothesis import strategies as st

Spec = dict[str, Any]
Specs = st.SearchStrategy[Spec]
TriggerSpecs = st.SearchStrategy[list[Any]]


def options(
    kind: str, *required: tuple[str, st.SearchStrategy[Any]], **optional: st.SearchStrategy[Any]
) -> Specs:
    return st.fixed_dictionaries({"kind": st.just(kind), **dict(required)}, optional=optional)


def numbers(largest: int) -> st.SearchStrategy[int]:
    """Draw small numbers as often as large ones: most conversations are short."""
    return st.one_of(st.integers(0, largest // 20 + 2), st.integers(0, largest))


def limits(name: str, largest: int) -> TriggerSpecs:
    return numbers(largest).map(lambda n: [name, n])


def combined(inner: TriggerSpecs) -> TriggerSpecs:
    several = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(
        inner.map(lambda trigger: ["not", trigger]),
        several.map(lambda found: ["all_of", found]),
        several.map(lambda found: ["any_of", found]),
    )


TRIGGERS = st.recursive(
    st.one_of(
        limits("tokens_exceed", 3000),
        limits("tokens_below", 3000),
        limits("messages_exceed", 30),
        limits("turns_exceed", 6),
        limits("groups_exceed", 20),
        limits("bytes_exceed", 5000),
        st.sampled_from(["always", "never", "has_tool_calls"]).map(lambda name: [name]),
    ),
    combined,
    max_leaves=4,
)

FLAG = st.booleans()
STYLE = st.sampled_from(["results", "names"])
MAX_CHARS = st.sampled_from([64, 100, 4096])


def max_n_truncation(spec: Spec, max_n: int, share: float) -> Spec:
    """Give `compact_to` where it was drawn: a share of `max_n`, which it must not exceed."""
    compact_to = {} if share == 0 else {"compact_to": max(1, int(max_n * share))}
    return {**spec, "max_n": max_n, **compact_to}


PRESERVE: dict[str, st.SearchStrategy[Any]] = {
    "preserve_system": FLAG,
    "preserve_last_user_group": FLAG,
}
TRUNCATIONS = st.one_of(
    st.builds(
        max_n_truncation,
        options(
            "truncation",
            ("tokens", FLAG),
            minimum_preserved=st.integers(1, 5),
            preserve_first_user_group=FLAG,
            **PRESERVE,
        ),
        numbers(300).map(lambda n: n + 1),
        st.sampled_from([0, 0.1, 0.5, 0.9, 1]),
    ),
    options(
        "truncation",
        ("trigger", TRIGGERS),
        target=TRIGGERS,
        minimum_preserved=st.integers(1, 6),
        preserve_first_user_group=FLAG,
        **PRESERVE,
    ),
)
SLIDING_WINDOWS = st.one_of(
    options("sliding_window", ("keep_last_groups", st.integers(1, 10)), **PRESERVE),
    options("sliding_window", ("keep_last_turns", st.integers(1, 4)), **PRESERVE),
    options(
        "sliding_window",
        ("trigger", TRIGGERS),
        target=TRIGGERS,
        minimum_preserved=st.integers(1, 4),
        **PRESERVE,
    ),
    options(
        "sliding_window",
        ("keep_last_turns", st.integers(1, 3)),
        ("trigger", TRIGGERS),
        target=TRIGGERS,
        **PRESERVE,
    ),
)
SELECTIVE_TOOL_CALLS = options(
    "selective_tool_call",
    keep_last_tool_call_groups=st.integers(0, 3),
    minimum_preserved=st.integers(1, 4),
    trigger=TRIGGERS,
    target=TRIGGERS,
)
TOOL_RESULTS = st.one_of(
    options(
        "tool_result",
        keep_last_tool_call_groups=st.integers(0, 3),
        trigger=TRIGGERS,
        target=TRIGGERS,
        style=STYLE,
        max_chars=MAX_CHARS,
    ),
    options(
        "tool_result",
        ("trigger", TRIGGERS),
        target=TRIGGERS,
        minimum_preserved=st.integers(1, 4),
        style=STYLE,
        max_chars=MAX_CHARS,
    ),
)
CONTEXT_WINDOWS = options(
    "context_window",
    ("max_context_window_tokens", numbers(4000).map(lambda n: n + 20)),
    ("max_output_tokens", st.integers(1, 10)),
    tool_eviction_threshold=st.sampled_from([0.25, 0.5, 0.6]),
    truncation_threshold=st.sampled_from([0.7, 0.8, 1.0]),
    keep_last_tool_call_groups=st.integers(0, 4),
    preserve_first_user_group=FLAG,
    preserve_last_user_group=FLAG,
)


TRIM = st.none() | st.tuples(st.sampled_from([0, 64, 100]), st.integers(0, 40), st.integers(0, 40))
PLACEHOLDER = st.sampled_from([None, "-", "[cleared]", "[{tool}]", "[a longer text in its place]"])
ALLOW = st.sampled_from([["*"], ["*"], ["?*"], ["get_*", "*e*"], [""]])
DENY = st.sampled_from([[], [], ["get_*"], ["", "*e*h"], ["*"]])
PRUNING_LIMITS: dict[str, st.SearchStrategy[Any]] = {
    "min_prunable_tool_chars": st.sampled_from([0, 5, 70, 200]),
    "soft_trim": TRIM,
    "placeholder": PLACEHOLDER,
}
RATIO = st.sampled_from([0.01, 0.2, 0.3, 0.5, 0.9, 1.0])
PRUNING: dict[str, st.SearchStrategy[Any]] = {
    "keep_last_assistants": st.integers(0, 2),
    "soft_trim_ratio": RATIO,
    "hard_clear_ratio": RATIO,
    "allow": ALLOW,
    "deny": DENY,
    "tool_limits": st.dictionaries(
        st.sampled_from(["get_*", "*", "?"]),
        st.fixed_dictionaries({}, optional=PRUNING_LIMITS),
        max_size=2,
    ),
    "min_tokens_freed": st.sampled_from([0, 0, 20, 100]),
    "trigger": st.one_of(st.just(["always"]), st.just(["always"]), TRIGGERS),
    "target": st.one_of(st.just(["never"]), st.just(["never"]), TRIGGERS),
}
LIMITS = [*PRUNING_LIMITS.items()]
CONTEXT_PRUNINGS = st.one_of(
    options("context_pruning", *LIMITS, **PRUNING),
    options(
        "context_pruning",
        *LIMITS,
        ("basis", st.just("utilisation")),
        ("max_context_tokens", numbers(3000).map(lambda n: n + 1)),
        **PRUNING,
    ),
)


MASKINGS = options(
    "observation_masking",
    token_budget=numbers(500).map(lambda n: n + 1),
    min_chars=st.integers(64, 120),
    target=st.one_of(st.just(["never"]), TRIGGERS),
)


CLAMPABLE = ["results", "arguments", "assistant", "user", "system"]
CLAMPINGS = options(
    "oversize_clamping",
    ("max_context_window_tokens", st.integers(64, 200)),
    max_share=st.sampled_from([0.25, 0.3, 0.5]),
    clamp=st.one_of(
        st.just(CLAMPABLE), st.lists(st.sampled_from(CLAMPABLE), min_size=1, max_size=5)
    ),
    target=st.one_of(st.just(["never"]), TRIGGERS),
)


def composed(inner: Specs) -> Specs:
    several = st.lists(inner, min_size=1, max_size=3)
    budget = numbers(3000).map(lambda n: n + 1)
    budgets = options(
        "token_budget",
        ("token_budget", budget),
        ("strategies", several),
        compact_to=st.sampled_from([0.01, 0.5, 0.9, 1.0]),
        early_stop=FLAG,
        preserve_last_user_group=FLAG,
    )
    return st.one_of(options("pipeline", ("strategies", several)), budgets.map(_with_goal))


def _with_goal(spec: Spec) -> Spec:
    """Turn a share of the budget into tokens."""
    if "compact_to" not in spec:
        return spec
    return spec | {"compact_to": max(1, int(spec["token_budget"] * spec["compact_to"]))}


SIMPLE = st.one_of(
    TRUNCATIONS,
    SLIDING_WINDOWS,
    SELECTIVE_TOOL_CALLS,
    TOOL_RESULTS,
    CONTEXT_WINDOWS,
    CONTEXT_PRUNINGS,
    MASKINGS,
    CLAMPINGS,
)
STRATEGIES = st.one_of(SIMPLE, st.recursive(SIMPLE, composed, max_leaves=4))

"""Every deterministic strategy, run from a plain description of it.

A description is a dict: `kind`, and the options under the names that the product gives them.
"""

from collections.abc import Callable

from reference.clamping import oversize_clamping
from reference.digest import digest
from reference.grouping import Group
from reference.history import History, turns_of
from reference.masking import observation_masking
from reference.protection import Spec, protected, removable
from reference.pruning import context_pruning
from reference.triggers import TriggerSpec, holds


def run(history: History, spec: Spec) -> None:
    """Run a strategy, unless its last run left the history as it is."""
    finished = [own for own, left in history.finished if left == history.projection()]
    if spec not in finished:
        run_part(history, spec)
    history.finished.append((spec, history.projection()))


def run_part(history: History, spec: Spec) -> None:
    STRATEGIES[spec["kind"]](history, spec)


def starts(history: History, spec: Spec, default: TriggerSpec) -> bool:
    return holds(spec.get("trigger") or default, history)


def target_of(spec: Spec, default: TriggerSpec) -> TriggerSpec:
    trigger = spec.get("trigger") or default
    return spec.get("target") or ["not", trigger]


def exclude_until(
    history: History, steps: list[list[Group]], target: TriggerSpec, reason: str
) -> None:
    for step in steps:
        if holds(target, history):
            return
        for group in step:
            history.exclude(group, reason)


def truncation(history: History, spec: Spec) -> None:
    if "max_n" in spec:
        metric = "tokens_exceed" if spec.get("tokens") else "messages_exceed"
        trigger = [metric, spec["max_n"]]
        target = ["not", [metric, spec.get("compact_to", spec["max_n"])]]
        minimum = spec.get("minimum_preserved", 1)
    else:
        trigger = spec["trigger"]
        target = target_of(spec, trigger)
        minimum = spec.get("minimum_preserved", 32)
    if holds(trigger, history):
        kept = protected(history, spec, minimum=minimum, last_user=True)
        steps = [[group] for group in removable(history, kept)]
        exclude_until(history, steps, target, "truncation")


def sliding_window(history: History, spec: Spec) -> None:
    if not starts(history, spec, ["always"]):
        return
    groups = spec.get("keep_last_groups")
    kept = protected(history, spec, minimum=groups or 1, last_user=True)
    if groups is not None:
        steps = [[group] for group in removable(history, kept)]
    else:
        turns = spec.get("keep_last_turns") or spec.get("minimum_preserved", 1)
        steps = whole_turns(history, removable(history, kept), turns)
    exclude_until(history, steps, target_of(spec, ["always"]), "sliding_window")


def whole_turns(history: History, groups: list[Group], newest: int) -> list[list[Group]]:
    """Make a step of each old turn, and one of each system group that is not preserved."""
    old = sorted(turns_of(history.included()))[:-newest]
    steps = []
    for group in groups:
        if group.turn is None:
            steps.append([group])
        elif group.turn in old:
            steps.append([other for other in groups if other.turn == group.turn])
            old.remove(group.turn)
    return steps


def old_tool_calls(history: History, spec: Spec, *, minimum: int, keep_last: int) -> list[Group]:
    tool_calls = [group for group in history.included() if group.kind == "tool_call"]
    newest = tool_calls[-keep_last:] if keep_last else []
    kept = protected(history, spec, minimum=minimum) + newest
    return [group for group in removable(history, kept) if group.kind == "tool_call"]


def selective_tool_call(history: History, spec: Spec) -> None:
    if starts(history, spec, ["always"]):
        keep_last = spec.get("keep_last_tool_call_groups", 1)
        minimum = spec.get("minimum_preserved", 1)
        groups = old_tool_calls(history, spec, minimum=minimum, keep_last=keep_last)
        target = target_of(spec, ["always"])
        exclude_until(history, [[group] for group in groups], target, "tool_call_compaction")


def tool_result(history: History, spec: Spec) -> None:
    if not starts(history, spec, ["always"]):
        return
    if "trigger" in spec and "keep_last_tool_call_groups" not in spec:
        minimum, keep_last = spec.get("minimum_preserved", 2), 0
    else:
        minimum, keep_last = 1, spec.get("keep_last_tool_call_groups", 1)
    target = target_of(spec, ["always"])
    for group in old_tool_calls(history, spec, minimum=minimum, keep_last=keep_last):
        if holds(target, history):
            return
        text = digest(group, spec.get("style", "results"), spec.get("max_chars", 4096))
        if len(text.encode()) < group.bytes:
            history.replace(group, text, "tool_result_compaction")


def pipeline(history: History, spec: Spec) -> None:
    for inner in spec["strategies"]:
        run_part(history, inner)


def token_budget(history: History, spec: Spec) -> None:
    if not holds(["tokens_exceed", spec["token_budget"]], history):
        return
    over = ["tokens_exceed", spec.get("compact_to") or spec["token_budget"]]
    for inner in spec["strategies"]:
        run_part(history, inner)
        if spec.get("early_stop", True) and not holds(over, history):
            return
    kept = protected(history, spec, last_user=True)
    steps = [[group] for group in removable(history, kept)]
    exclude_until(history, steps, ["not", over], "token_budget")


def context_window(history: History, spec: Spec) -> None:
    budget = spec["max_context_window_tokens"] - spec["max_output_tokens"]
    digest_over = int(budget * spec.get("tool_eviction_threshold", 0.5))
    truncate_over = int(budget * spec.get("truncation_threshold", 0.8))
    shared = {key: value for key, value in spec.items() if key.startswith("preserve_")}
    tool_result(
        history,
        {
            "trigger": ["tokens_exceed", digest_over],
            "keep_last_tool_call_groups": spec.get("keep_last_tool_call_groups", 4),
            **shared,
        },
    )
    truncation(
        history,
        {
            "trigger": ["tokens_exceed", truncate_over],
            "target": ["not", ["tokens_exceed", digest_over]],
            "minimum_preserved": 1,
            **shared,
        },
    )


STRATEGIES: dict[str, Callable[[History, Spec], None]] = {
    "truncation": truncation,
    "sliding_window": sliding_window,
    "selective_tool_call": selective_tool_call,
    "tool_result": tool_result,
    "pipeline": pipeline,
    "token_budget": token_budget,
    "context_window": context_window,
    "context_pruning": context_pruning,
    "observation_masking": observation_masking,
    "oversize_clamping": oversize_clamping,
}

//! Strategies with any options, alone and composed.

use chatfold_core::{
    Basis, Callback, Clampable, ContextPruning, Digest, DigestStyle, Execution, Gate, MessageIndex,
    Metric, ObservationMasking, OversizeClamping, Plan, Protection, PruningLimits, Result, Role,
    SlidingWindow, Strategy, TextUnit, ToolCalls, ToolCallsAction, ToolPattern, Tools, Trigger,
    Trim, Truncation, Window,
};
use proptest::prelude::*;
use proptest::strategy::Strategy as _;

use super::host::FakeHost;

/// Which strategies are made.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Kinds {
    /// Triggers that the caller answers.
    pub(crate) custom_triggers: bool,
    /// Strategies of the caller's own.
    pub(crate) custom_strategies: bool,
    /// Only triggers that more groups can't make false, and targets that they can't make true.
    pub(crate) monotone: bool,
    /// System messages and the last user message are always kept.
    pub(crate) floor: bool,
}

fn metrics() -> BoxedStrategy<(Metric, u64)> {
    prop_oneof![
        (0..200u64).prop_map(|limit| (Metric::Tokens, limit)),
        (0..25u64).prop_map(|limit| (Metric::Messages, limit)),
        (0..6u64).prop_map(|limit| (Metric::Turns, limit)),
        (0..20u64).prop_map(|limit| (Metric::Groups, limit)),
        (0..600u64).prop_map(|limit| (Metric::Bytes, limit)),
    ]
    .boxed()
}

fn rising() -> BoxedStrategy<Trigger> {
    let exceeds = metrics().prop_map(|(metric, limit)| Trigger::Exceeds(metric, limit));
    let both =
        prop_oneof![2 => Just(Trigger::Always), 6 => exceeds, 1 => Just(Trigger::HasToolCalls)];
    both.prop_recursive(2, 6, 3, |inner| {
        let several = prop::collection::vec(inner, 0..3).boxed();
        prop_oneof![several.clone().prop_map(Trigger::All), several.prop_map(Trigger::Any),]
    })
    .boxed()
}

fn falling() -> BoxedStrategy<Trigger> {
    let below = metrics().prop_map(|(metric, limit)| Trigger::Below(metric, limit));
    let not = rising().prop_map(|trigger| Trigger::Not(Box::new(trigger)));
    prop_oneof![Just(Trigger::Never), below, not].boxed()
}

fn any_trigger(custom: bool) -> BoxedStrategy<Trigger> {
    let custom = if custom { 3 } else { 0 };
    let callers = (0..12u64).prop_map(|number| Trigger::Custom(Callback(number)));
    prop_oneof![6 => rising(), 2 => falling(), custom => callers]
        .prop_recursive(2, 6, 2, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Trigger::All),
                prop::collection::vec(inner.clone(), 0..3).prop_map(Trigger::Any),
                inner.prop_map(|trigger| Trigger::Not(Box::new(trigger))),
            ]
        })
        .boxed()
}

pub(crate) fn gates(kinds: Kinds) -> BoxedStrategy<Gate> {
    let (triggers, targets) = if kinds.monotone {
        (rising(), falling())
    } else {
        (any_trigger(kinds.custom_triggers), any_trigger(kinds.custom_triggers))
    };
    (triggers, prop::option::of(targets))
        .prop_map(|(trigger, target)| Gate { trigger, target })
        .boxed()
}

pub(crate) fn protections(kinds: Kinds) -> BoxedStrategy<Protection> {
    (any::<[bool; 3]>(), 0..5u32)
        .prop_map(move |([system, first, last], minimum_preserved)| Protection {
            preserve_system: system || kinds.floor,
            preserve_first_user_group: first,
            preserve_last_user_group: last || kinds.floor,
            minimum_preserved,
        })
        .boxed()
}

fn actions() -> BoxedStrategy<ToolCallsAction> {
    let styles = prop_oneof![
        Just(DigestStyle::Results),
        Just(DigestStyle::Names),
        (0..4u64).prop_map(|number| DigestStyle::Custom(Callback(number))),
    ];
    let digests = (styles, 30..120usize)
        .prop_map(|(style, max_chars)| ToolCallsAction::Digest(Digest { style, max_chars }));
    prop_oneof![1 => Just(ToolCallsAction::Exclude), 3 => digests].boxed()
}

fn pruning_limits() -> BoxedStrategy<PruningLimits> {
    let trims = (prop_oneof![Just(0), 64..100usize], 0..20usize, 0..20usize)
        .prop_map(|(max, head, tail)| Trim { max, head, tail });
    let placeholders = prop::sample::select(&["-", "[cleared]", "{tool}"][..]);
    (0..50u64, prop::option::of(trims), prop::option::of(placeholders.prop_map(str::to_owned)))
        .prop_map(|(min_prunable, soft_trim, placeholder)| PruningLimits {
            min_prunable,
            soft_trim,
            placeholder,
        })
        .boxed()
}

/// Context pruning with any options.
pub(crate) fn prunings(kinds: Kinds) -> BoxedStrategy<Strategy> {
    let bases = prop_oneof![
        2 => Just(Basis::Age),
        1 => (0..300u64).prop_map(|window| Basis::Utilisation { window }),
    ];
    let patterns = || {
        let patterns = prop::sample::select(&["*", "t?ol", "", "other"][..]);
        prop::collection::vec(patterns.prop_map(ToolPattern::new), 0..2)
    };
    let own = prop::sample::select(&["*", "tool"][..]).prop_map(ToolPattern::new);
    let ratios = (1..101u32, 1..101u32)
        .prop_map(|(soft, hard)| (f64::from(soft) / 100.0, f64::from(hard) / 100.0));
    let freed = prop_oneof![3 => Just(0), 1 => 0..40u64];
    (
        (gates(kinds), bases, ratios, 0..3u32, pruning_limits()),
        (prop::collection::vec((own, pruning_limits()), 0..2), patterns(), patterns()),
        (any::<bool>(), freed),
    )
        .prop_map(|((gate, basis, ratios, keep, limits), tools, (by_tokens, freed))| {
            let (tool_limits, allow, deny) = tools;
            Strategy::ContextPruning(ContextPruning {
                gate,
                basis,
                soft_trim_ratio: ratios.0,
                hard_clear_ratio: ratios.1,
                keep_last_assistants: keep,
                limits,
                tool_limits,
                tools: Tools { allow, deny },
                unit: if by_tokens { TextUnit::Tokens } else { TextUnit::Characters },
                min_tokens_freed: freed,
            })
        })
        .boxed()
}

fn maskings(kinds: Kinds) -> BoxedStrategy<Strategy> {
    (gates(kinds), prop::option::of(0..2_000u64), 64..100u64)
        .prop_map(|(gate, budget, min_chars)| {
            Strategy::ObservationMasking(ObservationMasking { gate, budget, min_chars })
        })
        .boxed()
}

fn clampings(kinds: Kinds) -> BoxedStrategy<Strategy> {
    let all = vec![
        Clampable::Results,
        Clampable::Arguments,
        Clampable::Assistant,
        Clampable::User,
        Clampable::System,
    ];
    (gates(kinds), 0..200usize, prop::sample::subsequence(all, 0..=5))
        .prop_map(|(gate, max_chars, clamp)| {
            Strategy::OversizeClamping(OversizeClamping { gate, max_chars, clamp })
        })
        .boxed()
}

/// One strategy of the core's own.
pub(crate) fn single(kinds: Kinds) -> BoxedStrategy<Strategy> {
    let windows =
        prop_oneof![(0..8u32).prop_map(Window::Groups), (0..4u32).prop_map(Window::Turns)];
    let sliding =
        (gates(kinds), windows, protections(kinds)).prop_map(|(gate, window, protection)| {
            Strategy::SlidingWindow(SlidingWindow { gate, window, protection })
        });
    let truncation = (gates(kinds), protections(kinds))
        .prop_map(|(gate, protection)| Strategy::Truncation(Truncation::new(gate, protection)));
    let tool_calls = (gates(kinds), 0..3u32, protections(kinds), actions()).prop_map(
        |(gate, keep_last_tool_call_groups, protection, action)| {
            Strategy::ToolCalls(ToolCalls { gate, keep_last_tool_call_groups, protection, action })
        },
    );
    prop_oneof![truncation, sliding, tool_calls, prunings(kinds), maskings(kinds), clampings(kinds)]
        .boxed()
}

/// Any composition of strategies.
pub(crate) fn composed(kinds: Kinds) -> BoxedStrategy<Strategy> {
    let custom = u32::from(kinds.custom_strategies) * 3;
    let callers = (0..4u64).prop_map(|number| Strategy::Custom(Callback(number)));
    prop_oneof![7 => single(kinds), custom => callers]
        .prop_recursive(3, 8, 3, move |inner| {
            let budget = (
                (0..250u64, 0..3u64),
                prop::collection::vec(inner.clone(), 0..3),
                any::<bool>(),
                protections(kinds),
            );
            prop_oneof![
                prop::collection::vec(inner, 0..4).prop_map(Strategy::Pipeline),
                budget.prop_map(|((budget, part), strategies, early_stop, protection)| {
                    let compact_to = budget * (part + 1) / 3;
                    Strategy::TokenBudget { budget, compact_to, strategies, early_stop, protection }
                }),
            ]
        })
        .boxed()
}

/// Runs a strategy to the end, the caller's own ones too; an error undoes the run.
pub(crate) fn run(
    strategy: &Strategy,
    index: &mut MessageIndex,
    host: &mut FakeHost,
) -> Result<Execution> {
    let mut execution = Execution::new(Plan::new(strategy));
    loop {
        match execution.advance(index, host) {
            Ok(Some(custom)) => run_custom(custom, index),
            Ok(None) => return Ok(execution),
            Err(error) => {
                execution.abort(index);
                return Err(error);
            }
        }
    }
}

/// Strategy 0 does nothing, 1 excludes a group, 2 writes a summary, 3 restores a group.
fn run_custom(custom: Callback, index: &mut MessageIndex) {
    let slots: Vec<u32> = (0..index.slot_count()).collect();
    let held: Vec<u32> = slots.iter().copied().filter(|&slot| index.held(slot).is_some()).collect();
    match custom.0 {
        1 => {
            held.first().map(|&slot| index.exclude(slot, "custom"));
        }
        2 => {
            let oldest = &held[..held.len().min(3)];
            index.replace(oldest, Role::User, "[Summary]", "summarized");
        }
        3 => {
            let gone = index.group_ids().into_iter().find(|&id| index.group(id).excluded);
            gone.map(|id| index.restore(id));
        }
        _ => {}
    }
}

//! Promises 5, 7 and 8: unchanged where nothing is to be gained, the same each time, and for good.

use std::collections::HashMap;

use chatfold_core::{
    Basis, CallKey, ContextPruning, DigestStyle, Execution, Gate, MessageIndex, Metric, Overhead,
    Protection, PruningLimits, Role, Strategy, TextUnit, ToolCallsAction, Tools, Trigger,
    Truncation,
};
use proptest::prelude::*;

use super::common::chats::Message;
use super::common::grouping_twin::{self, TwinGroup};
use super::common::host::Counter;
use super::common::observed::{Part, observe, projection};
use super::common::strategies::{self, Kinds};
use super::common::{Setup, setups};

const MONOTONE: Kinds =
    Kinds { custom_triggers: false, custom_strategies: false, monotone: true, floor: false };
const CUSTOM: Kinds =
    Kinds { custom_triggers: true, custom_strategies: true, monotone: false, floor: false };

fn never(strategy: &mut Strategy) {
    let gate = |gate: &mut Gate| gate.trigger = Trigger::Never;
    match strategy {
        Strategy::Truncation(own) => gate(&mut own.gate),
        Strategy::SlidingWindow(own) => gate(&mut own.gate),
        Strategy::ToolCalls(own) => gate(&mut own.gate),
        Strategy::ContextPruning(own) => gate(&mut own.gate),
        Strategy::ObservationMasking(own) => gate(&mut own.gate),
        Strategy::OversizeClamping(own) => gate(&mut own.gate),
        Strategy::Pipeline(all) => all.iter_mut().for_each(never),
        Strategy::TokenBudget { budget, .. } => *budget = u64::MAX,
        Strategy::Custom(_) => {}
    }
}

/// Takes the caller's formatters from a strategy.
fn without_formatters(strategy: &mut Strategy) {
    match strategy {
        Strategy::Pipeline(parts) | Strategy::TokenBudget { strategies: parts, .. } => {
            parts.iter_mut().for_each(without_formatters);
        }
        Strategy::ToolCalls(own) => {
            if let ToolCallsAction::Digest(digest) = &mut own.action
                && let DigestStyle::Custom(_) = digest.style
            {
                digest.style = DigestStyle::Results;
            }
        }
        _ => {}
    }
}

/// The same strategy, and one besides that does nothing: an index does not know it yet.
fn unheard(strategy: &Strategy) -> Strategy {
    let never = Gate { trigger: Trigger::Never, target: None };
    let nothing = Strategy::Truncation(Truncation::new(never, Protection::default()));
    Strategy::Pipeline(vec![strategy.clone(), nothing])
}

/// The index as it is, once it was saved and loaded where that is asked for.
fn carried(index: MessageIndex, setup: &Setup, save: bool) -> MessageIndex {
    if !save {
        return index;
    }
    let (mut loaded, _) = setup.full();
    assert!(loaded.load(&index.save(index.message_count()), true));
    loaded
}

/// All that a run says, but for its times.
fn said(run: &Execution) -> String {
    let steps = run.steps.iter().map(|step| {
        format!("{} {} {} {}", step.strategy, step.reason, step.groups, step.target_met)
    });
    format!("{} {:?}", run.target_met, steps.collect::<Vec<_>>())
}

/// The positions of what is kept, where no stand-in is among it.
fn kept_alone(index: &MessageIndex) -> Option<Vec<usize>> {
    let parts = projection(index).into_iter();
    parts
        .map(|part| match part {
            Part::Message(position) => Some(position as usize),
            Part::StandIn(..) => None,
        })
        .collect()
}

/// Whether what is kept of a list holds together by itself as it did in the whole list.
///
/// It need not. A result that answers several calls ties them, but once it stands directly after one
/// of them it belongs to that one, whatever its other ids. And a call is not waited for any more once a
/// user message stands after it.
fn holds_together(setup: &Setup, positions: &[usize], kept: &Setup) -> bool {
    let (whole, alone) =
        (grouping_twin::groups(&setup.messages), grouping_twin::groups(&kept.messages));
    let group_of = |groups: &[TwinGroup], message: usize| {
        groups.iter().position(|group| group.positions.iter().any(|&at| at as usize == message))
    };
    let mut together: HashMap<Option<usize>, Option<usize>> = HashMap::new();
    let apart = positions.iter().enumerate().any(|(at, &position)| {
        let now = group_of(&alone, at);
        *together.entry(group_of(&whole, position)).or_insert(now) != now
    });
    let pending = |groups: &[TwinGroup]| groups.iter().filter(|group| group.pending).count();
    !apart && pending(&whole) == pending(&alone)
}

proptest! {
    #[test]
    fn promise_5_where_no_trigger_is_true_nothing_changes(
        setup in setups(16),
        mut strategy in strategies::composed(Kinds::default()),
    ) {
        never(&mut strategy);
        let (mut index, mut host) = setup.full();
        let (before, version) = (observe(&index), index.version());
        let run = strategies::run(&strategy, &mut index, &mut host).unwrap();
        prop_assert!(run.steps.is_empty() && run.target_met);
        prop_assert_eq!(index.version(), version);
        prop_assert_eq!(index.first_changed(version), None);
        prop_assert_eq!(observe(&index), before);
    }

    #[test]
    fn promise_7_the_same_input_has_the_same_output(
        setup in setups(20),
        strategy in strategies::composed(CUSTOM),
    ) {
        let (mut one, mut host) = setup.full();
        let (mut other, mut other_host) = setup.full();
        let first = strategies::run(&strategy, &mut one, &mut host).unwrap();
        let second = strategies::run(&strategy, &mut other, &mut other_host).unwrap();
        prop_assert_eq!(observe(&one), observe(&other));
        prop_assert_eq!(said(&first), said(&second));
        prop_assert_eq!(host.work.counted, other_host.work.counted);
    }

    #[test]
    fn promise_7_a_second_run_changes_nothing(
        setup in setups(24),
        mut strategy in strategies::composed(Kinds::default()),
        save in any::<bool>(),
    ) {
        without_formatters(&mut strategy);
        let (mut index, mut host) = setup.full();
        strategies::run(&strategy, &mut index, &mut host).unwrap();
        let mut index = carried(index, &setup, save);
        let (before, version) = (observe(&index), index.version());
        let run = strategies::run(&strategy, &mut index, &mut host).unwrap();
        prop_assert_eq!(observe(&index), before);
        prop_assert_eq!(index.version(), version);
        prop_assert!(run.steps.iter().all(|step| step.groups == 0));
    }

    #[test]
    fn promise_7_one_strategy_leaves_itself_nothing_to_do(
        setup in setups(24),
        strategy in strategies::single(MONOTONE),
        save in any::<bool>(),
    ) {
        let (mut index, mut host) = setup.full();
        strategies::run(&strategy, &mut index, &mut host).unwrap();
        let mut index = carried(index, &setup, save);
        let (before, version) = (observe(&index), index.version());
        let run = strategies::run(&unheard(&strategy), &mut index, &mut host).unwrap();
        prop_assert_eq!(observe(&index), before);
        prop_assert_eq!(index.version(), version);
        prop_assert!(run.steps.iter().all(|step| step.groups == 0));
    }

    #[test]
    fn promise_9_a_second_run_says_what_looking_again_would(
        setup in setups(16),
        strategy in strategies::single(MONOTONE),
    ) {
        let (mut index, mut host) = setup.full();
        strategies::run(&strategy, &mut index, &mut host).unwrap();
        let again = strategies::run(&strategy, &mut index, &mut host).unwrap();
        let looked = strategies::run(&unheard(&strategy), &mut index, &mut host).unwrap();
        prop_assert_eq!(said(&again), said(&looked));
    }

    #[test]
    fn promise_7_compacting_what_was_kept_changes_nothing(
        setup in setups(24),
        strategy in strategies::single(MONOTONE),
    ) {
        let (mut index, mut host) = setup.full();
        strategies::run(&strategy, &mut index, &mut host).unwrap();
        let Some(positions) = kept_alone(&index) else { return Ok(()) };
        let kept = setup.of_part(&positions);
        prop_assume!(holds_together(&setup, &positions, &kept));
        let (mut again, mut host) = kept.full();
        strategies::run(&strategy, &mut again, &mut host).unwrap();
        prop_assert_eq!(again.projection().len(), kept.messages.len());
    }

    #[test]
    fn promise_8_what_was_excluded_or_shortened_stays_so(
        setup in setups(24),
        cut in any::<prop::sample::Index>(),
        strategies in prop::array::uniform2(strategies::composed(Kinds::default())),
    ) {
        let cut = cut.index(setup.messages.len() + 1);
        let (mut index, mut host) = setup.empty();
        for position in 0..cut {
            index.push(&setup.facts(position)).unwrap();
        }
        strategies::run(&strategies[0], &mut index, &mut host).unwrap();
        let before = projection(&index);
        let news = grouping_twin::groups(&setup.messages).into_iter();
        let late: Vec<u32> = news
            .filter(|group| group.positions.iter().any(|&at| at as usize >= cut))
            .flat_map(|group| group.positions)
            .collect();
        for position in cut..setup.messages.len() {
            index.push(&setup.facts(position)).unwrap();
        }
        strategies::run(&strategies[1], &mut index, &mut host).unwrap();
        for part in projection(&index) {
            // A result that came late brings its group back: it was waited for.
            let is_new = match &part {
                Part::Message(position) => *position as usize >= cut || late.contains(position),
                Part::StandIn(..) => true,
            };
            prop_assert!(is_new || before.contains(&part), "{:?} came back", part);
        }
    }
}

#[test]
fn what_pruning_aims_at_is_missed_where_it_does_not_pay() {
    let messages = vec![
        Message::new(Role::User, "?"),
        Message::calls("", &["a"]),
        Message::result("a long result ".repeat(9), "a"),
        Message::new(Role::User, "!"),
    ];
    let setup = Setup { messages, counter: Counter::FourBytes, overhead: Overhead::default() };
    let (mut index, mut host) = setup.full();
    let mut strategy = ContextPruning {
        gate: Gate { trigger: Trigger::Always, target: Some(Trigger::Below(Metric::Bytes, 20)) },
        basis: Basis::Age,
        soft_trim_ratio: 0.01,
        hard_clear_ratio: 0.01,
        keep_last_assistants: 0,
        limits: PruningLimits {
            min_prunable: 0,
            soft_trim: None,
            placeholder: Some("[cleared]".to_owned()),
        },
        tool_limits: Vec::new(),
        tools: Tools::default(),
        unit: TextUnit::Characters,
        min_tokens_freed: 1_000,
    };
    let run = strategies::run(&Strategy::ContextPruning(strategy.clone()), &mut index, &mut host)
        .unwrap();
    assert_eq!(index.shortened_count(), 0);
    assert!(!run.steps[0].target_met && !run.target_met);
    strategy.min_tokens_freed = 10;
    let run = strategies::run(&Strategy::ContextPruning(strategy), &mut index, &mut host).unwrap();
    assert_eq!(index.shortened_count(), 1);
    assert!(run.steps[0].target_met && run.target_met);
}

#[test]
fn a_tie_between_exchanges_may_not_outlive_what_stood_between_them() {
    let mut both = Message::new(Role::Assistant, "");
    both.facts.answers = Some(CallKey::tool("b"));
    both.facts.more_answers = vec![CallKey::tool("a")];
    let messages = vec![
        Message::calls("f", &["a"]),
        Message::result("", "a"),
        Message::calls("f", &["b", "c"]),
        Message::stand_in(Role::User, ""),
        both,
        Message::calls("", &["a"]),
    ];
    let setup = Setup { messages, counter: Counter::Wild, overhead: Overhead::default() };
    let protection = Protection { preserve_last_user_group: false, ..Protection::default() };
    let strategy = Strategy::Truncation(Truncation::new(Gate::default(), protection));
    let (mut index, mut host) = setup.full();
    strategies::run(&strategy, &mut index, &mut host).unwrap();
    let positions = kept_alone(&index).unwrap();
    // The call `c` is waited for, so that all that its group holds stays.
    assert_eq!(positions, [0, 1, 2, 4, 5]);
    let kept = setup.of_part(&positions);
    assert!(!holds_together(&setup, &positions, &kept));
    let (mut again, mut host) = kept.full();
    strategies::run(&strategy, &mut again, &mut host).unwrap();
    // The results that now follow the second exchange belong to it alone; the first is over.
    assert_eq!(kept_alone(&again).unwrap(), [2, 3, 4]);
}

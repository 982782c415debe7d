//! Promises 5, 7 and 8: unchanged where nothing is to be gained, the same each time, and for good.

use std::collections::HashMap;

use chatfold_core::{
    CallKey, Execution, Gate, MessageIndex, Overhead, Protection, Role, Strategy, Trigger,
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

/// Takes from a composition what pruning must free at least.
///
/// What it would free is asked before later strategies change the same texts. Where a shorter text has
/// more tokens, as it may, the answer is another one in the next run.
fn free_anything(strategy: &mut Strategy) {
    match strategy {
        Strategy::Pipeline(parts) | Strategy::TokenBudget { strategies: parts, .. } => {
            for part in parts {
                if let Strategy::ContextPruning(own) = part {
                    own.min_tokens_freed = 0;
                }
                free_anything(part);
            }
        }
        _ => {}
    }
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
        mut strategy in strategies::composed(MONOTONE),
    ) {
        free_anything(&mut strategy);
        let (mut index, mut host) = setup.full();
        strategies::run(&strategy, &mut index, &mut host).unwrap();
        let (before, version) = (observe(&index), index.version());
        let run = strategies::run(&strategy, &mut index, &mut host).unwrap();
        prop_assert_eq!(observe(&index), before);
        prop_assert_eq!(index.version(), version);
        prop_assert!(run.steps.iter().all(|step| step.groups == 0));
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

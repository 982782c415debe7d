//! Promises 5, 7 and 8: unchanged where nothing is to be gained, the same each time, and for good.

use chatfold_core::{Execution, Gate, MessageIndex, Strategy, Trigger};
use proptest::prelude::*;

use super::common::observed::{Part, observe, projection};
use super::common::strategies::{self, Kinds};
use super::common::{Setup, grouping_twin, setups};

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
        Strategy::Pipeline(all) => all.iter_mut().for_each(never),
        Strategy::TokenBudget { budget, .. } => *budget = u64::MAX,
        Strategy::Custom(_) => {}
    }
}

/// All that a run says, but for its times.
fn said(run: &Execution) -> String {
    let steps = run.steps.iter().map(|step| {
        format!("{} {} {} {}", step.strategy, step.reason, step.groups, step.target_met)
    });
    format!("{} {:?}", run.target_met, steps.collect::<Vec<_>>())
}

/// Whether every message of the list is grouped the same in the list of what is kept.
fn kept_alone(setup: &Setup, index: &MessageIndex) -> Option<Setup> {
    let mut positions = Vec::new();
    for part in projection(index) {
        match part {
            Part::Message(position) => positions.push(position as usize),
            Part::StandIn(..) => return None,
        }
    }
    Some(setup.of_part(&positions))
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
        strategy in strategies::composed(MONOTONE),
    ) {
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
        let Some(kept) = kept_alone(&setup, &index) else { return Ok(()) };
        // Where a protected call has lost its place in the talk, it is another history.
        let pending = |setup: &Setup| {
            let groups = grouping_twin::groups(&setup.messages);
            groups.into_iter().filter(|group| group.pending).count()
        };
        prop_assume!(pending(&kept) == pending(&setup));
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

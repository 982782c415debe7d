//! Promises 1 to 4 and 6: what is kept is whole, in order, not less than the floor, and shorter.

use std::collections::HashSet;

use chatfold_core::{GroupKind, MessageIndex, Strategy};
use proptest::prelude::*;

use super::common::grouping_twin;
use super::common::observed::{Part, assert_consistent, kept_messages, observe, projection};
use super::common::strategies::{self, Kinds};
use super::common::{Setup, setups};

const CUSTOM: Kinds =
    Kinds { custom_triggers: true, custom_strategies: true, monotone: false, floor: false };
const FLOOR: Kinds =
    Kinds { custom_triggers: true, custom_strategies: false, monotone: false, floor: true };

fn compacted(setup: &Setup, strategy: &Strategy) -> MessageIndex {
    let (mut index, mut host) = setup.full();
    strategies::run(strategy, &mut index, &mut host).unwrap();
    assert_consistent(&index, setup, &host);
    index
}

/// The positions of messages that are in an included stand-in's place.
fn stood_for(index: &MessageIndex) -> HashSet<u32> {
    let observed = observe(index);
    let mut positions = HashSet::new();
    for (at, group) in observed.groups.iter().enumerate() {
        let mut top = at;
        while let Some(summary) = observed.groups[top].summary {
            top = summary;
        }
        if top != at && !observed.groups[top].excluded {
            positions.extend(&group.positions);
        }
    }
    positions
}

proptest! {
    #[test]
    fn promise_1_groups_are_kept_or_removed_whole(
        setup in setups(24),
        strategy in strategies::composed(CUSTOM),
    ) {
        let kept = kept_messages(&compacted(&setup, &strategy));
        for group in grouping_twin::groups(&setup.messages) {
            let found = group.positions.iter().filter(|at| kept.contains(at)).count();
            prop_assert!(found == 0 || found == group.positions.len(), "{:?} is split", group);
        }
    }

    #[test]
    fn promise_1_no_kept_result_lost_its_call_and_no_kept_call_its_results(
        setup in setups(24),
        strategy in strategies::composed(CUSTOM),
    ) {
        // Grouping the kept list again, no message has lost or found company.
        let kept = kept_messages(&compacted(&setup, &strategy));
        let whole = grouping_twin::groups(&setup.messages);
        for group in whole.iter().filter(|group| group.kind == GroupKind::ToolCall) {
            let calls = group.positions.iter().any(|&at| setup.messages[at as usize].makes_calls());
            let results = |at: &&u32| setup.messages[**at as usize].facts.is_result();
            if calls && group.positions.iter().filter(results).any(|at| kept.contains(at)) {
                prop_assert!(group.positions.iter().all(|at| kept.contains(at)));
            }
        }
    }

    #[test]
    fn promise_2_the_order_is_that_of_the_input(
        setup in setups(24),
        strategy in strategies::composed(CUSTOM),
    ) {
        let index = compacted(&setup, &strategy);
        let kept = kept_messages(&index);
        prop_assert!(kept.windows(2).all(|pair| pair[0] < pair[1]));
        let gone = stood_for(&index);
        prop_assert!(kept.iter().all(|message| !gone.contains(message)));
    }

    #[test]
    fn promise_3_the_floor_survives_every_strategy(
        setup in setups(24),
        strategy in strategies::composed(FLOOR),
    ) {
        let kept = kept_messages(&compacted(&setup, &strategy));
        let groups = grouping_twin::groups(&setup.messages);
        let of_kind = |kind| groups.iter().rfind(move |group| group.kind == kind);
        let newest = groups.iter().rfind(|group| group.kind != GroupKind::System);
        let floor = groups
            .iter()
            .filter(|group| group.pending || group.kind == GroupKind::System)
            .chain(newest)
            .chain(of_kind(GroupKind::User));
        for group in floor {
            prop_assert!(group.positions.iter().all(|at| kept.contains(at)), "{:?} is gone", group);
        }
    }

    #[test]
    fn promise_3_a_single_strategy_keeps_its_newest_groups(
        setup in setups(24),
        strategy in strategies::single(FLOOR),
    ) {
        let minimum = match &strategy {
            Strategy::Truncation(own) => own.protection.minimum_preserved,
            Strategy::SlidingWindow(own) => own.protection.minimum_preserved,
            Strategy::ToolCalls(own) => own.protection.minimum_preserved,
            _ => 0,
        };
        let kept = kept_messages(&compacted(&setup, &strategy));
        let groups = grouping_twin::groups(&setup.messages);
        let newest = groups.iter().rev().filter(|group| group.kind != GroupKind::System);
        for group in newest.take(minimum.max(1) as usize) {
            prop_assert!(group.positions.iter().all(|at| kept.contains(at)));
        }
    }

    #[test]
    fn promise_3_nothing_is_emptied(
        setup in setups(8),
        strategy in strategies::composed(Kinds { custom_triggers: true, ..Kinds::default() }),
    ) {
        let (index, _) = setup.full();
        let after = compacted(&setup, &strategy);
        prop_assert_eq!(index.projection().is_empty(), after.projection().is_empty());
    }

    #[test]
    fn promise_6_no_step_makes_the_history_longer(
        setup in setups(24),
        strategy in strategies::composed(Kinds { custom_triggers: true, ..Kinds::default() }),
    ) {
        let (before, _) = setup.full();
        let after = compacted(&setup, &strategy);
        let (was, is) = (before.included_counts(), after.included_counts());
        prop_assert!(is.bytes <= was.bytes && is.messages <= was.messages);
        prop_assert!(is.groups <= was.groups && is.turns <= was.turns);
        for id in after.group_ids() {
            let originals = after.replaces(id).iter().map(|&inner| after.group(inner).byte_count);
            if id.stand_in.is_some() {
                prop_assert!(after.group(id).byte_count < originals.sum());
            }
        }
        let new = projection(&after);
        let old = projection(&before);
        prop_assert!(new.iter().all(|part| matches!(part, Part::StandIn(..)) || old.contains(part)));
    }
}

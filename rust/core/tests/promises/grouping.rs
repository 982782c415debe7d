//! Grouping equals its twin, in whatever portions the messages come.

use chatfold_core::{Gate, GroupKind, MessageIndex, Protection, Role, Strategy, Truncation};
use proptest::prelude::*;

use super::common::chats::Message;
use super::common::grouping_twin::{self, TwinGroup};
use super::common::host::{Counter, FakeHost};
use super::common::observed::kept_messages;
use super::common::{Setup, setups, strategies};

fn groups(index: &MessageIndex) -> Vec<TwinGroup> {
    let group = |id| {
        let view = index.group(id);
        let pending = index.is_pending(id);
        TwinGroup { kind: view.kind, positions: view.positions, turn: view.turn, pending }
    };
    index.group_ids().into_iter().map(group).collect()
}

/// Excludes everything that nothing protects, from one group on.
fn truncation() -> Strategy {
    let protection = Protection {
        preserve_system: false,
        preserve_first_user_group: false,
        preserve_last_user_group: false,
        minimum_preserved: 1,
    };
    Strategy::Truncation(Truncation::new(Gate::default(), protection))
}

fn positions_of(messages: Vec<Message>) -> Vec<Vec<u32>> {
    let setup = Setup { messages, counter: Counter::FourBytes, overhead: Default::default() };
    let (index, _) = setup.full();
    index.group_ids().into_iter().map(|id| index.group(id).positions).collect()
}

proptest! {
    #[test]
    fn after_every_message_the_groups_are_those_of_the_whole_list(setup in setups(16)) {
        let (mut index, _) = setup.empty();
        for position in 0..setup.messages.len() {
            index.push(&setup.facts(position)).unwrap();
            prop_assert_eq!(groups(&index), grouping_twin::groups(&setup.messages[..=position]));
        }
    }

    #[test]
    fn groups_are_ordered_by_first_message_and_found_by_any(setup in setups(40)) {
        let (mut index, _) = setup.full();
        let ids = index.group_ids();
        let firsts: Vec<u32> = ids.iter().map(|&id| index.group(id).positions[0]).collect();
        prop_assert!(firsts.is_sorted());
        for id in ids {
            for position in index.group(id).positions {
                prop_assert_eq!(index.slot_of_message(position), id.slot);
            }
        }
    }

    #[test]
    fn promise_3_pending_calls_and_the_newest_group_are_all_that_cannot_go(setup in setups(30)) {
        let (mut index, mut host) = setup.full();
        strategies::run(&truncation(), &mut index, &mut host).unwrap();
        let all = grouping_twin::groups(&setup.messages);
        let newest = all.iter().rfind(|group| group.kind != GroupKind::System).or(all.last());
        let stays = |group: &&TwinGroup| group.pending || Some(*group) == newest;
        let mut expected: Vec<u32> =
            all.iter().filter(stays).flat_map(|group| group.positions.clone()).collect();
        expected.sort_unstable();
        prop_assert_eq!(kept_messages(&index), expected);
    }
}

#[test]
fn a_late_result_joins_its_call_across_other_messages() {
    let positions = positions_of(vec![
        Message::calls("", &["a"]),
        Message::new(Role::User, "and?"),
        Message::result("here", "a"),
    ]);
    assert_eq!(positions, [vec![0, 2], vec![1]]);
}

#[test]
fn a_result_in_the_run_of_another_call_ties_both_exchanges_together() {
    let positions = positions_of(vec![
        Message::calls("", &["a"]),
        Message::new(Role::User, "and?"),
        Message::calls("", &["b"]),
        Message::result("b", "b"),
        Message::result("a", "a"),
    ]);
    assert_eq!(positions, [vec![0, 2, 3, 4], vec![1]]);
}

#[test]
fn a_second_result_joins_the_group_of_its_call() {
    let positions = positions_of(vec![
        Message::calls("", &["a"]),
        Message::result("1", "a"),
        Message::new(Role::User, "and?"),
        Message::result("2", "a"),
    ]);
    assert_eq!(positions, [vec![0, 1, 3], vec![2]]);
}

#[test]
fn results_without_a_known_call_are_one_group_a_run() {
    let positions = positions_of(vec![
        Message::result("1", "x"),
        Message::result("2", "y"),
        Message::new(Role::User, "hi"),
        Message::result("3", "x"),
    ]);
    assert_eq!(positions, [vec![0, 1], vec![2], vec![3]]);
}

#[test]
fn a_million_results_of_one_call_are_one_group() {
    // Joining is amortised: with a quadratic step this test would not end.
    let mut index = MessageIndex::default();
    index.push(&Message::calls("", &["a"]).facts).unwrap();
    for _ in 0..100_000 {
        index.push(&Message::new(Role::User, "").facts).unwrap();
        index.push(&Message::result("", "a").facts).unwrap();
    }
    let (id, mut host) = (index.group_ids()[0], FakeHost::new(Vec::new(), Counter::FourBytes));
    assert_eq!(index.group(id).positions.len(), 100_001);
    assert!(!index.tokens_exceed(0, &mut host).unwrap());
}

//! A late result wants its group back, and nothing else that was summarized with it.

use chatfold_core::{GroupId, MessageIndex, Overhead, Role};
use proptest::prelude::*;

use super::common::Setup;
use super::common::chats::Message;
use super::common::host::{Counter, FakeHost};
use super::common::observed::{Part, assert_consistent, assert_nothing_is_lost, projection};

const OPENING: &str = "[Summary]";

/// A question, a call without a result, and more questions of that many bytes each.
fn setup(sizes: &[usize]) -> Setup {
    let mut messages = vec![Message::new(Role::User, "go"), Message::calls("call", &["late"])];
    messages.extend(sizes.iter().map(|&size| Message::new(Role::User, "q".repeat(size))));
    messages.push(Message::result("a late result", "late"));
    Setup { messages, counter: Counter::FourBytes, overhead: Overhead::default() }
}

fn all_but_the_result(setup: &Setup) -> (MessageIndex, FakeHost) {
    let (mut index, host) = setup.empty();
    for position in 0..setup.messages.len() - 1 {
        index.push(&setup.facts(position)).unwrap();
    }
    (index, host)
}

fn push_the_result(setup: &Setup, index: &mut MessageIndex) {
    index.push(&setup.facts(setup.messages.len() - 1)).unwrap();
}

fn summary(text: &str) -> Part {
    Part::StandIn(Role::Assistant, text.to_owned())
}

#[test]
fn a_late_result_leaves_the_others_summarized() {
    let setup = setup(&[20, 20, 20]);
    let (mut index, host) = all_but_the_result(&setup);
    index.replace(&[0, 1, 2], Role::Assistant, "[Summary] 1", "summarized").unwrap();
    index.replace(&[0, 3], Role::Assistant, "[Summary] 2", "summarized").unwrap();
    push_the_result(&setup, &mut index);
    let (call, kept, result) = (Part::Message(1), Part::Message(4), Part::Message(5));
    assert_eq!(projection(&index), [summary("[Summary] 2"), call, kept, result]);
    assert_consistent(&index, &setup, &host);
    let outer = index.summary_of(GroupId { slot: 3, stand_in: None }).unwrap();
    let inner = index.summary_of(GroupId { slot: 0, stand_in: None }).unwrap();
    assert_eq!((index.held(0), index.summary_of(inner)), (Some(outer), Some(outer)));
}

#[test]
fn a_summary_of_the_first_group_alone_moves_to_the_next_one() {
    let setup = setup(&[20, 20]);
    let (mut index, host) = all_but_the_result(&setup);
    index.replace(&[1, 2], Role::Assistant, "[Summary]", "summarized").unwrap();
    push_the_result(&setup, &mut index);
    let parts = projection(&index);
    let messages = [0, 1, 3, 4].map(Part::Message);
    assert_eq!(parts[..2], messages[..2]);
    assert_eq!(parts[2], summary("[Summary]"));
    assert_eq!(parts[3..], messages[2..]);
    assert_consistent(&index, &setup, &host);
}

#[test]
fn what_is_left_comes_back_where_the_summary_is_no_shorter() {
    let setup = setup(&[5, 20]);
    let (mut index, host) = all_but_the_result(&setup);
    index.replace(&[1, 2], Role::Assistant, "[Sum]", "summarized").unwrap();
    push_the_result(&setup, &mut index);
    assert_eq!(projection(&index), [0, 1, 2, 3, 4].map(Part::Message));
    assert_consistent(&index, &setup, &host);
}

#[test]
fn an_excluded_summary_stays_excluded() {
    let setup = setup(&[20, 20]);
    let (mut index, host) = all_but_the_result(&setup);
    index.replace(&[0, 1, 2], Role::Assistant, "[Summary]", "summarized").unwrap();
    index.exclude(0, "truncated");
    push_the_result(&setup, &mut index);
    assert_eq!(projection(&index), [1, 3, 4].map(Part::Message));
    let left = index.summary_of(GroupId { slot: 2, stand_in: None }).unwrap();
    assert_eq!(index.group(left).exclude_reason, "truncated");
    assert!(index.restore(left));
    assert_eq!(projection(&index)[0], summary("[Summary]"));
    assert_consistent(&index, &setup, &host);
}

#[test]
fn a_saved_memory_keeps_the_others_summarized() {
    let setup = setup(&[20, 20]);
    let (mut index, _) = all_but_the_result(&setup);
    index.replace(&[0, 1, 2], Role::Assistant, "[Summary]", "summarized").unwrap();
    let mut loaded = setup.full().0;
    assert!(!loaded.load(&index.save(index.message_count()), false));
    push_the_result(&setup, &mut index);
    assert_eq!(projection(&loaded), projection(&index));
    assert_nothing_is_lost(&loaded);
}

proptest! {
    #[test]
    fn promise_8_a_late_result_costs_its_group_and_less_than_a_summary(
        sizes in prop::collection::vec(0..30usize, 1..20),
        steps in prop::collection::vec((1..6u32, 0..20usize), 0..8),
        marked in any::<bool>(),
    ) {
        let setup = setup(&sizes);
        let (mut index, host) = all_but_the_result(&setup);
        let start = index.version();
        let mut longest = 0;
        for (more, length) in steps {
            let held: Vec<u32> = (0..index.slot_count())
                .filter(|&slot| index.held(slot).is_some())
                .take(more as usize + 1)
                .collect();
            let text = format!("{OPENING} {}", "s".repeat(length));
            if index.replace(&held, Role::Assistant, text.as_str(), "summarized").is_some() {
                longest = longest.max(text.len());
            }
        }
        let before = index.included_counts().bytes;
        push_the_result(&setup, &mut index);
        let group = ("call".len() + "a late result".len()) as u64;
        let after = index.included_counts().bytes;
        prop_assert!(after <= before + group + longest.saturating_sub(1) as u64);
        assert_consistent(&index, &setup, &host);
        assert_nothing_is_lost(&index);
        if marked {
            index.undo_to(start);
            assert_consistent(&index, &setup, &host);
            let all: Vec<Part> = (0..index.message_count()).map(Part::Message).collect();
            prop_assert_eq!(projection(&index), all);
        }
    }
}

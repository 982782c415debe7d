//! Figures in plain cases that one can check by hand.

use chatfold_core::{Counts, MessageIndex, Overhead, Role};

use super::common::Setup;
use super::common::chats::Message;
use super::common::host::{Counter, FakeHost};
use super::common::observed::{Part, projection};

fn chat() -> (MessageIndex, FakeHost) {
    let messages = vec![
        Message::new(Role::System, "be kind!"),
        Message::new(Role::User, "weather"),
        Message::calls("call", &["a"]),
        Message::result("sunny, 18 degrees", "a"),
        Message::new(Role::Assistant, "sunny"),
    ];
    let overhead = Overhead { per_message: 4, per_history: 3 };
    Setup { messages, counter: Counter::FourBytes, overhead }.full()
}

#[test]
fn figures_of_a_small_chat() {
    let (mut index, mut host) = chat();
    let counts = Counts { messages: 5, groups: 4, turns: 1, bytes: 41 };
    assert_eq!((index.included_counts(), index.total_counts()), (counts, counts));
    assert_eq!(index.included_tokens(&mut host).unwrap(), 2 + 2 + 1 + 5 + 2 + 5 * 4 + 3);
}

#[test]
fn a_stand_in_takes_the_place_of_the_first_message_that_it_replaces() {
    let (mut index, mut host) = chat();
    index.replace(&[2], Role::Assistant, "[Tool calls: w]", "digest").unwrap();
    let parts = projection(&index);
    assert_eq!(parts[2], Part::StandIn(Role::Assistant, "[Tool calls: w]".into()));
    assert_eq!(index.included_counts(), Counts { messages: 4, groups: 4, turns: 1, bytes: 35 });
    assert_eq!(index.included_tokens(&mut host).unwrap(), 2 + 2 + 4 + 2 + 4 * 4 + 3);
    assert_eq!(index.total_tokens(&mut host).unwrap(), 2 + 2 + 1 + 5 + 2 + 4 + 6 * 4 + 3);
}

#[test]
fn promise_6_a_stand_in_that_is_not_shorter_is_refused() {
    let (mut index, _) = chat();
    let as_long = "x".repeat(21);
    assert_eq!(index.replace(&[2], Role::Assistant, &as_long, "digest"), None);
    assert!(index.replace(&[2], Role::Assistant, &as_long[1..], "digest").is_some());
}

#[test]
fn an_empty_history_has_no_overhead() {
    let (mut index, mut host) = chat();
    for slot in 0..index.slot_count() {
        index.exclude(slot, "test");
    }
    assert_eq!(index.included_counts(), Counts::default());
    assert_eq!(index.included_tokens(&mut host).unwrap(), 0);
    assert!(!index.tokens_exceed(0, &mut host).unwrap());
}

#[test]
fn a_late_result_brings_its_excluded_group_back() {
    let (mut index, _) = chat();
    index.exclude(2, "test");
    index.push(&Message::result("again", "a").facts).unwrap();
    assert_eq!(projection(&index).len(), 6);
}

#[test]
fn messages_without_text_are_counted_as_messages() {
    let mut index = MessageIndex::default();
    index.push(&Message::new(Role::Assistant, "").facts).unwrap();
    assert_eq!(index.included_counts(), Counts { messages: 1, groups: 1, turns: 0, bytes: 0 });
}

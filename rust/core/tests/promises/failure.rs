//! Promise 10: after an error the index is what it was before.

use std::error::Error as _;

use chatfold_core::{
    Error, Gate, Metric, Protection, Role, SlidingWindow, Strategy, Trigger, Truncation, Window,
};
use proptest::prelude::*;

use super::common::chats::Message;
use super::common::host::{Counter, Refused};
use super::common::observed::{assert_consistent, assert_tokens, observe};
use super::common::setups;
use super::common::strategies::{self, Kinds};
use super::common::{Setup, observed};

const CUSTOM: Kinds =
    Kinds { custom_triggers: true, custom_strategies: true, monotone: false, floor: false };

proptest! {
    #[test]
    fn promise_10_a_host_that_fails_at_any_call_changes_nothing(
        setup in setups(12),
        strategies in prop::array::uniform2(strategies::composed(CUSTOM)),
    ) {
        let (mut index, mut host) = setup.full();
        strategies::run(&strategies[0], &mut index, &mut host).unwrap();
        let (before, version) = (observe(&index), index.version());
        for call in 1.. {
            let (mut failing, mut host) = (index.clone(), host.clone());
            (host.work, host.fails_at) = (Default::default(), Some(call));
            match strategies::run(&strategies[1], &mut failing, &mut host) {
                Ok(_) => break,
                Err(Error::Host(error)) => prop_assert!(error.is::<Refused>()),
                Err(other) => prop_assert!(false, "{}", other),
            }
            prop_assert_eq!(observe(&failing), before.clone());
            prop_assert_eq!(failing.version(), version);
            host.fails_at = None;
            assert_consistent(&failing, &setup, &host);
            assert_tokens(&mut failing, &setup, &mut host);
        }
    }

    #[test]
    fn promise_10_a_run_that_is_undone_leaves_no_trace_in_later_ones(
        setup in setups(20),
        cut in any::<prop::sample::Index>(),
        usual in strategies::composed(Kinds::default()),
        undone in strategies::composed(CUSTOM),
    ) {
        let cut = cut.index(setup.messages.len() + 1);
        let (mut index, mut host) = setup.empty();
        for position in 0..cut {
            index.push(&setup.facts(position)).unwrap();
        }
        strategies::run(&usual, &mut index, &mut host).unwrap();
        let mut other = index.clone();
        let version = other.version();
        strategies::run(&undone, &mut other, &mut host).unwrap();
        other.undo_to(version);
        for index in [&mut index, &mut other] {
            for position in cut..setup.messages.len() {
                index.push(&setup.facts(position)).unwrap();
            }
            strategies::run(&usual, index, &mut host).unwrap();
        }
        prop_assert_eq!(observe(&index), observe(&other));
    }

    #[test]
    fn promise_10_a_failed_count_leaves_the_counts_that_were_made(setup in setups(12), call in 1..4usize) {
        let (mut index, mut host) = setup.full();
        host.fails_at = Some(call);
        let failed = index.total_tokens(&mut host).is_err();
        prop_assert_eq!(failed, host.work.calls >= call);
        assert_consistent(&index, &setup, &host);
        assert_tokens(&mut index, &setup, &mut host);
    }
}

#[test]
fn promise_10_messages_that_came_during_a_run_that_failed_stay() {
    // The result comes while the run waits for a strategy of the caller's own.
    let messages = vec![
        Message::calls("a long question to a tool", &["a"]),
        Message::new(Role::User, "and?"),
        Message::calls("", &["b"]),
        Message::result("b", "b"),
        Message::result("a", "a"),
    ];
    let setup = Setup { messages, counter: Counter::FourBytes, overhead: Default::default() };
    let (mut index, host) = setup.empty();
    for position in 0..2 {
        index.push(&setup.facts(position)).unwrap();
    }
    index.replace(&[0], Role::Assistant, "[Tool calls: a]", "digest").unwrap();
    let version = index.version();
    for position in 2..5 {
        index.push(&setup.facts(position)).unwrap();
    }
    index.undo_to(version);
    assert_consistent(&index, &setup, &host);
    assert_eq!(observed::kept_messages(&index), [0, 1, 2, 3, 4]);
}

#[test]
fn promise_10_what_rested_before_a_run_that_was_undone_rests_after_it() {
    let messages = (0..5).map(|_| Message::new(Role::Assistant, "said")).collect();
    let setup = Setup { messages, counter: Counter::FourBytes, overhead: Default::default() };
    let (mut index, mut host) = setup.full();
    let few = Gate { trigger: Trigger::Below(Metric::Messages, 4), target: None };
    let window = Window::Groups(3);
    let protection = Protection { minimum_preserved: 0, ..Protection::default() };
    // What the window leaves is few: the truncation would go on, did it not come first.
    let usual = Strategy::Pipeline(vec![
        Strategy::Truncation(Truncation::new(few, protection)),
        Strategy::SlidingWindow(SlidingWindow { gate: Gate::default(), window, protection }),
    ]);
    strategies::run(&usual, &mut index, &mut host).unwrap();
    let version = index.version();
    let undone = Strategy::Truncation(Truncation::new(Gate::default(), protection));
    strategies::run(&undone, &mut index, &mut host).unwrap();
    assert_eq!(observed::kept_messages(&index), [4]);
    index.undo_to(version);
    strategies::run(&usual, &mut index, &mut host).unwrap();
    assert_eq!(observed::kept_messages(&index), [2, 3, 4]);
}

#[test]
fn the_error_of_the_host_comes_back_as_it_was() {
    let error = Error::host(Refused);
    assert!(error.source().is_some_and(<dyn std::error::Error>::is::<Refused>));
}

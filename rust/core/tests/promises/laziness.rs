//! Promise 9: decisions equal those of counting everything, and count little.

use chatfold_core::{
    Gate, MessageIndex, Metric, Overhead, Protection, Role, Strategy, Trigger, Truncation,
};
use proptest::prelude::*;

use super::common::chats::Message;
use super::common::host::{Counter, FakeHost};
use super::common::observed::plain_tokens;
use super::common::{Setup, setups, strategies};

/// A long history of so many messages of up to 400 bytes.
fn long(messages: u32, counter: Counter) -> (MessageIndex, FakeHost) {
    let roles = [Role::User, Role::Assistant];
    let text = |number: u32| "x".repeat((number * 37 % 400) as usize);
    let messages =
        (0..messages).map(|number| Message::new(roles[number as usize % 2], text(number)));
    let setup = Setup { messages: messages.collect(), counter, overhead: Overhead::default() };
    setup.full()
}

fn truncate_to(tokens: u64) -> Strategy {
    let gate = Gate {
        trigger: Trigger::Exceeds(Metric::Tokens, tokens * 2),
        target: Some(Trigger::Not(Box::new(Trigger::Exceeds(Metric::Tokens, tokens)))),
    };
    Strategy::Truncation(Truncation::new(gate, Protection::default()))
}

proptest! {
    #[test]
    fn promise_9_a_limit_is_exceeded_exactly_where_the_total_is_more(
        setup in setups(12),
        limits in prop::collection::vec(0..300u64, 0..4),
    ) {
        let (index, host) = setup.full();
        let plain = plain_tokens(&index, &setup, &host);
        let around = plain.saturating_sub(3)..plain + 4;
        for limit in around.chain(limits).chain([0, u64::MAX]) {
            // From the start each time, so that nothing has been counted for another limit.
            let (mut index, mut host) = (index.clone(), host.clone());
            prop_assert_eq!(index.tokens_exceed(limit, &mut host).unwrap(), plain > limit);
        }
    }

    #[test]
    fn promise_9_each_message_is_counted_at_most_once(
        setup in setups(16),
        strategy in strategies::composed(strategies::Kinds::default()),
    ) {
        let (mut index, mut host) = setup.full();
        strategies::run(&strategy, &mut index, &mut host).unwrap();
        strategies::run(&strategy, &mut index, &mut host).unwrap();
        index.total_tokens(&mut host).unwrap();
        index.included_tokens(&mut host).unwrap();
        let known = setup.messages.iter();
        let known = known.filter(|message| message.counted_before || message.facts.bytes == 0);
        let known = known.count();
        host.work.counted.sort_unstable();
        let times = host.work.counted.len();
        host.work.counted.dedup();
        prop_assert_eq!(host.work.counted.len(), times);
        // Of what was shortened nobody asks how much it was.
        let left = (0..index.message_count()).filter(|&at| index.known_tokens(at).is_none());
        let left: Vec<u32> = left.collect();
        prop_assert!(left.iter().all(|&message| index.shortened(message).is_some()));
        prop_assert_eq!(times + left.len(), setup.messages.len() - known);
    }

    #[test]
    fn promise_9_counting_first_or_only_where_needed_is_the_same(
        setup in setups(20),
        strategy in strategies::composed(strategies::Kinds::default()),
    ) {
        let (mut lazy, mut host) = setup.full();
        let mut eager = lazy.clone();
        eager.total_tokens(&mut host).unwrap();
        let one = strategies::run(&strategy, &mut lazy, &mut host).unwrap();
        let other = strategies::run(&strategy, &mut eager, &mut host).unwrap();
        prop_assert_eq!(lazy.projection(), eager.projection());
        prop_assert_eq!(one.target_met, other.target_met);
        prop_assert_eq!(one.steps.len(), other.steps.len());
    }
}

#[test]
fn promise_9_a_decision_about_n_tokens_counts_about_n_tokens() {
    for (counter, slack) in [(Counter::FourBytes, 200), (Counter::Wild, 200)] {
        let (mut index, mut host) = long(20_000, counter);
        assert!(index.tokens_exceed(5_000, &mut host).unwrap());
        assert!(host.work.tokens <= 5_000 + slack, "{counter:?} counted {}", host.work.tokens);
    }
}

#[test]
fn promise_9_cutting_to_n_tokens_counts_about_n_tokens() {
    for messages in [2_000, 20_000] {
        let (mut index, mut host) = long(messages, Counter::FourBytes);
        strategies::run(&truncate_to(5_000), &mut index, &mut host).unwrap();
        let kept = index.included_tokens(&mut host).unwrap();
        assert!((4_800..=5_000).contains(&kept));
        assert!(host.work.tokens <= 5_200, "counted {} of {messages}", host.work.tokens);
    }
}

#[test]
fn promise_9_bounds_alone_decide_what_is_far_away() {
    let (mut index, mut host) = long(2_000, Counter::FourBytes);
    assert!(index.tokens_exceed(1_000, &mut host).unwrap());
    assert!(!index.tokens_exceed(1_000_000, &mut host).unwrap());
    assert!(host.work.counted.is_empty());
}

#[test]
fn one_more_turn_counts_and_asks_only_for_itself() {
    let (mut index, mut host) = long(4_000, Counter::FourBytes);
    let strategy = truncate_to(5_000);
    strategies::run(&strategy, &mut index, &mut host).unwrap();
    for _ in 0..100 {
        host.work = Default::default();
        for role in [Role::User, Role::Assistant] {
            let message = Message::new(role, "a question or an answer");
            index.push(&message.facts).unwrap();
            host.messages.push(message);
        }
        strategies::run(&strategy, &mut index, &mut host).unwrap();
        assert!(host.work.counted.len() <= 2 && host.work.calls <= 3);
    }
}

//! Promise 9 for reading: where the newest part decides, it keeps what the whole keeps.

use chatfold_core::{Execution, KeptOfOlder, MessageIndex, Plan, Role, Strategy};
use proptest::prelude::*;
use proptest::strategy::Strategy as _;

use super::common::observed::{Part, projection};
use super::common::strategies::{self, Kinds};
use super::common::{Setup, setups};

const MONOTONE: Kinds =
    Kinds { custom_triggers: false, custom_strategies: false, monotone: true, floor: true };

/// What of the messages before the cut is in the index, where that can be told.
fn kept_of_older(setup: &Setup, start: usize, kept: KeptOfOlder) -> Option<Vec<usize>> {
    let first_user = setup.messages.iter().position(|message| message.is_user())?;
    let mut positions = Vec::new();
    for (position, message) in setup.messages[..start].iter().enumerate() {
        let in_turn_zero = kept.turn_zero && position < first_user;
        let tied = !message.facts.calls.is_empty()
            || message.facts.is_result()
            || message.facts.reasoning_only;
        if in_turn_zero && tied && !message.is_system() {
            return None;
        }
        if message.is_system() || in_turn_zero || (kept.first_user && position == first_user) {
            positions.push(position);
        }
    }
    Some(positions)
}

/// Whether some result of the newest part may belong to a call of the older part: it takes the
/// nearest call that waits, which may be one of long ago.
fn looks_back(setup: &Setup, start: usize) -> bool {
    let mut waiting = Vec::new();
    let mut searching = Vec::new();
    for message in &setup.messages[start..] {
        waiting.extend(message.facts.calls.iter().copied().flatten());
        for key in message.facts.answered() {
            match waiting.iter().position(|waits| *waits == key) {
                Some(call) => drop(waiting.swap_remove(call)),
                None => searching.push(key),
            }
        }
    }
    let mut older = setup.messages[..start].iter().flat_map(|message| &message.facts.calls);
    older.any(|key| key.is_some_and(|key| searching.contains(&key)))
}

fn run(plan: &Plan, index: &mut MessageIndex, setup: &Setup) -> (bool, Vec<Part>) {
    let (_, mut host) = setup.empty();
    let mut execution = Execution::new(plan.clone());
    assert!(execution.advance(index, &mut host).unwrap().is_none());
    (execution.target_met, projection(index))
}

/// Says whether the newest part decided, and checks that it decided right.
fn check(setup: &Setup, strategy: &Strategy, start: usize) -> bool {
    let plan = Plan::new(strategy);
    let Some(kept) = plan.horizon() else { return false };
    let Some(mut held) = kept_of_older(setup, start, kept) else { return false };
    if looks_back(setup, start) {
        return false;
    }
    held.extend(start..setup.messages.len());
    let part = setup.of_part(&held);
    let (mut newest, mut host) = part.full();
    let spoken = |&&at: &&usize| {
        at < start && !matches!(setup.messages[at].facts.role, Role::System | Role::Developer)
    };
    let older = u32::try_from(held.iter().filter(spoken).count()).unwrap();
    if !plan.newest_part_decides(&mut newest, older, &mut host).unwrap() {
        return false;
    }
    let (met, kept) = run(&plan, &mut newest, &part);
    let place = |part: Part| match part {
        Part::Message(at) => Part::Message(u32::try_from(held[at as usize]).unwrap()),
        stand_in @ Part::StandIn(..) => stand_in,
    };
    let kept: Vec<Part> = kept.into_iter().map(place).collect();
    let (mut whole, _) = setup.full();
    assert_eq!(run(&plan, &mut whole, setup), (met, kept));
    true
}

/// Strategies that may be decided by the newest part, most of them.
fn eligible() -> BoxedStrategy<Strategy> {
    let (any_gate, no_floor) =
        (Kinds { monotone: false, ..MONOTONE }, Kinds { floor: false, ..MONOTONE });
    prop_oneof![2 => with(MONOTONE), 1 => with(any_gate), 1 => with(no_floor)].boxed()
}

fn with(kinds: Kinds) -> BoxedStrategy<Strategy> {
    let pipeline = prop::collection::vec(strategies::composed(kinds), 0..3);
    let own = Kinds { floor: false, ..kinds };
    (strategies::single(kinds), pipeline, prop::option::of((0..60u64, any::<bool>())))
        .prop_flat_map(move |(first, rest, budget)| {
            let mut all = vec![first];
            all.extend(rest);
            strategies::protections(own).prop_map(move |protection| match budget {
                None => Strategy::Pipeline(all.clone()),
                Some((budget, early_stop)) => Strategy::TokenBudget {
                    budget,
                    compact_to: budget / (1 + budget % 3),
                    strategies: all.clone(),
                    early_stop,
                    protection,
                },
            })
        })
        .boxed()
}

proptest! {
    #[test]
    fn promise_9_where_the_newest_part_decides_it_keeps_what_the_whole_keeps(
        setup in setups(60),
        strategy in eligible(),
    ) {
        let users = (0..setup.messages.len()).filter(|&at| setup.messages[at].is_user());
        for start in users {
            check(&setup, &strategy, start);
        }
    }
}

mod cases {
    use chatfold_core::{
        Callback, Gate, Metric, Plan, Protection, Role, SlidingWindow, Strategy, Trigger,
        Truncation, Window,
    };

    use super::check;
    use crate::common::Setup;
    use crate::common::chats::Message;
    use crate::common::host::Counter;

    fn chat(turns: usize) -> Setup {
        let turn = |_| ["question", "answer"].into_iter().zip([Role::User, Role::Assistant]);
        let messages = (0..turns).flat_map(turn).map(|(text, role)| Message::new(role, text));
        let (counter, overhead) = (Counter::FourBytes, Default::default());
        Setup { messages: messages.collect(), counter, overhead }
    }

    fn gate() -> Gate {
        Gate { trigger: Trigger::Exceeds(Metric::Messages, 1), target: None }
    }

    fn first_user(minimum_preserved: u32) -> Protection {
        Protection { preserve_first_user_group: true, minimum_preserved, ..Protection::default() }
    }

    #[test]
    fn the_newest_part_decides_a_plain_truncation() {
        let strategy = Strategy::Truncation(Truncation::new(gate(), Protection::default()));
        assert!(check(&chat(10), &strategy, 16));
    }

    #[test]
    fn strategies_whose_outcome_depends_on_more_are_left_to_the_whole() {
        let truncation = |gate, protection| Truncation::new(gate, protection);
        let horizon = |own| Plan::new(&Strategy::Truncation(own)).horizon();
        let all = Protection { preserve_system: false, ..Protection::default() };
        assert!(horizon(truncation(gate(), Protection::default())).is_some());
        assert_eq!(horizon(truncation(gate(), all)), None);
        let below = Trigger::Below(Metric::Messages, 3);
        let custom = Trigger::Custom(Callback(0));
        for trigger in [below, custom] {
            let gate = Gate { trigger, target: None };
            assert_eq!(horizon(truncation(gate, Protection::default())), None);
        }
        assert_eq!(Plan::new(&Strategy::Custom(Callback(0))).horizon(), None);
    }

    #[test]
    fn a_kept_first_user_message_is_not_one_of_the_newest_groups() {
        let strategy = Strategy::Truncation(Truncation::new(gate(), first_user(5)));
        assert!(check(&chat(10), &strategy, 14));
        assert!(!check(&chat(10), &strategy, 16));
    }

    #[test]
    fn a_kept_first_user_message_is_not_one_of_the_newest_turns() {
        let window = Window::Turns(3);
        let protection = first_user(1);
        let strategy = Strategy::SlidingWindow(SlidingWindow { gate: gate(), window, protection });
        assert!(check(&chat(10), &strategy, 14));
        assert!(!check(&chat(10), &strategy, 16));
    }
}

//! Promise 11: every strategy makes at most one pass over the groups plus one step a group.

use chatfold_core::{
    Bounds, Callback, Error, Execution, Gate, Host, MessageIndex, Metric, ObservationMasking,
    Overhead, OversizeClamping, Place, Plan, Protection, Result, Role, Strategy, Texts,
    ToolExchange, Trigger, Truncation, VisitText,
};
use proptest::prelude::*;

use super::common::chats::Message;
use super::common::host::{ALWAYS_TRUE, NEVER_TRUE};
use super::common::setups;
use super::common::strategies::{self, Kinds};

const CUSTOM: Kinds =
    Kinds { custom_triggers: true, custom_strategies: false, monotone: false, floor: false };

/// The strategy with triggers of the caller's: one that is true and a target that never is.
fn with_gate(strategy: Strategy, gate: Gate) -> Strategy {
    match strategy {
        Strategy::Truncation(own) => Strategy::Truncation(Truncation { gate, ..own }),
        Strategy::SlidingWindow(mut own) => {
            own.gate = gate;
            Strategy::SlidingWindow(own)
        }
        Strategy::ToolCalls(mut own) => {
            own.gate = gate;
            Strategy::ToolCalls(own)
        }
        Strategy::ContextPruning(mut own) => {
            own.gate = gate;
            own.min_tokens_freed = 0;
            Strategy::ContextPruning(own)
        }
        Strategy::ObservationMasking(own) => {
            Strategy::ObservationMasking(ObservationMasking { gate, ..own })
        }
        Strategy::OversizeClamping(own) => {
            Strategy::OversizeClamping(OversizeClamping { gate, ..own })
        }
        other => other,
    }
}

proptest! {
    #[test]
    fn promise_11_a_target_that_is_never_true_is_asked_once_a_group(
        setup in setups(24),
        strategy in strategies::single(Kinds::default()),
    ) {
        let gate = Gate {
            trigger: Trigger::Custom(ALWAYS_TRUE),
            target: Some(Trigger::Custom(NEVER_TRUE)),
        };
        let (mut index, mut host) = setup.full();
        let groups = usize::try_from(index.included_counts().groups).unwrap();
        let version = index.version();
        let run = strategies::run(&with_gate(strategy, gate), &mut index, &mut host).unwrap();
        let step = &run.steps[0];
        prop_assert!(usize::try_from(step.groups).unwrap() <= groups);
        // Each of two stages may shorten a message once.
        let steps = usize::try_from(step.groups.max(step.shortened * 2)).unwrap();
        prop_assert!(host.work.asked <= steps + 2, "asked {} for {steps}", host.work.asked);
        prop_assert!(!run.target_met);
        prop_assert_eq!(run.before.map(|before| before.version), Some(version));
        // No message is read twice, and none that is not in an old tool-call group. Pruning reads one
        // to see whether it pays, to trim it, and to clear it; clamping its content and its arguments.
        let most = match step.strategy {
            "ContextPruningStrategy" => 3,
            "OversizeClampingStrategy" => 2,
            _ => 1,
        };
        let times = |message| host.work.read.iter().filter(|&&other| other == message).count();
        prop_assert!(host.work.read.iter().all(|&message| times(message) <= most));
    }

    #[test]
    fn promise_11_compositions_ask_at_most_once_a_group_and_trigger(
        setup in setups(20),
        strategy in strategies::composed(CUSTOM),
    ) {
        let (mut index, mut host) = setup.full();
        let groups = usize::try_from(index.included_counts().groups).unwrap();
        strategies::run(&strategy, &mut index, &mut host).unwrap();
        let triggers = format!("{strategy:?}").matches("Custom(").count();
        prop_assert!(host.work.asked <= triggers * (groups + 2));
    }

    #[test]
    fn promise_11_a_step_touches_groups_that_are_included_once(
        setup in setups(20),
        strategy in strategies::composed(CUSTOM),
    ) {
        let (mut index, mut host) = setup.full();
        let groups = index.included_counts().groups;
        let run = strategies::run(&strategy, &mut index, &mut host).unwrap();
        for step in &run.steps {
            prop_assert!(step.groups <= groups);
        }
    }
}

/// A host that counts as a broken tokenizer does.
struct Broken(fn(usize) -> Vec<u32>);

impl Host for Broken {
    fn count_messages(&mut self, messages: &[u32]) -> Result<Vec<u32>> {
        Ok(self.0(messages.len()))
    }

    fn count_text(&mut self, _: &str) -> Result<u32> {
        Ok(u32::MAX)
    }

    fn count_shortened(&mut self, messages: &[(u32, &[(Place, String)])]) -> Result<Vec<u32>> {
        Ok(self.0(messages.len()))
    }

    fn visit_texts(&mut self, _: u32, _: Texts, _: VisitText<'_>) -> Result<()> {
        Ok(())
    }

    fn tool_name(&mut self, _: &[u32], _: u32) -> Result<String> {
        Ok(String::new())
    }

    fn tool_exchange(&mut self, _: &[u32], _: Option<usize>) -> Result<ToolExchange> {
        Ok(ToolExchange::default())
    }

    fn format_digest(&mut self, _: Callback, _: &ToolExchange) -> Result<String> {
        Ok(String::new())
    }

    fn ask(&mut self, _: Callback, _: &mut MessageIndex) -> Result<bool> {
        Ok(true)
    }

    fn now(&mut self) -> u64 {
        0
    }
}

fn five_questions(bounds: Bounds) -> MessageIndex {
    let mut index = MessageIndex::new(bounds, Overhead::default());
    for _ in 0..5 {
        index.push(&Message::new(Role::User, "eight bt").facts).unwrap();
    }
    index
}

#[test]
fn promise_11_absurd_counts_do_not_loop_or_overflow() {
    for (bounds, count) in [(Bounds::ByteLevel { longest: 4 }, u32::MAX), (Bounds::Unbounded, 0)] {
        let mut index = five_questions(bounds);
        let mut host = match count {
            0 => Broken(|messages| vec![0; messages]),
            _ => Broken(|messages| vec![u32::MAX; messages]),
        };
        let gate = Gate { trigger: Trigger::Exceeds(Metric::Tokens, 12), target: None };
        let strategy = Strategy::Truncation(Truncation::new(gate, Protection::default()));
        let mut run = Execution::new(Plan::new(&strategy));
        assert!(run.advance(&mut index, &mut host).unwrap().is_none());
        assert_eq!(run.target_met, count == 0);
        assert_eq!(index.included_counts().messages, if count == 0 { 5 } else { 1 });
    }
}

#[test]
fn promise_11_a_host_that_gives_another_number_of_counts_is_refused_not_asked_for_ever() {
    let hosts = [
        Broken(|_| Vec::new()),
        Broken(|messages| vec![1; messages - 1]),
        Broken(|messages| vec![1; messages + 1]),
    ];
    for mut host in hosts {
        for bounds in [Bounds::Unbounded, Bounds::ByteLevel { longest: 4 }] {
            let mut index = five_questions(bounds);
            let refused = index.included_tokens(&mut host);
            assert!(matches!(refused, Err(Error::MissingCounts { .. })), "{refused:?}");
            let refused = index.tokens_exceed(12, &mut host);
            assert!(matches!(refused, Err(Error::MissingCounts { .. })), "{refused:?}");
        }
    }
}

#[test]
fn a_target_that_a_later_strategy_meets_is_met() {
    let gate = |groups| Gate { trigger: Trigger::Exceeds(Metric::Groups, groups), target: None };
    let keeping = |newest: u32| Protection { minimum_preserved: newest, ..Protection::default() };
    let truncation =
        |groups, newest| Strategy::Truncation(Truncation::new(gate(groups), keeping(newest)));
    let outcome = |strategies: Vec<Strategy>| {
        let mut index = five_questions(Bounds::Unbounded);
        let mut run = Execution::new(Plan::new(&Strategy::Pipeline(strategies)));
        run.advance(&mut index, &mut Broken(|messages| vec![1; messages])).unwrap();
        let steps: Vec<_> = run.steps.iter().map(|step| step.target_met).collect();
        (run.target_met, steps)
    };
    assert_eq!(outcome(vec![truncation(2, 4)]), (false, vec![false]));
    assert_eq!(outcome(vec![truncation(2, 4), truncation(2, 1)]), (true, vec![false, true]));
    assert_eq!(outcome(vec![truncation(1, 4), truncation(2, 1)]), (false, vec![false, true]));
}

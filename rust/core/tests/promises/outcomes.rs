//! What each strategy excludes, as the table of strategies has it: slow and obvious.

use chatfold_core::{
    Gate, GroupKind, Metric, Protection, Role, SlidingWindow, Strategy, ToolCalls, ToolCallsAction,
    Trigger, Truncation, Window,
};
use proptest::prelude::*;
use proptest::strategy::Strategy as _;

use super::common::grouping_twin::{self, TwinGroup};
use super::common::observed::kept_messages;
use super::common::strategies::{self, Kinds};
use super::common::{Setup, setups};

/// Starts always, and stops where no more groups than that are included.
fn down_to(groups: u64) -> Gate {
    Gate { trigger: Trigger::Always, target: Some(Trigger::Below(Metric::Groups, groups + 1)) }
}

fn is_system(group: &TwinGroup) -> bool {
    group.kind == GroupKind::System
}

/// Whether a group is kept whatever a strategy does.
fn protected(setup: &Setup, all: &[TwinGroup], at: usize, protection: Protection) -> bool {
    let group = &all[at];
    let of_kind = |kind| move |&at: &usize| all[at].kind == kind;
    let newer = all[at + 1..].iter().filter(|group| !is_system(group)).count();
    let mut users = (0..all.len()).filter(of_kind(GroupKind::User));
    let (first, last) = (users.next(), (0..all.len()).rev().find(of_kind(GroupKind::User)));
    // A person may have written what opens as a stand-in does, where nothing newer was asked.
    let asked = setup.messages.iter().rposition(|message| message.facts.role == Role::User);
    let doubtful = asked.filter(|&asked| setup.messages[asked].facts.stand_in);
    let only_systems = all.iter().all(is_system);
    let minimum = protection.minimum_preserved.max(1) as usize;
    group.pending
        || (is_system(group) && protection.preserve_system)
        || (!is_system(group) && newer < minimum)
        || (only_systems && at + 1 == all.len())
        || (protection.preserve_first_user_group && first == Some(at))
        || (protection.preserve_last_user_group
            && (last == Some(at)
                || doubtful.is_some_and(|asked| {
                    group.positions.iter().any(|&position| position as usize == asked)
                })))
}

/// Whether a group is older than the newest turns; turn 0 counts as none and is kept.
fn is_before_turns(all: &[TwinGroup], at: usize, turns: u32) -> bool {
    let Some(turn) = all[at].turn else { return true };
    let mut newer: Vec<u32> = all.iter().filter_map(|group| group.turn).collect();
    newer.retain(|&other| other > turn);
    newer.dedup();
    turn > 0 && newer.len() >= turns.max(1) as usize
}

/// The groups that go, step by step; a whole turn is one step.
fn steps(setup: &Setup, all: &[TwinGroup], strategy: &Strategy) -> Vec<Vec<usize>> {
    let alone = |at| vec![at];
    let places = 0..all.len();
    match strategy {
        Strategy::Truncation(own) => {
            places.filter(|&at| !protected(setup, all, at, own.protection)).map(alone).collect()
        }
        Strategy::ToolCalls(own) => {
            let keep = own.keep_last_tool_call_groups as usize;
            let calls = places.filter(|&at| all[at].kind == GroupKind::ToolCall);
            let calls: Vec<usize> = calls.collect();
            let old = calls.iter().take(calls.len().saturating_sub(keep));
            old.copied()
                .filter(|&at| !protected(setup, all, at, own.protection))
                .map(alone)
                .collect()
        }
        Strategy::SlidingWindow(own) => match own.window {
            Window::Groups(groups) => {
                let mut protection = own.protection;
                protection.minimum_preserved = protection.minimum_preserved.max(groups);
                places.filter(|&at| !protected(setup, all, at, protection)).map(alone).collect()
            }
            Window::Turns(turns) => {
                let mut steps: Vec<Vec<usize>> = Vec::new();
                for at in places.filter(|&at| {
                    !protected(setup, all, at, own.protection) && is_before_turns(all, at, turns)
                }) {
                    let turn = all[at].turn;
                    let same = |step: &&mut Vec<usize>| turn.is_some() && all[step[0]].turn == turn;
                    match steps.iter_mut().find(same) {
                        Some(step) => step.push(at),
                        None => steps.push(vec![at]),
                    }
                }
                steps
            }
        },
        _ => Vec::new(),
    }
}

fn expected(setup: &Setup, strategy: &Strategy, down_to: u64) -> Vec<u32> {
    let all = grouping_twin::groups(&setup.messages);
    let mut gone = Vec::new();
    for step in steps(setup, &all, strategy) {
        if all.len() - gone.len() <= usize::try_from(down_to).unwrap() {
            break;
        }
        gone.extend(step);
    }
    let kept = (0..all.len()).filter(|at| !gone.contains(at));
    let mut kept: Vec<u32> = kept.flat_map(|at| all[at].positions.clone()).collect();
    kept.sort_unstable();
    kept
}

/// Each strategy that only excludes, with any options.
fn excluding(groups: u64) -> BoxedStrategy<Strategy> {
    let windows = prop_oneof![
        (0..8u32).prop_map(Window::Groups),
        (0..5u32).prop_map(Window::Turns),
        (0..5u32).prop_map(Window::Turns),
    ];
    (strategies::protections(Kinds::default()), windows, 0..4u32, 0..3u32)
        .prop_map(move |(protection, window, keep, which)| match which {
            0 => Strategy::Truncation(Truncation::new(down_to(groups), protection)),
            1 => {
                Strategy::SlidingWindow(SlidingWindow { gate: down_to(groups), window, protection })
            }
            _ => Strategy::ToolCalls(ToolCalls {
                gate: down_to(groups),
                keep_last_tool_call_groups: keep,
                protection,
                action: ToolCallsAction::Exclude,
            }),
        })
        .boxed()
}

proptest! {
    #[test]
    fn a_strategy_excludes_what_the_table_says_oldest_first_until_its_target(
        setup in setups(24),
        (groups, strategy) in (prop_oneof![Just(0), 0..25u64])
            .prop_flat_map(|groups| (Just(groups), excluding(groups))),
    ) {
        let (mut index, mut host) = setup.full();
        let run = strategies::run(&strategy, &mut index, &mut host).unwrap();
        prop_assert_eq!(kept_messages(&index), expected(&setup, &strategy, groups));
        prop_assert_eq!(run.target_met, index.included_counts().groups <= groups);
    }
}

//! Digests: their words, their length, and when they are written at all.

use chatfold_core::{
    Callback, Digest, DigestStyle, Gate, Protection, Role, Strategy, ToolCalls, ToolCallsAction,
};
use proptest::prelude::*;

use super::common::chats::Message;
use super::common::host::Counter;
use super::common::observed::{Part, observe, projection};
use super::common::{Setup, setups, strategies};

fn digests(style: DigestStyle, max_chars: usize) -> Strategy {
    Strategy::ToolCalls(ToolCalls {
        gate: Gate::default(),
        keep_last_tool_call_groups: 0,
        protection: Protection::default(),
        action: ToolCallsAction::Digest(Digest { style, max_chars }),
    })
}

/// What stands in the place of one exchange with a long call and these results.
fn digest_of(results: &[&str], style: DigestStyle, max_chars: usize) -> Part {
    place_of(Message::calls("words ".repeat(10), &["a", "b"]), results, style, max_chars)
}

fn place_of(call: Message, results: &[&str], style: DigestStyle, max_chars: usize) -> Part {
    let mut messages = vec![call];
    let ids = ["a", "b"].into_iter();
    messages.extend(results.iter().zip(ids).map(|(text, id)| Message::result(*text, id)));
    messages.push(Message::new(Role::User, "thanks"));
    let setup = Setup { messages, counter: Counter::FourBytes, overhead: Default::default() };
    let (mut index, mut host) = setup.full();
    strategies::run(&digests(style, max_chars), &mut index, &mut host).unwrap();
    projection(&index).remove(0)
}

fn written(text: &str) -> Part {
    Part::StandIn(Role::Assistant, text.to_owned())
}

#[test]
fn results_are_told_with_the_names_of_their_tools() {
    let results = ["sunny, 18 degrees and no wind  ", ""];
    let digest = digest_of(&results, DigestStyle::Results, 4096);
    assert_eq!(digest, written("[Tool results: tool: sunny, 18 degrees and no wind; tool:]"));
}

#[test]
fn names_are_told_without_results() {
    let digest = digest_of(&["a long result"], DigestStyle::Names, 4096);
    assert_eq!(digest, written("[Tool calls: tool, tool]"));
}

#[test]
fn a_limit_that_is_no_limit_is_none() {
    let digest = digest_of(&["a long enough result, and more"], DigestStyle::Results, usize::MAX);
    assert_eq!(digest, written("[Tool results: tool: a long enough result, and more]"));
}

#[test]
fn promise_6_a_digest_that_is_not_shorter_is_not_written() {
    // "[Tool results: tool: x]" has 23 bytes, what it would replace 22 and one.
    let as_long = || Message::calls("c".repeat(22), &["a", "b"]);
    assert_eq!(place_of(as_long(), &["x"], DigestStyle::Results, 4096), Part::Message(0));
    let digest = place_of(as_long(), &["xx"], DigestStyle::Results, 4096);
    assert_eq!(digest, Part::Message(0));
    let longer = Message::calls("c".repeat(23), &["a", "b"]);
    let digest = place_of(longer, &["x"], DigestStyle::Results, 4096);
    assert_eq!(digest, written("[Tool results: tool: x]"));
    // A formatter of the caller's that writes more than there was is not heard.
    let call = Message::calls("", &["a", "b"]);
    let digest = place_of(call, &["x"], DigestStyle::Custom(Callback(2)), 4096);
    assert_eq!(digest, Part::Message(0));
}

proptest! {
    #[test]
    fn digests_keep_within_their_code_points(setup in setups(24), max_chars in 32..80usize) {
        let (mut index, mut host) = setup.full();
        strategies::run(&digests(DigestStyle::Results, max_chars), &mut index, &mut host).unwrap();
        for (_, text) in observe(&index).groups.into_iter().filter_map(|group| group.stand_in) {
            prop_assert!(text.chars().count() <= max_chars, "{} is too long", text);
            prop_assert!(text.starts_with("[Tool results: ") && text.ends_with(']'));
        }
    }
}

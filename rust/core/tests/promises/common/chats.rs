//! Histories as facts and texts: orderly exchanges, and everything that real logs have besides.

use chatfold_core::{CallKey, Facts, Role};
use proptest::prelude::*;

#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) facts: Facts,
    pub(crate) text: String,
    /// Whether its tokens come with its facts.
    pub(crate) counted_before: bool,
}

impl Message {
    pub(crate) fn new(role: Role, text: impl Into<String>) -> Self {
        let text = text.into();
        let bytes = u32::try_from(text.len()).unwrap();
        let chars = u32::try_from(text.chars().count()).unwrap();
        let says_something = role == Role::Assistant && !text.trim().is_empty();
        let facts = Facts { bytes, chars, says_something, ..Facts::new(role) };
        Self { facts, text, counted_before: false }
    }

    pub(crate) fn calls(text: impl Into<String>, ids: &[&str]) -> Self {
        let mut message = Self::new(Role::Assistant, text);
        message.facts.calls = ids.iter().map(|id| key(id)).collect();
        message
    }

    pub(crate) fn result(text: impl Into<String>, id: &str) -> Self {
        let mut message = Self::new(Role::Tool, text);
        message.facts.answers = key(id);
        message
    }

    pub(crate) fn reasoning(text: impl Into<String>) -> Self {
        let mut message = Self::new(Role::Assistant, text);
        message.facts.reasoning_only = true;
        message
    }

    pub(crate) fn stand_in(role: Role, text: impl Into<String>) -> Self {
        let mut message = Self::new(role, text);
        message.facts.stand_in = true;
        message
    }

    pub(crate) fn is_user(&self) -> bool {
        self.facts.role == Role::User && !self.facts.stand_in
    }

    pub(crate) fn is_system(&self) -> bool {
        matches!(self.facts.role, Role::System | Role::Developer)
    }

    pub(crate) fn is_stand_in(&self) -> bool {
        self.facts.stand_in && matches!(self.facts.role, Role::User | Role::Assistant)
    }

    pub(crate) fn is_result(&self) -> bool {
        self.facts.is_result() && !self.is_stand_in()
    }

    pub(crate) fn is_reasoning(&self) -> bool {
        self.facts.role == Role::Assistant
            && !self.facts.is_result()
            && self.facts.reasoning_only
            && self.facts.calls.is_empty()
            && !self.facts.stand_in
    }

    pub(crate) fn makes_calls(&self) -> bool {
        self.facts.role == Role::Assistant && !self.facts.calls.is_empty() && !self.facts.stand_in
    }
}

/// The key of a call; an empty id is none.
fn key(id: &str) -> Option<CallKey> {
    (!id.is_empty()).then(|| CallKey::tool(id))
}

const LETTERS: [&str; 6] = ["a", "é", "🙂", "ab ", "\0", "字"];

fn texts() -> BoxedStrategy<String> {
    (
        prop::sample::select(&LETTERS[..]),
        prop_oneof![1 => Just(0), 7 => 0..40usize, 2 => 40..200usize],
    )
        .prop_map(|(letter, times)| letter.repeat(times))
        .boxed()
}

fn ids() -> BoxedStrategy<&'static str> {
    prop::sample::select(&["a", "b", "c", "d", ""][..]).boxed()
}

/// A message with the results of several calls, or of the calls that it makes.
fn results_together() -> BoxedStrategy<Message> {
    let answered = prop::collection::vec(ids(), 1..4);
    (prop::collection::vec(ids(), 0..3), answered, any::<bool>(), texts())
        .prop_map(|(calls, answered, tool, text)| {
            let mut message =
                if tool { Message::new(Role::Tool, text) } else { Message::calls(text, &calls) };
            answered.into_iter().filter_map(key).for_each(|key| message.facts.answer(key));
            message
        })
        .boxed()
}

/// One message of any kind.
fn messages() -> BoxedStrategy<Message> {
    let roles = prop::sample::select(&[Role::System, Role::Developer][..]);
    let speakers = prop::sample::select(&[Role::User, Role::Assistant][..]);
    let calls = prop::collection::vec(ids(), 1..4);
    prop_oneof![
        1 => (roles, texts()).prop_map(|(role, text)| Message::new(role, text)),
        3 => texts().prop_map(|text| Message::new(Role::User, text)),
        2 => texts().prop_map(|text| Message::new(Role::Assistant, text)),
        2 => texts().prop_map(Message::reasoning),
        3 => (calls, texts()).prop_map(|(ids, text)| Message::calls(text, &ids)),
        4 => (ids(), texts()).prop_map(|(id, text)| Message::result(text, id)),
        2 => results_together(),
        1 => texts().prop_map(|text| {
            let mut message = Message::new(Role::Function, text);
            message.facts.answers = Some(CallKey::function("a"));
            message
        }),
        1 => (speakers, texts()).prop_map(|(role, text)| Message::stand_in(role, text)),
    ]
    .boxed()
}

/// A whole exchange: calls, then most of their results, then perhaps an answer.
fn exchanges() -> BoxedStrategy<Vec<Message>> {
    (prop::collection::vec(ids(), 1..4), texts(), any::<[bool; 3]>(), 0..4usize)
        .prop_map(|(ids, text, [asked, thought, answered], results)| {
            let mut messages = Vec::new();
            messages.extend(asked.then(|| Message::new(Role::User, text.clone())));
            messages.extend(thought.then(|| Message::reasoning(text.clone())));
            messages.push(Message::calls("f", &ids));
            let results = ids.iter().take(results);
            messages.extend(results.map(|id| Message::result(text.repeat(2), id)));
            messages.extend(answered.then(|| Message::new(Role::Assistant, text)));
            messages
        })
        .boxed()
}

/// Any history of up to so many pieces.
pub(crate) fn histories(pieces: usize) -> BoxedStrategy<Vec<Message>> {
    let piece = prop_oneof![
        3 => messages().prop_map(|message| vec![message]),
        1 => exchanges(),
    ];
    let extras = (0..8u32, 0..4u32);
    prop::collection::vec((piece, extras), 0..pieces)
        .prop_map(|pieces| {
            let mut history = Vec::new();
            for (piece, (fixed, counted)) in pieces {
                history.extend(piece.into_iter().map(|mut message| {
                    message.facts.fixed_tokens = fixed.saturating_sub(4);
                    message.counted_before = counted == 0;
                    message
                }));
            }
            history
        })
        .boxed()
}

//! Grouping as the rules have it, over the whole list at once: slow and obvious.

use chatfold_core::{CallKey, GroupKind, Role};

use super::chats::Message;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TwinGroup {
    pub(crate) kind: GroupKind,
    pub(crate) positions: Vec<u32>,
    pub(crate) turn: Option<u32>,
    pub(crate) pending: bool,
}

struct Call {
    position: usize,
    key: Option<CallKey>,
    answered: bool,
}

struct Twin<'a> {
    messages: &'a [Message],
    /// Messages with the same name belong together.
    name: Vec<usize>,
    calls: Vec<Call>,
}

/// The groups of a list, in order.
pub(crate) fn groups(messages: &[Message]) -> Vec<TwinGroup> {
    let mut twin = Twin { messages, name: (0..messages.len()).collect(), calls: Vec::new() };
    for position in 0..messages.len() {
        twin.take(position);
    }
    let mut names: Vec<usize> = Vec::new();
    for &name in &twin.name {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.into_iter().map(|name| twin.group(name)).collect()
}

impl Twin<'_> {
    fn tie(&mut self, one: usize, other: usize) {
        let (old, new) = (self.name[one], self.name[other]);
        for name in &mut self.name {
            if *name == old {
                *name = new;
            }
        }
    }

    fn take(&mut self, position: usize) {
        let message = &self.messages[position];
        if message.makes_calls() {
            // The reasoning directly before calls belongs to them, unless it belongs to others.
            if self.calls_before(position).is_none() {
                for before in self.reasoning_before(position) {
                    self.tie(before, position);
                }
            }
            let keys = message.facts.calls.iter();
            self.calls.extend(keys.map(|&key| Call { position, key, answered: false }));
            for key in message.facts.answered().collect::<Vec<_>>() {
                self.answer(position, Some(key), Some(position));
            }
        } else if message.is_reasoning() {
            // The reasoning directly after calls belongs to them.
            if let Some(calls) = self.calls_before(position) {
                self.tie(position, calls);
            }
        } else if message.is_result() {
            self.take_result(position);
        }
    }

    fn take_result(&mut self, position: usize) {
        let start = self.start_of_results(position);
        let run_of = self.calls_before(start);
        if let Some(calls) = run_of {
            self.tie(position, calls);
        }
        let mut keys: Vec<_> = self.messages[position].facts.answered().map(Some).collect();
        if keys.is_empty() {
            keys.push(None);
        }
        let known: Vec<bool> =
            keys.into_iter().map(|key| self.answer(position, key, run_of)).collect();
        if run_of.is_none() && !known.contains(&true) {
            // A run of results without a known call is a group of its own.
            let strays: Vec<usize> = (start..position).filter(|&at| !self.has_calls(at)).collect();
            for stray in strays {
                self.tie(position, stray);
            }
        }
    }

    /// Answers a call by the message at a position; says whether there is one of that key.
    fn answer(&mut self, position: usize, key: Option<CallKey>, run_of: Option<usize>) -> bool {
        let same = |call: &Call| key.is_some() && call.key == key;
        if let Some(call) = self.calls.iter_mut().rfind(|call| same(call) && !call.answered) {
            call.answered = true;
            let call = call.position;
            self.tie(position, call);
        } else if run_of.is_some() {
            // It answers no call by its id, so it answers one of its run that has none.
            let nameless = |call: &&mut Call| {
                Some(call.position) == run_of && call.key.is_none() && !call.answered
            };
            if let Some(call) = self.calls.iter_mut().find(nameless) {
                call.answered = true;
            }
        } else if let Some(call) = self.calls.iter().rfind(|call| same(call)) {
            self.tie(position, call.position);
        } else {
            return false;
        }
        true
    }

    fn has_calls(&self, position: usize) -> bool {
        self.calls.iter().any(|call| self.name[call.position] == self.name[position])
    }

    fn reasoning_before(&self, position: usize) -> Vec<usize> {
        (0..position).rev().take_while(|&at| self.messages[at].is_reasoning()).collect()
    }

    /// The message with calls directly before a position, but for reasoning.
    fn calls_before(&self, position: usize) -> Option<usize> {
        let before = (position - self.reasoning_before(position).len()).checked_sub(1)?;
        self.messages[before].makes_calls().then_some(before)
    }

    fn start_of_results(&self, position: usize) -> usize {
        let earlier = (0..position).rev();
        position - earlier.take_while(|&at| self.messages[at].is_result()).count()
    }

    fn group(&self, name: usize) -> TwinGroup {
        let all = 0..self.messages.len();
        let positions: Vec<usize> = all.clone().filter(|&at| self.name[at] == name).collect();
        let users: Vec<usize> = all.filter(|&at| self.messages[at].is_user()).collect();
        let first = &self.messages[positions[0]];
        let kind = if positions.len() > 1 { GroupKind::ToolCall } else { kind_alone(first) };
        let turn = users.iter().filter(|&&user| user <= positions[0]).count();
        let turn = u32::try_from(turn).unwrap();
        let waits = |call: &Call| {
            !call.answered
                && positions.contains(&call.position)
                && users.iter().all(|&user| user < call.position)
        };
        TwinGroup {
            kind,
            turn: (kind != GroupKind::System).then_some(turn),
            pending: self.calls.iter().any(waits),
            positions: positions.into_iter().map(|at| u32::try_from(at).unwrap()).collect(),
        }
    }
}

fn kind_alone(message: &Message) -> GroupKind {
    match message.facts.role {
        Role::System | Role::Developer => GroupKind::System,
        _ if message.is_stand_in() => GroupKind::Summary,
        Role::User => GroupKind::User,
        Role::Assistant if message.makes_calls() || message.is_result() => GroupKind::ToolCall,
        Role::Assistant => GroupKind::AssistantText,
        Role::Tool | Role::Function => GroupKind::ToolCall,
    }
}

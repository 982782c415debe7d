//! Messages into groups and turns, one message at a time.
//!
//! Appending message after message gives exactly what grouping the whole list at once gives, since
//! there is no other way to group. Every message costs amortised `O(log n)` at the worst: calls are
//! found by key, and groups that a late result ties together are joined as in a union-find.

use crate::calls::Calls;
use crate::group::{Group, GroupKind};
use crate::hashed::HashedMap;
use crate::message::{CallKey, Facts, Role};

/// The groups of a growing list of messages.
///
/// A group keeps its number ("slot") for ever. Slots are ordered by first message; the slot of a
/// group that was joined to an earlier one is left empty.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grouping {
    groups: Vec<Group>,
    group_of: Vec<u32>,
    joined: HashedMap<u32, u32>,
    /// Every join as later slot, earlier slot, and the message that tied them, in order.
    joins: Vec<(u32, u32, u32)>,
    calls: Calls,
    /// Messages of the current turn with calls that have no result yet, and how many.
    pending: HashedMap<u32, u32>,
    /// The newest message with calls, and how many of them have no id and no result yet.
    nameless: (u32, u32),
    run: Run,
    turn: u32,
}

/// What the next message may join.
#[derive(Clone, Copy, Debug, Default)]
enum Run {
    #[default]
    Nothing,
    /// Reasoning-only messages, each a group of its own until calls follow; the first of them.
    Reasoning(u32),
    /// An assistant with calls, and the reasoning after it.
    Calls(u32),
    /// The results that directly follow calls.
    Results(u32),
    /// Results elsewhere, and the group of those among them whose call is unknown.
    Stray(Option<u32>),
}

/// Where a message went.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Placement {
    pub(crate) slot: u32,
    pub(crate) new: bool,
    /// Groups to be joined, as `(later, earlier)`: see [`Grouping::join`].
    pub(crate) ties: Vec<(u32, u32)>,
}

impl Grouping {
    pub(crate) fn group(&self, slot: u32) -> &Group {
        &self.groups[slot as usize]
    }

    pub(crate) fn reserve(&mut self, messages: usize) {
        self.group_of.reserve(messages);
    }

    /// How many slots there are, empty ones among them.
    pub(crate) fn slots(&self) -> u32 {
        count(self.groups.len())
    }

    /// How many slots are empty since their group was joined to an earlier one.
    pub(crate) fn empty_slots(&self) -> u32 {
        count(self.joined.len())
    }

    pub(crate) fn messages(&self) -> u32 {
        count(self.group_of.len())
    }

    /// The number of user messages, which is the number of the newest turn.
    pub(crate) fn turns(&self) -> u32 {
        self.turn
    }

    /// The slot of the group that holds a message.
    pub(crate) fn slot_of(&mut self, message: u32) -> u32 {
        let slot = self.group_of[message as usize];
        if self.joined.is_empty() {
            return slot;
        }
        let root = self.root(slot);
        let mut slot = slot;
        while slot != root {
            slot = self.joined.insert(slot, root).unwrap_or(root);
        }
        root
    }

    /// The same where nothing may be changed.
    pub(crate) fn slot_now(&self, message: u32) -> u32 {
        self.root(self.group_of[message as usize])
    }

    /// Slots of groups with a call that still waits for its result.
    pub(crate) fn pending(&self) -> impl Iterator<Item = u32> + '_ {
        self.pending.keys().map(|&message| self.root(self.group_of[message as usize]))
    }

    /// The slot that a group lives in since groups were joined.
    pub(crate) fn root(&self, mut slot: u32) -> u32 {
        while let Some(&earlier) = self.joined.get(&slot) {
            slot = earlier;
        }
        slot
    }

    /// The slot that each of the first so many messages was in before later ones tied groups.
    pub(crate) fn slots_before(&self, messages: u32) -> Vec<u32> {
        let known = self.joins.iter().take_while(|&&(_, _, message)| message < messages);
        let mut joins: Vec<(u32, u32)> =
            known.map(|&(later, earlier, _)| (later, earlier)).collect();
        // In order of slots, what a slot was joined to is known before it is looked for.
        joins.sort_unstable();
        let mut roots: HashedMap<u32, u32> = HashedMap::default();
        for (later, earlier) in joins {
            let root = roots.get(&earlier).copied().unwrap_or(earlier);
            roots.insert(later, root);
        }
        let slots = self.group_of.iter().take(messages as usize);
        slots.map(|slot| roots.get(slot).copied().unwrap_or(*slot)).collect()
    }

    /// Takes the next message. Where it ties groups together, the caller joins them.
    pub(crate) fn push(&mut self, facts: &Facts) -> Placement {
        match facts.role {
            Role::System | Role::Developer => self.alone(GroupKind::System, Run::Nothing),
            Role::User | Role::Assistant if facts.stand_in => {
                self.alone(GroupKind::Summary, Run::Nothing)
            }
            Role::User => {
                self.turn += 1;
                self.pending.clear();
                self.alone(GroupKind::User, Run::Nothing)
            }
            Role::Assistant if !facts.calls.is_empty() => self.calls(facts),
            Role::Assistant if facts.is_result() => self.result(facts),
            Role::Assistant if facts.reasoning_only => self.reasoning(),
            Role::Assistant => self.alone(GroupKind::AssistantText, Run::Nothing),
            Role::Tool | Role::Function => self.result(facts),
        }
    }

    fn alone(&mut self, kind: GroupKind, run: Run) -> Placement {
        let slot = self.slots();
        self.groups.push(Group::new(kind, self.turn, self.messages()));
        self.group_of.push(slot);
        self.run = run;
        Placement { slot, new: true, ties: Vec::new() }
    }

    fn join_group(&mut self, slot: u32, ties: Vec<(u32, u32)>) -> Placement {
        let position = self.messages();
        self.groups[slot as usize].push(position);
        self.group_of.push(slot);
        Placement { slot, new: false, ties }
    }

    fn reasoning(&mut self) -> Placement {
        match self.run {
            Run::Calls(slot) => self.join_group(slot, Vec::new()),
            Run::Reasoning(first) => self.alone(GroupKind::AssistantText, Run::Reasoning(first)),
            _ => self.alone(GroupKind::AssistantText, Run::Reasoning(self.slots())),
        }
    }

    fn calls(&mut self, facts: &Facts) -> Placement {
        let (message, keys) = (self.messages(), &facts.calls);
        for key in keys.iter().flatten() {
            self.calls.push(*key, message);
        }
        self.pending.insert(message, count(keys.len()));
        self.nameless = (message, count(keys.iter().filter(|key| key.is_none()).count()));
        let slot = self.slots();
        let ties = match self.run {
            Run::Reasoning(first) => (first + 1..=slot).map(|later| (later, first)).collect(),
            _ => Vec::new(),
        };
        let mut placement = self.alone(GroupKind::ToolCall, Run::Calls(slot));
        placement.ties = ties;
        self.answer_from_within(facts, slot, &mut placement.ties);
        placement
    }

    /// Answers calls by a message of the group in that slot.
    fn answer_from_within(&mut self, facts: &Facts, slot: u32, ties: &mut Vec<(u32, u32)>) {
        for key in facts.answered() {
            match self.answer(key) {
                Some(call) => {
                    let other = self.slot_of(call);
                    if other != slot {
                        ties.push((slot.max(other), slot.min(other)));
                    }
                }
                None => self.answer_nameless(),
            }
        }
    }

    fn result(&mut self, facts: &Facts) -> Placement {
        match self.run {
            Run::Calls(slot) | Run::Results(slot) => {
                self.run = Run::Results(slot);
                let mut ties = Vec::new();
                if facts.answers.is_none() {
                    self.answer_nameless();
                }
                self.answer_from_within(facts, slot, &mut ties);
                self.join_group(slot, ties)
            }
            Run::Stray(strays) => self.stray(facts, strays),
            Run::Nothing | Run::Reasoning(_) => self.stray(facts, None),
        }
    }

    /// A result that follows no calls: it joins the groups of its calls, else the strays before it.
    fn stray(&mut self, facts: &Facts, strays: Option<u32>) -> Placement {
        let (mut slot, mut ties) = (None, Vec::new());
        for key in facts.answered() {
            let call = self.answer(key).or_else(|| self.calls.newest(key));
            let Some(other) = call.map(|call| self.slot_of(call)) else { continue };
            let first = *slot.get_or_insert(other);
            if other != first {
                ties.push((first.max(other), first.min(other)));
            }
        }
        self.run = Run::Stray(strays);
        match slot.or(strays) {
            Some(slot) => self.join_group(slot, ties),
            None => self.alone(GroupKind::ToolCall, Run::Stray(Some(self.slots()))),
        }
    }

    /// A result that answers no call by its id answers one without an id.
    fn answer_nameless(&mut self) {
        let (message, waiting) = self.nameless;
        if waiting > 0 {
            self.nameless = (message, waiting - 1);
            self.settle(message);
        }
    }

    /// The nearest earlier call of that key without a result, which has one from now on.
    fn answer(&mut self, key: CallKey) -> Option<u32> {
        let message = self.calls.answer(key)?;
        self.settle(message);
        Some(message)
    }

    /// One call of a message has got its result.
    fn settle(&mut self, message: u32) {
        if let Some(waiting) = self.pending.get_mut(&message) {
            *waiting -= 1;
            if *waiting == 0 {
                self.pending.remove(&message);
            }
        }
    }

    /// Joins two groups that a message ties together; the later one's slot is left empty.
    pub(crate) fn join(&mut self, later: u32, earlier: u32) {
        let (later, earlier) = (self.root(later), self.root(earlier));
        let (later, earlier) = (later.max(earlier), later.min(earlier));
        if later == earlier {
            return;
        }
        let (head, tail) = self.groups.split_at_mut(later as usize);
        let (kept, gone) = (&mut head[earlier as usize], &mut tail[0]);
        kept.absorb(gone);
        kept.kind = GroupKind::ToolCall;
        self.joined.insert(later, earlier);
        self.joins.push((later, earlier, self.messages() - 1));
        self.run = match self.run {
            Run::Calls(slot) if slot == later => Run::Calls(earlier),
            Run::Results(slot) if slot == later => Run::Results(earlier),
            Run::Stray(Some(slot)) if slot == later => Run::Stray(Some(earlier)),
            other => other,
        };
    }
}

fn count(len: usize) -> u32 {
    u32::try_from(len).expect("the index refuses more messages than a u32 counts")
}

//! The message index: groups, what of them is included, and exact figures about both.
//!
//! Everything is kept up to date in `O(1)` (or `O(log64 n)`) a change, so that one more turn of a
//! long conversation costs the same however long it is. Token counts are lazy: see [`tokens`].

mod changes;
mod difference;
mod figures;
mod finished;
mod fork;
mod groups;
mod log;
mod lookups;
mod open;
mod protected;
mod readmission;
mod saved;
mod shortened;
mod speakers;
mod tokens;

pub use changes::{Origin, Version};
pub use figures::{Counts, Figures, Metric};
pub use groups::{GroupId, GroupView, Kept};
pub use log::Hold;
pub use open::SavedSettled;
pub use saved::{Saved, SavedGroup, SavedId, SavedShortened, SavedStandIn};
pub use shortened::ShortenedView;
pub use tokens::{Bounds, Overhead};

use std::collections::{BTreeSet, HashMap};

use crate::error::{Error, Result};
use crate::group::GroupKind;
use crate::grouping::Grouping;
use crate::hashed::HashedMap;
use crate::message::{Facts, Role};
use crate::ordered_set::OrderedSet;

use changes::{Current, SlotState, Why};
use figures::Sums;
use finished::Finished;
use log::Log;
use open::Open;
use shortened::Shortened;
use speakers::Speakers;
use tokens::UNKNOWN;

/// The structured view over a list of messages.
#[derive(Clone, Debug, Default)]
pub struct MessageIndex {
    grouping: Grouping,
    bytes: Vec<u32>,
    chars: Vec<u32>,
    speakers: Speakers,
    /// Tokens of each message, fixed ones included, or [`UNKNOWN`].
    tokens: Vec<u32>,
    /// The fixed tokens of the few messages that have some.
    fixed: HashedMap<u32, u32>,
    slots: Vec<SlotState>,
    /// Which messages are shortened, by the number of what they hold.
    shortened: HashedMap<u32, u32>,
    shortenings: Vec<Shortened>,
    stamp: u64,
    open: Vec<Open>,
    stand_ins: Vec<StandIn>,
    /// Every stand-in with its slot, by slot and age.
    anchored: BTreeSet<(u32, u32)>,
    reasons: Vec<String>,
    reason_numbers: HashMap<String, u32>,
    included: Included,
    sums: Sums,
    all_bytes: u64,
    overhead: Overhead,
    bounds: Bounds,
    first_user: Option<u32>,
    /// A message in the role of the user that opens as a stand-in does and is newer than all others
    /// of the user.
    doubtful: Option<u32>,
    /// Slots of groups that the caller protects.
    protected: BTreeSet<u32>,
    /// How many messages stand before what the model is to answer; all where there is nothing.
    answered: u32,
    /// Whether what it is to answer begins with calls.
    called: bool,
    epoch: u32,
    log: Log,
    finished: Finished,
}

/// The included slots, by what strategies look for.
#[derive(Clone, Debug, Default)]
struct Included {
    all: OrderedSet,
    non_system: OrderedSet,
    tool_calls: OrderedSet,
    users: OrderedSet,
    summaries: OrderedSet,
    /// Slots with messages whose tokens nobody has counted yet.
    uncounted: OrderedSet,
    /// How many non-system groups each turn has.
    turns: Vec<u32>,
    /// How many turns from 1 on have any.
    turn_count: u64,
}

/// A message that compaction wrote in place of others.
#[derive(Clone, Debug)]
pub struct StandIn {
    /// Its role: assistant or user.
    pub role: Role,
    /// Its text.
    pub text: String,
    /// The groups that it stands for, in order.
    replaces: Vec<GroupId>,
    slot: u32,
    tokens: u32,
    replaced_by: Option<u32>,
    /// Why it is excluded, where it is.
    why: Why,
    /// How many messages stood before what the model was to answer when it was made; 0 where it holds
    /// for every list.
    decided_at: u32,
    /// Somebody wrote its text: it is not made anew for nothing.
    written: bool,
    /// Undone: it stands for nothing any more.
    dissolved: bool,
}

impl MessageIndex {
    /// An empty index whose tokenizer has these bounds.
    pub fn new(bounds: Bounds, overhead: Overhead) -> Self {
        Self { overhead, bounds, ..Self::default() }
    }

    /// An empty index that counts alike.
    #[must_use]
    pub fn fresh(&self) -> Self {
        Self { epoch: self.epoch + 1, stamp: self.stamp, ..Self::new(self.bounds, self.overhead) }
    }

    /// Makes room for that many more messages.
    pub fn reserve(&mut self, messages: usize) {
        self.grouping.reserve(messages);
        self.bytes.reserve(messages);
        self.chars.reserve(messages);
        self.speakers.reserve(messages);
        self.tokens.reserve(messages);
    }

    /// The number of messages taken so far.
    pub fn message_count(&self) -> u32 {
        self.grouping.messages()
    }

    /// UTF-8 bytes of the texts of a message.
    pub fn message_bytes(&self, message: u32) -> Option<u32> {
        self.bytes.get(message as usize).copied()
    }

    /// Takes the next message of the list.
    ///
    /// # Errors
    /// [`Error::TooManyMessages`] past 2^32 - 3 messages.
    pub fn push(&mut self, facts: &Facts) -> Result<()> {
        if self.grouping.messages() >= u32::MAX - 2 {
            return Err(Error::TooManyMessages);
        }
        let message = self.grouping.messages();
        // Without text there is nothing to count.
        let known = facts.text_tokens.or((facts.bytes == 0).then_some(0));
        let tokens =
            known.map_or(UNKNOWN, |text| text.saturating_add(facts.fixed_tokens).min(UNKNOWN - 1));
        if facts.fixed_tokens > 0 {
            self.fixed.insert(message, facts.fixed_tokens);
        }
        self.bytes.push(facts.bytes);
        self.chars.push(facts.chars);
        self.speakers.push(facts);
        self.tokens.push(tokens);
        self.all_bytes += u64::from(facts.bytes);

        self.reopen(message);
        let placement = self.grouping.push(facts);
        if facts.role == Role::User {
            self.doubtful = facts.stand_in.then_some(placement.slot);
        }
        let kind = self.grouping.group(placement.slot).kind;
        self.note_answered(message, facts.role, kind, placement.new);
        if placement.new {
            self.slots.push(SlotState::default());
            if kind == GroupKind::User {
                self.first_user.get_or_insert(placement.slot);
            }
            self.enter(placement.slot);
        } else if self.current(placement.slot) == Current::Raw {
            self.add_message(placement.slot, message);
        } else if placement.ties.is_empty() {
            // A late result is news: the group that waited for it is wanted again.
            // Where it ties groups together, joining them does the same.
            self.readmit(placement.slot);
        }
        for (later, earlier) in placement.ties {
            self.join(later, earlier);
        }
        Ok(())
    }

    /// Joins two groups; the whole is included where either was, since neither may be split.
    fn join(&mut self, later: u32, earlier: u32) {
        let (later, earlier) = (self.grouping.root(later), self.grouping.root(earlier));
        if later == earlier {
            return;
        }
        // A join comes with a message that ties, which is wanted, so what it ties is wanted too.
        for slot in [earlier, later] {
            if self.current(slot) != Current::Raw {
                self.readmit(slot);
            }
        }
        // The sums stay as they are, since no message comes or goes.
        let uncounted = [earlier, later].map(|slot| self.leave_sets(slot));
        self.grouping.join(later, earlier);
        self.slots[later.max(earlier) as usize].current = Current::Nothing;
        self.enter_sets(later.min(earlier), uncounted.contains(&true));
    }

    /// Adds what a slot now holds to the sets and sums.
    fn enter(&mut self, slot: u32) {
        let current = self.current(slot);
        if current != Current::Nothing {
            let counted = self.add_sums(slot, current);
            self.enter_sets(slot, !counted);
        }
    }

    /// Takes what a slot holds out of the sets and sums.
    fn leave(&mut self, slot: u32) {
        let current = self.current(slot);
        if current != Current::Nothing {
            self.leave_sets(slot);
            self.remove_sums(slot, current);
        }
    }

    fn enter_sets(&mut self, slot: u32, uncounted: bool) {
        let (kind, turn) = (self.kind(slot), self.grouping.group(slot).turn);
        self.included.all.insert(slot);
        if uncounted {
            self.included.uncounted.insert(slot);
        }
        if kind == GroupKind::System {
            return;
        }
        self.included.non_system.insert(slot);
        self.included.add_turn(turn);
        match kind {
            GroupKind::ToolCall => self.included.tool_calls.insert(slot),
            GroupKind::User => self.included.users.insert(slot),
            GroupKind::Summary => self.included.summaries.insert(slot),
            _ => false,
        };
    }

    /// Says whether the slot had messages that nobody has counted.
    fn leave_sets(&mut self, slot: u32) -> bool {
        let turn = self.grouping.group(slot).turn;
        self.included.all.remove(slot);
        if self.included.non_system.remove(slot) {
            self.included.remove_turn(turn);
        }
        self.included.tool_calls.remove(slot);
        self.included.users.remove(slot);
        self.included.summaries.remove(slot);
        self.included.uncounted.remove(slot)
    }

    /// The kind of what a slot holds, or of its raw group where it holds nothing.
    fn kind(&self, slot: u32) -> GroupKind {
        match self.current(slot) {
            Current::StandIn(_) => GroupKind::Summary,
            Current::Raw | Current::Nothing => self.grouping.group(slot).kind,
        }
    }
}

impl Included {
    fn add_turn(&mut self, turn: u32) {
        let at = turn as usize;
        if self.turns.len() <= at {
            self.turns.resize(at + 1, 0);
        }
        self.turns[at] += 1;
        self.turn_count += u64::from(turn > 0 && self.turns[at] == 1);
    }

    fn remove_turn(&mut self, turn: u32) {
        let groups = &mut self.turns[turn as usize];
        *groups -= 1;
        self.turn_count -= u64::from(turn > 0 && *groups == 0);
    }
}

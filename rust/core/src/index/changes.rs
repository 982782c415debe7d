//! Excluding, replacing, restoring, and undoing all of it.

use super::groups::GroupId;
use super::log::Hold;
use super::tokens::UNKNOWN;
use super::{MessageIndex, StandIn};
use crate::message::Role;

/// What a slot contributes to the projection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Current {
    /// The messages themselves.
    #[default]
    Raw,
    /// The stand-in of that number.
    StandIn(u32),
    /// Nothing: the group is excluded, or stood for at the slot of an earlier group.
    Nothing,
}

/// Why a group is excluded, and since when.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Why {
    /// The number of the reason; 0 for none.
    pub(super) reason: u32,
    /// How many messages stood before what the model was to answer when that was decided; 0 where it
    /// holds for every list.
    pub(super) decided_at: u32,
}

/// Who excludes or replaces something. A list that goes back takes back what was decided with
/// messages that are gone, each in its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A strategy, which decides anew for nothing.
    Strategy,
    /// A strategy with a text that somebody wrote, which costs more than deciding.
    Writer,
    /// The caller, for every list.
    Caller,
}

/// The state of one slot.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SlotState {
    pub(super) current: Current,
    /// Why the raw group is excluded, where it is.
    pub(super) why: Why,
    /// The stand-in that stands for the raw group, plus one.
    pub(super) replaced_by: u32,
}

/// One entry of the log by which changes are undone and earlier figures are found.
#[derive(Clone, Debug)]
pub(super) enum Change {
    /// A slot changed what it holds; `why` tells of the entering group why it was excluded.
    Slot { slot: u32, before: Current, after: Current, why: Why },
    /// A group got or lost its stand-in.
    Link { group: GroupId, before: Option<u32> },
    /// A message holds other texts; `before` is the number of those that it held.
    Shortened { message: u32, before: Option<u32> },
    /// A stand-in was written or dissolved.
    StandIn { number: u32, dissolved: bool },
    /// A group was protected, or no longer.
    Protected { slot: u32, before: bool },
}

/// A point in the life of an index, to which changes can be undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    pub(super) log: usize,
    pub(super) messages: u32,
    /// Versions of another epoch are of an index that has been built anew since.
    pub(super) epoch: u32,
}

impl Version {
    /// The numbers that a version is.
    pub fn into_parts(self) -> (usize, u32, u32) {
        (self.log, self.messages, self.epoch)
    }

    /// A version from its numbers.
    pub fn from_parts((log, messages, epoch): (usize, u32, u32)) -> Self {
        Self { log, messages, epoch }
    }
}

impl MessageIndex {
    pub(super) fn current(&self, slot: u32) -> Current {
        self.slots[slot as usize].current
    }

    /// The number of a reason, from its text; 0 for none.
    pub(super) fn reason_number(&mut self, reason: &str) -> u32 {
        if reason.is_empty() {
            return 0;
        }
        if let Some(&known) = self.reason_numbers.get(reason) {
            return known;
        }
        self.reasons.push(reason.to_owned());
        let number = u32::try_from(self.reasons.len()).unwrap_or(u32::MAX);
        self.reason_numbers.insert(reason.to_owned(), number);
        number
    }

    /// The text of a reason, from its number.
    pub(super) fn reason(&self, number: u32) -> String {
        let at = (number as usize).checked_sub(1);
        at.and_then(|at| self.reasons.get(at)).cloned().unwrap_or_default()
    }

    fn why_of(&mut self, slot: u32, current: Current) -> Option<&mut Why> {
        match current {
            Current::Raw => Some(&mut self.slots[slot as usize].why),
            Current::StandIn(number) => Some(&mut self.stand_ins[number as usize].why),
            Current::Nothing => None,
        }
    }

    /// Lets a slot hold something else, and remembers what it held.
    pub(super) fn set_current(&mut self, slot: u32, after: Current, why: Why) {
        let before = self.current(slot);
        if before == after {
            return;
        }
        self.leave(slot);
        if let Some(old) = self.why_of(slot, before) {
            *old = why;
        }
        let entering = self.why_of(slot, after).map(std::mem::take).unwrap_or_default();
        self.slots[slot as usize].current = after;
        self.enter(slot);
        self.log.push(Change::Slot { slot, before, after, why: entering });
        self.reopen_slot(slot);
    }

    fn link(&mut self, group: GroupId, stand_in: Option<u32>) -> Option<u32> {
        match group.stand_in {
            None => {
                let link = &mut self.slots[group.slot as usize].replaced_by;
                let before = std::mem::replace(link, stand_in.map_or(0, |number| number + 1));
                before.checked_sub(1)
            }
            Some(own) => std::mem::replace(&mut self.stand_ins[own as usize].replaced_by, stand_in),
        }
    }

    pub(super) fn set_link(&mut self, group: GroupId, stand_in: Option<u32>) {
        let before = self.link(group, stand_in);
        self.log.push(Change::Link { group, before });
    }

    pub(super) fn stand_in_of(&self, group: GroupId) -> Option<u32> {
        match group.stand_in {
            None => self.slots[group.slot as usize].replaced_by.checked_sub(1),
            Some(own) => self.stand_ins[own as usize].replaced_by,
        }
    }

    /// Why something is excluded that is so from now on.
    pub(super) fn why(&mut self, reason: &str, origin: Origin) -> Why {
        let decided_at = if origin == Origin::Caller { 0 } else { self.answered };
        Why { reason: self.reason_number(reason), decided_at }
    }

    /// Excludes what a slot holds, for a strategy. Says whether it held anything.
    pub fn exclude(&mut self, slot: u32, reason: &str) -> bool {
        self.exclude_by(slot, reason, Origin::Strategy)
    }

    /// The same for somebody else.
    pub fn exclude_by(&mut self, slot: u32, reason: &str, origin: Origin) -> bool {
        let held = self.current(slot) != Current::Nothing;
        if held {
            let why = self.why(reason, origin);
            self.set_current(slot, Current::Nothing, why);
        }
        held
    }

    /// Puts a message with this text in the place of what these slots hold, at the first of them,
    /// for a strategy.
    ///
    /// Nothing happens (and `None` comes back) unless the text has fewer UTF-8 bytes than the texts
    /// that it replaces.
    pub fn replace(
        &mut self,
        slots: &[u32],
        role: Role,
        text: impl Into<String>,
        reason: &str,
    ) -> Option<u32> {
        self.replace_by(slots, role, text, reason, Origin::Strategy)
    }

    /// The same for somebody else.
    pub fn replace_by(
        &mut self,
        slots: &[u32],
        role: Role,
        text: impl Into<String>,
        reason: &str,
        origin: Origin,
    ) -> Option<u32> {
        let held: Vec<GroupId> = slots.iter().filter_map(|&slot| self.held(slot)).collect();
        let first = held.iter().map(|group| group.slot).min()?;
        let bytes: u64 = held.iter().map(|&group| self.byte_count(group)).sum();
        let text = text.into();
        if text.len() as u64 >= bytes {
            return None;
        }
        let number = u32::try_from(self.stand_ins.len()).ok()?;
        let why = self.why(reason, origin);
        self.stand_ins.push(StandIn {
            role,
            text,
            replaces: held.clone(),
            slot: first,
            tokens: UNKNOWN,
            replaced_by: None,
            why: Why::default(),
            decided_at: why.decided_at,
            written: origin != Origin::Strategy,
            dissolved: false,
        });
        self.anchored.insert((first, number));
        self.log.push(Change::StandIn { number, dissolved: true });
        for group in held {
            self.set_link(group, Some(number));
            let after =
                if group.slot == first { Current::StandIn(number) } else { Current::Nothing };
            self.set_current(group.slot, after, why);
        }
        Some(number)
    }

    /// Includes a group again, with its full texts. A stand-in for it goes, and what else it stood
    /// for comes back.
    ///
    /// Says whether anything changed.
    pub fn restore(&mut self, group: GroupId) -> bool {
        let version = self.log.len();
        if self.include_again(group) {
            self.unshorten(group);
        }
        self.log.len() > version
    }

    /// Includes a group again, with the texts that it held last. A stand-in for it goes, and what else
    /// it stood for comes back.
    ///
    /// Says whether there is such a group.
    pub fn include_again(&mut self, group: GroupId) -> bool {
        let dissolved = |number| self.stand_ins[number as usize].dissolved;
        if group.stand_in.is_some_and(dissolved) {
            // It stands for nothing any more: what it stood for is back.
            return false;
        }
        // From the group up to the outermost stand-in; that one is dissolved first.
        let mut chain = vec![group];
        while let Some(number) = chain.last().and_then(|&inner| self.stand_in_of(inner)) {
            chain.push(GroupId {
                slot: self.stand_ins[number as usize].slot,
                stand_in: Some(number),
            });
        }
        for outer in chain.into_iter().skip(1).rev() {
            self.dissolve(outer);
        }
        self.include(group);
        true
    }

    /// Lets a group take its slot again, unless the group has been joined to an earlier one since.
    pub(super) fn include(&mut self, group: GroupId) {
        if self.grouping.root(group.slot) == group.slot {
            self.set_current(group.slot, group.as_current(), Why::default());
        }
    }

    /// Takes a stand-in away and includes the groups that it stood for.
    pub(super) fn dissolve(&mut self, group: GroupId) {
        let Some(number) = group.stand_in else { return };
        if self.current(group.slot) == Current::StandIn(number) {
            self.set_current(group.slot, Current::Nothing, Why::default());
        }
        self.stand_ins[number as usize].dissolved = true;
        self.log.push(Change::StandIn { number, dissolved: false });
        for original in self.stand_ins[number as usize].replaces.clone() {
            self.set_link(original, None);
            self.include(original);
        }
    }

    /// Where the index stands now.
    pub fn version(&self) -> Version {
        Version { log: self.log.len(), messages: self.message_count(), epoch: self.epoch }
    }

    /// Keeps what is needed to undo changes from now on, and to find the figures before them.
    pub fn hold(&mut self) -> Hold {
        self.log.hold()
    }

    /// Forgets how to undo the changes before everything that is held; for who holds what it needs.
    pub fn forget_changes(&mut self) {
        self.log.forget();
    }

    /// Undoes every exclusion, replacement and restoration since that version.
    ///
    /// Messages that came since stay, what they tied together stays tied, and their groups are
    /// included, as they were when the messages came.
    pub fn undo_to(&mut self, version: Version) {
        if version.epoch != self.epoch {
            return;
        }
        self.unfinish_after(version);
        self.turn_back_to(version.log);
        let mut touched = Vec::new();
        let mut joined = Vec::new();
        while self.log.len() > version.log {
            match self.log.pop() {
                Some(Change::Slot { slot, before, after, why }) => {
                    touched.push(slot);
                    if self.grouping.root(slot) != slot {
                        // There is nothing to go back to; earlier figures still ask for it.
                        joined.push(Change::Slot { slot, before, after, why });
                        continue;
                    }
                    self.leave(slot);
                    if let Some(left) = self.why_of(slot, before) {
                        *left = Why::default();
                    }
                    if let Some(entered) = self.why_of(slot, after) {
                        *entered = why;
                    }
                    self.slots[slot as usize].current = before;
                    self.enter(slot);
                }
                Some(Change::Shortened { message, before }) => {
                    let undone = self.swap_shortened(message, before);
                    if undone.is_some_and(|number| number as usize + 1 == self.shortenings.len()) {
                        self.shortenings.pop();
                    }
                }
                Some(Change::Link { group, before }) => {
                    self.link(group, before);
                }
                Some(Change::StandIn { number, dissolved }) => {
                    self.stand_ins[number as usize].dissolved = dissolved;
                }
                Some(Change::Protected { slot, before }) => self.set_protected(slot, before),
                None => {}
            }
        }
        self.log.extend(joined.into_iter().rev());
        for slot in touched {
            let group = self.grouping.group(self.grouping.root(slot));
            if group.positions().any(|at| at >= version.messages) {
                self.readmit(slot);
            }
        }
    }
}

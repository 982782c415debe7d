//! Lists that go back: a message of long ago is another now, and what came after it is gone.
//!
//! What was decided then is taken back with it, so that the index is as it was when it had the messages
//! that are left, and goes on from there. What stands is what was decided for a call of the model
//! that answers something after them: the newest message may be written anew. A text that somebody
//! wrote is not thrown away for nothing: where all that it tells of is left, it stays while at least
//! half of what followed it then does. What the caller decided stays, and what the list can't be
//! without comes back in any case.

use super::changes::{Current, Why};
use super::shortened::Shortened;
use super::{GroupId, MessageIndex};
use crate::group::GroupKind;
use crate::message::Role;

/// At most so many messages wait together for an answer: a question, and what was added to it.
const SAID_TOGETHER: u32 = 4;

/// What of the memory of an index stands where only so many of its messages are left.
pub(super) struct Standing {
    /// How many are left; `None` where all are.
    left: Option<u32>,
    stand_ins: Vec<bool>,
}

impl Standing {
    pub(super) fn of(index: &MessageIndex, left: u32) -> Self {
        let left = Some(left).filter(|&left| left < index.message_count());
        // Each stand-in is newer than those that it replaced.
        let mut ends: Vec<u32> = Vec::with_capacity(index.stand_ins.len());
        for own in &index.stand_ins {
            let replaced = own.replaces.iter().map(|id| match id.stand_in {
                None => index.end_of(id.slot),
                Some(inner) => ends.get(inner as usize).copied().unwrap_or(u32::MAX),
            });
            let end = replaced.max().unwrap_or(0);
            ends.push(end);
        }
        let mut standing = Self { left, stand_ins: vec![false; ends.len()] };
        for (number, own) in index.stand_ins.iter().enumerate().rev() {
            // What is hidden by one that stands is as it was.
            let hidden = own.replaced_by.is_some_and(|outer| standing.stand_in(outer));
            standing.stand_ins[number] = !own.dissolved
                && (hidden || standing.outlives(ends[number], own.decided_at, own.written));
        }
        standing
    }

    /// Whether what was made of messages up to `end` stands by itself.
    fn outlives(&self, end: u32, decided_at: u32, written: bool) -> bool {
        let Some(left) = self.left else { return true };
        let Some(behind) = left.checked_sub(end) else { return false };
        decided_at <= left || (written && behind >= (decided_at - end).div_ceil(2))
    }

    /// Whether a stand-in stands.
    pub(super) fn stand_in(&self, number: u32) -> bool {
        self.stand_ins[number as usize]
    }

    /// Whether a group that was excluded for this stays so.
    pub(super) fn exclusion(&self, why: Why) -> bool {
        self.left.is_none_or(|left| why.decided_at <= left)
    }

    /// What a message still holds that was shortened, maybe more than once.
    pub(super) fn shortening<'a>(
        &self,
        index: &'a MessageIndex,
        number: u32,
    ) -> Option<&'a Shortened> {
        let mut own = &index.shortenings[number as usize];
        while !self.exclusion(own.why) {
            own = &index.shortenings[own.earlier? as usize];
        }
        Some(own)
    }
}

impl MessageIndex {
    /// Past the last message of a group.
    pub(super) fn end_of(&self, slot: u32) -> u32 {
        self.grouping.group(slot).positions().max().map_or(0, |last| last + 1)
    }

    /// Includes again, whole, what no strategy may exclude: the newest group, the last user message,
    /// and groups whose call waits. For a list that went back, and so has others of them.
    pub fn include_floor(&mut self) {
        let kind = |slot: u32| self.grouping.group(slot).kind;
        let groups =
            || (0..self.grouping.slots()).rev().filter(|&slot| self.grouping.group(slot).len() > 0);
        let newest = groups().find(|&slot| kind(slot) != GroupKind::System);
        let mut floor: Vec<u32> = newest.or_else(|| groups().next()).into_iter().collect();
        floor.extend(groups().find(|&slot| kind(slot) == GroupKind::User));
        floor.extend(self.doubtful);
        floor.extend(self.pending_slots());
        for slot in floor {
            if self.current(slot) != Current::Raw {
                self.readmit(slot);
            }
            self.unshorten(GroupId { slot, stand_in: None });
        }
    }

    /// Notes where what the model is to answer begins, once a message came: with the newest calls, or
    /// with what users and the system said since the model spoke.
    pub(super) fn note_answered(&mut self, message: u32, role: Role, kind: GroupKind, new: bool) {
        match kind {
            GroupKind::ToolCall if new => (self.answered, self.called) = (message, true),
            GroupKind::System | GroupKind::ToolCall => {}
            GroupKind::User | GroupKind::Summary if role == Role::User => {
                let earliest = message.saturating_sub(SAID_TOGETHER - 1);
                self.answered = if self.called { message } else { self.answered.max(earliest) };
                self.called = false;
            }
            _ => (self.answered, self.called) = (message + 1, false),
        }
    }
}

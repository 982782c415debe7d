//! What strategies look up: each is `O(log64 n)`, or a walk from the newest group back.

use std::collections::BTreeSet;

use super::changes::{Change, Current, Version};
use super::{GroupId, MessageIndex};
use crate::group::GroupKind;

impl MessageIndex {
    /// Which of the lists the groups are of: it changes when the index is built anew.
    pub fn epoch(&self) -> u32 {
        self.epoch
    }

    pub(crate) fn has_tool_calls(&self) -> bool {
        self.included.tool_calls.len() > 0
    }

    /// The kind of what an included slot holds.
    pub(crate) fn held_kind(&self, slot: u32) -> GroupKind {
        self.kind(slot)
    }

    /// The turn of what a slot holds; for system groups, that of their place.
    pub(crate) fn turn_of_slot(&self, slot: u32) -> u32 {
        self.grouping.group(slot).turn
    }

    /// The first included slot from there on; with `non_system`, system groups are passed over.
    pub(crate) fn next_candidate(&self, from: u32, non_system: bool) -> Option<u32> {
        if non_system { self.included.non_system.next(from) } else { self.included.all.next(from) }
    }

    /// The first included tool-call group from there on.
    pub(crate) fn next_tool_call(&self, from: u32) -> Option<u32> {
        self.included.tool_calls.next(from)
    }

    pub(crate) fn newest_non_system(&self) -> impl Iterator<Item = u32> + '_ {
        self.included.non_system.iter_rev()
    }

    pub(crate) fn newest_tool_calls(&self) -> impl Iterator<Item = u32> + '_ {
        self.included.tool_calls.iter_rev()
    }

    pub(crate) fn newest_included(&self) -> Option<u32> {
        self.included.all.previous(u32::MAX)
    }

    pub(crate) fn last_user_slot(&self) -> Option<u32> {
        self.included.users.previous(u32::MAX)
    }

    /// The newest message in the role of the user, where it opens as a stand-in does and is none of
    /// this index's own: a person may have written it.
    pub(crate) fn doubtful_user_slot(&self) -> Option<u32> {
        self.doubtful.filter(|&slot| self.current(slot) == Current::Raw)
    }

    /// The slot of the first user message, included or not.
    pub(crate) fn first_user_slot(&self) -> Option<u32> {
        self.first_user
    }

    /// Groups with a call that waits for its result.
    pub(crate) fn pending_slots(&self) -> impl Iterator<Item = u32> + '_ {
        self.grouping.pending()
    }

    /// The included summaries and digests, in order: what compaction wrote, or opens as if it had.
    pub fn included_summaries(&self) -> Vec<GroupId> {
        self.included.summaries.iter_members().filter_map(|slot| self.held(slot)).collect()
    }

    /// What every strategy keeps of the included groups beside system messages, in order; costs as
    /// much as that is, however long the history is.
    pub fn included_floor(&self) -> Vec<GroupId> {
        let mut slots: BTreeSet<u32> = self.newest_non_system().take(1).collect();
        slots.extend(self.last_user_slot());
        slots.extend(self.doubtful_user_slot());
        let held = |slot| self.held(slot).filter(|id| id.stand_in.is_none());
        slots.extend(
            self.pending_slots().chain(self.protected_slots()).filter(|&slot| held(slot).is_some()),
        );
        let ids = slots.into_iter().filter_map(|slot| self.held(slot));
        ids.filter(|id| self.kind(id.slot) != GroupKind::System).collect()
    }

    /// The groups that are excluded for a reason and that no stand-in stands for, in order.
    ///
    /// With a version, those that were changed since: it costs as much as the changes are. An index
    /// that was built anew since was changed all over.
    pub fn excluded_for(&self, reason: &str, since: Option<Version>) -> Vec<GroupId> {
        let Some(&reason) = self.reason_numbers.get(reason) else { return Vec::new() };
        let since =
            since.filter(|version| version.epoch == self.epoch && self.log.reaches(version.log));
        let mut ids = match since {
            None => self.group_ids(),
            Some(version) => {
                let left = |change: &Change| match *change {
                    Change::Slot { slot, before: Current::Raw, .. } => {
                        Some(GroupId { slot, stand_in: None })
                    }
                    Change::Slot { slot, before: Current::StandIn(number), .. } => {
                        Some(GroupId { slot, stand_in: Some(number) })
                    }
                    // One that was excluded may have been written anew for fewer groups.
                    Change::StandIn { number, .. } => {
                        let slot = self.stand_ins[number as usize].slot;
                        Some(GroupId { slot, stand_in: Some(number) })
                    }
                    _ => None,
                };
                self.log.since(version.log).iter().filter_map(left).collect()
            }
        };
        ids.retain(|&id| {
            let (why, gone) = match id.stand_in {
                None => (self.slots[id.slot as usize].why, self.grouping.root(id.slot) != id.slot),
                Some(number) => {
                    let own = &self.stand_ins[number as usize];
                    (own.why, own.dissolved)
                }
            };
            let excluded = !gone && self.held(id.slot) != Some(id);
            excluded && why.reason == reason && self.stand_in_of(id).is_none()
        });
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// The number of the `nth` newest turn that has included groups; 0 where there are fewer.
    pub(crate) fn nth_newest_turn(&self, nth: u32) -> u32 {
        let mut seen = 0;
        let mut last = 0;
        for slot in self.included.non_system.iter_rev() {
            let turn = self.turn_of_slot(slot);
            if turn == 0 {
                return 0;
            }
            if turn != last {
                (last, seen) = (turn, seen + 1);
                if seen == nth {
                    return turn;
                }
            }
        }
        0
    }

    /// The positions of a slot's messages, ascending.
    pub(crate) fn slot_messages(&self, slot: u32) -> Vec<u32> {
        let mut positions: Vec<u32> = self.grouping.group(slot).positions().collect();
        positions.sort_unstable();
        positions
    }

    /// The slot of the group that holds a message.
    pub(crate) fn slot_of_now(&self, message: u32) -> u32 {
        self.grouping.slot_now(message)
    }

    /// Whether the group of a message is in the list as it is.
    pub(crate) fn is_held_raw(&self, message: u32) -> bool {
        self.current(self.slot_of_now(message)) == Current::Raw
    }

    /// How many messages were shortened since that version, each once.
    pub(crate) fn messages_shortened(&self, version: Version) -> u64 {
        let start = if version.epoch == self.epoch { version.log } else { 0 };
        let mut messages: Vec<u32> = self
            .log
            .since(start)
            .iter()
            .filter_map(|change| match change {
                Change::Shortened { message, .. } => Some(*message),
                _ => None,
            })
            .collect();
        messages.sort_unstable();
        messages.dedup();
        messages.len() as u64
    }

    /// How many slots changed what they hold since that version.
    pub(crate) fn slots_changed(&self, version: Version) -> u64 {
        let start = if version.epoch == self.epoch { version.log } else { 0 };
        let mut slots: Vec<u32> = self
            .log
            .since(start)
            .iter()
            .filter_map(|change| match change {
                Change::Slot { slot, .. } => Some(*slot),
                Change::Shortened { message, .. } => Some(self.slot_of_now(*message)),
                Change::Link { .. } | Change::StandIn { .. } | Change::Protected { .. } => None,
            })
            .collect();
        slots.sort_unstable();
        slots.dedup();
        slots.len() as u64
    }
}

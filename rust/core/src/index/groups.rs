//! Groups as users see them, and what is kept, in order.

use super::MessageIndex;
use super::changes::Current;
use crate::error::Result;
use crate::group::GroupKind;
use crate::host::Host;
use crate::message::Role;

/// Names a group of an index for as long as the index lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupId {
    /// Where the group stands in the order of groups.
    pub slot: u32,
    /// Which stand-in it is; `None` for the raw group.
    pub stand_in: Option<u32>,
}

impl GroupId {
    pub(super) fn as_current(self) -> Current {
        self.stand_in.map_or(Current::Raw, Current::StandIn)
    }
}

/// A group at this moment.
#[derive(Clone, Debug)]
pub struct GroupView {
    /// What it is.
    pub kind: GroupKind,
    /// The positions of its messages, ascending; none for a stand-in.
    pub positions: Vec<u32>,
    /// UTF-8 bytes of its texts.
    pub byte_count: u64,
    /// Its turn; none for system groups.
    pub turn: Option<u32>,
    /// Whether it is left out of the projection.
    pub excluded: bool,
    /// Why it is; empty where it is not.
    pub exclude_reason: String,
    /// The text and the role of a stand-in.
    pub stand_in: Option<(Role, String)>,
}

/// A part of the projection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// The message at that position of the list.
    Message(u32),
    /// The stand-in of that number.
    StandIn(u32),
}

impl MessageIndex {
    /// What a slot holds.
    pub fn held(&self, slot: u32) -> Option<GroupId> {
        match self.current(slot) {
            Current::Nothing => None,
            Current::Raw => Some(GroupId { slot, stand_in: None }),
            Current::StandIn(number) => Some(GroupId { slot, stand_in: Some(number) }),
        }
    }

    /// The included groups in order; costs as much as there are.
    pub fn included_ids(&self) -> Vec<GroupId> {
        self.included.all.iter_members().filter_map(|slot| self.held(slot)).collect()
    }

    /// Whether a group has a call that still waits for its result.
    pub fn is_pending(&self, id: GroupId) -> bool {
        id.stand_in.is_none() && self.grouping.pending().any(|slot| slot == id.slot)
    }

    /// All groups in order, stand-ins after the group whose place they take.
    pub fn group_ids(&self) -> Vec<GroupId> {
        let mut ids = Vec::with_capacity(self.slots.len() + self.stand_ins.len());
        for slot in 0..self.grouping.slots() {
            if self.grouping.group(slot).len() > 0 {
                ids.push(GroupId { slot, stand_in: None });
            }
            for &(_, number) in self.anchored.range((slot, 0)..=(slot, u32::MAX)) {
                if !self.stand_ins[number as usize].dissolved {
                    ids.push(GroupId { slot, stand_in: Some(number) });
                }
            }
        }
        ids
    }

    /// Whether every slot holds a group and no group is a stand-in, so that numbers are slots.
    pub fn groups_are_slots(&self) -> bool {
        self.anchored.is_empty() && self.grouping.empty_slots() == 0
    }

    /// The number of slots, empty ones among them.
    pub fn slot_count(&self) -> u32 {
        self.grouping.slots()
    }

    /// UTF-8 bytes of the texts of a group, as they are now.
    pub fn byte_count(&self, id: GroupId) -> u64 {
        if let Some(number) = id.stand_in {
            return self.stand_ins[number as usize].text.len() as u64;
        }
        let positions = self.grouping.group(id.slot).positions();
        positions.map(|message| u64::from(self.bytes_now(message))).sum()
    }

    /// A group at this moment.
    pub fn group(&self, id: GroupId) -> GroupView {
        let group = self.grouping.group(id.slot);
        let excluded = self.held(id.slot) != Some(id);
        let (kind, positions, reason, stand_in) = match id.stand_in {
            None => {
                let mut positions: Vec<u32> = group.positions().collect();
                positions.sort_unstable();
                (group.kind, positions, self.slots[id.slot as usize].why.reason, None)
            }
            Some(number) => {
                let own = &self.stand_ins[number as usize];
                let text = (own.role, own.text.clone());
                (GroupKind::Summary, Vec::new(), own.why.reason, Some(text))
            }
        };
        GroupView {
            kind,
            positions,
            byte_count: self.byte_count(id),
            turn: (kind != GroupKind::System).then_some(group.turn),
            excluded,
            exclude_reason: self.reason(reason),
            stand_in,
        }
    }

    /// The tokens of a group, counted now where they were not known; no overhead.
    ///
    /// # Errors
    /// Whatever the tokenizer raises.
    pub fn group_tokens(&mut self, id: GroupId, host: &mut dyn Host) -> Result<u64> {
        if let Some(number) = id.stand_in {
            return Ok(u64::from(self.count_stand_in(number, host)?));
        }
        let positions: Vec<u32> = self.grouping.group(id.slot).positions().collect();
        self.count_now(&positions, host)?;
        Ok(positions.iter().map(|&message| u64::from(self.tokens_now(message))).sum())
    }

    /// The stand-in that stands for a group.
    pub fn summary_of(&self, id: GroupId) -> Option<GroupId> {
        let number = self.stand_in_of(id)?;
        Some(GroupId { slot: self.stand_ins[number as usize].slot, stand_in: Some(number) })
    }

    /// The groups that a stand-in stands for.
    pub fn replaces(&self, id: GroupId) -> &[GroupId] {
        id.stand_in.map_or(&[], |number| &self.stand_ins[number as usize].replaces)
    }

    /// The role and the text of a stand-in.
    pub fn stand_in(&self, number: u32) -> (Role, &str) {
        let stand_in = &self.stand_ins[number as usize];
        (stand_in.role, &stand_in.text)
    }

    /// The slot of the group that holds a message.
    pub fn slot_of_message(&mut self, message: u32) -> u32 {
        self.grouping.slot_of(message)
    }

    /// What is kept, in input order; a stand-in takes the place of the first message it replaces.
    ///
    /// Costs as much as what is kept, however long the history is.
    pub fn projection(&self) -> Vec<Kept> {
        let messages = usize::try_from(self.sums.messages).unwrap_or(0);
        let mut kept = Vec::with_capacity(messages);
        let mut scattered = false;
        for slot in self.included.all.iter_members() {
            match self.current(slot) {
                Current::Nothing => {}
                Current::StandIn(number) => kept.push(Kept::StandIn(number)),
                Current::Raw => {
                    let group = self.grouping.group(slot);
                    scattered |= !group.is_run();
                    kept.extend(group.positions().map(Kept::Message));
                }
            }
        }
        if scattered {
            kept.sort_by_key(|part| match *part {
                Kept::Message(position) => position,
                Kept::StandIn(number) => {
                    self.grouping.group(self.stand_ins[number as usize].slot).first()
                }
            });
        }
        kept
    }
}

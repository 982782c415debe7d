//! Groups that the caller protects from every strategy.

use super::changes::Change;
use super::{GroupId, MessageIndex};

impl MessageIndex {
    /// Protects a group of the list from every strategy, or no longer. Says whether that is new.
    ///
    /// A stand-in can't be protected: the groups that it stands for can.
    pub fn protect(&mut self, group: GroupId, protected: bool) -> bool {
        if group.stand_in.is_some() || self.is_protected(group) == protected {
            return false;
        }
        let slots = if protected { vec![group.slot] } else { self.protections_of(group.slot) };
        for slot in slots {
            self.set_protected(slot, protected);
            self.log.push(Change::Protected { slot, before: !protected });
        }
        true
    }

    /// Whether a group is protected from every strategy.
    pub fn is_protected(&self, group: GroupId) -> bool {
        group.stand_in.is_none() && !self.protections_of(group.slot).is_empty()
    }

    /// The slots of protected groups.
    pub fn protected_slots(&self) -> impl Iterator<Item = u32> + '_ {
        self.protected.iter().map(|&slot| self.grouping.root(slot))
    }

    pub(super) fn set_protected(&mut self, slot: u32, protected: bool) {
        if protected {
            self.protected.insert(slot);
        } else {
            self.protected.remove(&slot);
        }
    }

    /// What was protected of a group: one that was joined to another since protects the whole.
    fn protections_of(&self, slot: u32) -> Vec<u32> {
        let own = |&protected: &u32| self.grouping.root(protected) == slot;
        self.protected.iter().copied().filter(own).collect()
    }
}

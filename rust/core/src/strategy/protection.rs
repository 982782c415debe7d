//! What no step of a strategy may touch.

use std::collections::BTreeSet;

use crate::group::GroupKind;
use crate::index::{GroupId, MessageIndex};

/// Which groups a strategy keeps whatever its target says.
///
/// Groups whose call still waits for its result and groups that the caller protects are kept always.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Protection {
    /// Keep system and developer messages.
    pub preserve_system: bool,
    /// Keep the first user message of the history.
    pub preserve_first_user_group: bool,
    /// Keep the newest user message, and a newer one that may be a stand-in in the user's role.
    pub preserve_last_user_group: bool,
    /// How many of the newest non-system groups are kept; at least one is.
    pub minimum_preserved: u32,
}

impl Default for Protection {
    fn default() -> Self {
        Self {
            preserve_system: true,
            preserve_first_user_group: false,
            preserve_last_user_group: true,
            minimum_preserved: 1,
        }
    }
}

/// The protected slots of one run.
#[derive(Debug)]
pub(super) struct Protected {
    system: bool,
    /// Non-system slots from here on are protected.
    newest: u32,
    others: BTreeSet<u32>,
}

impl Protection {
    /// Costs as much as what it protects.
    pub(super) fn of(self, index: &MessageIndex) -> Protected {
        let mut others: BTreeSet<u32> = index.pending_slots().collect();
        others.extend(index.protected_slots());
        let nth = self.minimum_preserved.max(1) as usize - 1;
        let newest = if index.newest_non_system().next().is_some() {
            index.newest_non_system().nth(nth).unwrap_or(0)
        } else {
            // Nothing but system messages: an empty history is no history.
            others.extend(index.newest_included());
            u32::MAX
        };
        if self.preserve_first_user_group {
            others.extend(index.first_user_slot());
        }
        if self.preserve_last_user_group {
            others.extend(index.last_user_slot());
            others.extend(index.doubtful_user_slot());
        }
        Protected { system: self.preserve_system, newest, others }
    }
}

impl Protected {
    /// Protects one group more, where it is included.
    pub(super) fn spare(&mut self, index: &MessageIndex, group: Option<GroupId>) {
        let held = group.filter(|&id| index.held(id.slot) == Some(id));
        self.others.extend(held.map(|id| id.slot));
    }

    pub(super) fn covers(&self, index: &MessageIndex, slot: u32) -> bool {
        let kept = match index.held_kind(slot) {
            GroupKind::System => self.system,
            _ => slot >= self.newest,
        };
        kept || self.others.contains(&slot)
    }
}

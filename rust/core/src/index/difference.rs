//! What is included otherwise than at an earlier version, whatever happened in between.

use super::MessageIndex;
use super::changes::{Change, Current, Version};
use crate::hashed::HashedMap;

impl MessageIndex {
    /// The position of the first message whose place changed since that version.
    ///
    /// What was excluded and came back, or was shortened to the same text anew, did not change.
    pub fn first_changed(&self, version: Version) -> Option<u32> {
        let mut slots: HashedMap<u32, Current> = HashedMap::default();
        let mut texts: HashedMap<u32, Option<u32>> = HashedMap::default();
        for change in self.log.since(version.log) {
            match change {
                Change::Slot { slot, before, .. } => {
                    slots.entry(*slot).or_insert(*before);
                }
                Change::Shortened { message, before } => {
                    texts.entry(*message).or_insert(*before);
                }
                Change::Link { .. } | Change::StandIn { .. } | Change::Protected { .. } => {}
            }
        }
        let slots = slots.into_iter().filter_map(|(slot, before)| {
            let root = self.grouping.root(slot);
            let same = self.reads_alike(before, self.current(root));
            (!same).then(|| self.grouping.group(root).first())
        });
        let texts = texts.into_iter().filter_map(|(message, before)| {
            // Where nothing is sent of a message, its text is nobody's matter.
            let changed = self.is_held_raw(message) && !self.holds(message, before);
            changed.then_some(message)
        });
        slots.chain(texts).min()
    }

    /// Whether two things that a slot may hold are the same to who reads them.
    fn reads_alike(&self, before: Current, now: Current) -> bool {
        let (Current::StandIn(old), Current::StandIn(new)) = (before, now) else {
            return before == now;
        };
        let (old, new) = (&self.stand_ins[old as usize], &self.stand_ins[new as usize]);
        old.role == new.role && old.text == new.text
    }

    /// Whether a message holds the texts of that number, or its own.
    fn holds(&self, message: u32, number: Option<u32>) -> bool {
        let wanted = number.map(|number| &self.shortenings[number as usize].texts);
        match (wanted, self.shortened_of(message)) {
            (None, None) => true,
            (Some(wanted), Some(own)) => *wanted == own.texts,
            _ => false,
        }
    }
}

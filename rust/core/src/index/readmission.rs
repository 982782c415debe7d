//! A group that is wanted again while what it was summarized with is not.

use super::changes::{Change, Current, Why};
use super::{GroupId, MessageIndex, StandIn};

impl MessageIndex {
    /// Includes the group of a slot again, and leaves what else its stand-in stands for as it is.
    ///
    /// The stand-in goes on standing for the others where it is still shorter than they are; else
    /// they come back as well. So the history grows by the group and less than one stand-in, however
    /// much that stood for.
    pub(super) fn readmit(&mut self, slot: u32) {
        let group = GroupId { slot, stand_in: None };
        let (mut leaving, mut entering) = (group, None);
        let mut rewritten = Vec::new();
        while let Some(number) = self.stand_in_of(leaving) {
            let outer =
                GroupId { slot: self.stand_ins[number as usize].slot, stand_in: Some(number) };
            entering = self.rewrite(number, leaving, entering);
            rewritten.extend(entering);
            leaving = outer;
        }
        for id in rewritten.into_iter().rev() {
            if self.held(id.slot) != Some(id) || self.is_shorter(id) {
                break;
            }
            self.dissolve(id);
        }
        self.include(group);
    }

    /// Writes a stand-in anew, with another group or none in the place of one that leaves it.
    ///
    /// Returns the new one; `None` where nothing is left to stand for.
    fn rewrite(
        &mut self,
        number: u32,
        leaving: GroupId,
        entering: Option<GroupId>,
    ) -> Option<GroupId> {
        let old = self.stand_ins[number as usize].clone();
        let StandIn { slot, replaced_by, why, .. } = old;
        let held = self.current(slot) == Current::StandIn(number);
        // Its place may have gone to the group that it would stand before.
        let lost = self.grouping.root(slot) != slot && replaced_by.is_none() && why.reason == 0;
        if held {
            self.set_current(slot, Current::Nothing, Why::default());
        }
        self.stand_ins[number as usize].dissolved = true;
        self.log.push(Change::StandIn { number, dissolved: false });
        for &group in &old.replaces {
            self.set_link(group, None);
        }
        let joined = |group: &GroupId| {
            group.stand_in.is_none() && self.grouping.root(group.slot) != group.slot
        };
        let rest = old.replaces.iter().copied().filter(|group| *group != leaving && !joined(group));
        let mut rest: Vec<GroupId> = rest.chain(entering).collect();
        rest.sort_unstable();
        let slot = rest.first()?.slot;
        let number = u32::try_from(self.stand_ins.len()).ok()?;
        let new = StandIn { replaces: rest.clone(), slot, replaced_by: None, ..old };
        self.stand_ins.push(new);
        self.anchored.insert((slot, number));
        self.log.push(Change::StandIn { number, dissolved: true });
        for group in rest {
            self.set_link(group, Some(number));
        }
        if held || lost {
            self.set_current(slot, Current::StandIn(number), Why::default());
        }
        Some(GroupId { slot, stand_in: Some(number) })
    }

    /// Whether a stand-in has fewer UTF-8 bytes than what it stands for.
    pub(super) fn is_shorter(&self, id: GroupId) -> bool {
        let replaced: u64 = self.replaces(id).iter().map(|&group| self.byte_count(group)).sum();
        self.byte_count(id) < replaced
    }
}

//! Truncation: excludes the oldest groups.

use super::{Gate, Outcome, Protection};
use crate::error::Result;
use crate::host::Host;
use crate::index::{GroupId, MessageIndex};

/// Excludes the oldest groups, one a step.
#[derive(Clone, Debug)]
pub struct Truncation {
    /// When it starts and stops.
    pub gate: Gate,
    /// What it keeps.
    pub protection: Protection,
    /// One group more that it keeps.
    pub spared: Option<GroupId>,
    /// The public name of the strategy.
    pub name: &'static str,
    /// The reason that excluded groups carry.
    pub reason: &'static str,
}

impl Truncation {
    /// A truncation under its own name.
    pub fn new(gate: Gate, protection: Protection) -> Self {
        Self { gate, protection, spared: None, name: "TruncationStrategy", reason: "truncation" }
    }

    pub(super) fn run(&self, index: &mut MessageIndex, host: &mut dyn Host) -> Result<Outcome> {
        if !self.gate.trigger.holds(index, host)? {
            return Ok(Outcome::NOT_TRIGGERED);
        }
        let mut protected = self.protection.of(index);
        protected.spare(index, self.spared);
        let mut from = 0;
        self.gate.sweep(index, host, |index, _| {
            // Protected system groups would be passed again in every run: they are not looked at.
            while let Some(slot) = index.next_candidate(from, self.protection.preserve_system) {
                from = slot + 1;
                if !protected.covers(index, slot) {
                    index.exclude(slot, self.reason);
                    return Ok(Some(1));
                }
            }
            Ok(None)
        })
    }
}

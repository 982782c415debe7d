//! Old tool-call groups: excluded, or replaced by a digest.

use super::digest::{Digest, DigestStyle};
use super::{Gate, Outcome, Protection};
use crate::error::Result;
use crate::host::Host;
use crate::index::MessageIndex;
use crate::message::Role;

/// What happens to an old tool-call group.
#[derive(Clone, Debug)]
pub enum ToolCallsAction {
    /// It is excluded.
    Exclude,
    /// A digest takes its place, where the digest is shorter.
    Digest(Digest),
}

/// Works on the tool-call groups but the newest, oldest first, one a step.
#[derive(Clone, Debug)]
pub struct ToolCalls {
    /// When it starts and stops.
    pub gate: Gate,
    /// How many of the newest tool-call groups are left alone.
    pub keep_last_tool_call_groups: u32,
    /// What is left alone besides.
    pub protection: Protection,
    /// What happens to the others.
    pub action: ToolCallsAction,
}

impl ToolCalls {
    /// Whether the caller writes its digests.
    pub(super) fn asks_caller(&self) -> bool {
        let ToolCallsAction::Digest(digest) = &self.action else { return false };
        matches!(digest.style, DigestStyle::Custom(_))
    }

    pub(super) fn names(&self) -> (&'static str, &'static str) {
        match self.action {
            ToolCallsAction::Exclude => {
                ("SelectiveToolCallCompactionStrategy", "tool_call_compaction")
            }
            ToolCallsAction::Digest(_) => {
                ("ToolResultCompactionStrategy", "tool_result_compaction")
            }
        }
    }

    pub(super) fn run(&self, index: &mut MessageIndex, host: &mut dyn Host) -> Result<Outcome> {
        if !self.gate.trigger.holds(index, host)? {
            return Ok(Outcome::NOT_TRIGGERED);
        }
        let (_, reason) = self.names();
        let protected = self.protection.of(index);
        let newest = match self.keep_last_tool_call_groups {
            0 => u32::MAX,
            keep => index.newest_tool_calls().nth(keep as usize - 1).unwrap_or(0),
        };
        let mut from = 0;
        self.gate.sweep(index, host, |index, host| {
            while let Some(slot) = index.next_tool_call(from).filter(|&slot| slot < newest) {
                from = slot + 1;
                if protected.covers(index, slot) {
                    continue;
                }
                let changed = match &self.action {
                    ToolCallsAction::Exclude => index.exclude(slot, reason),
                    ToolCallsAction::Digest(digest) => {
                        let text = digest.of(slot, index, host)?;
                        index.replace(&[slot], Role::Assistant, text, reason).is_some()
                    }
                };
                if changed {
                    return Ok(Some(1));
                }
            }
            Ok(None)
        })
    }
}

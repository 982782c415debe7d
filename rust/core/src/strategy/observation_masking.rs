//! Observation masking: results that the assistant has answered share a budget, the newest most.

use std::collections::BTreeSet;

use super::shares::shorten_content;
use super::{Gate, Outcome};
use crate::error::Result;
use crate::host::Host;
use crate::index::MessageIndex;

pub(super) const REASON: &str = "observation_masking";

/// Shortens tool results after which the assistant has written text.
#[derive(Clone, Debug)]
pub struct ObservationMasking {
    /// When it starts and stops.
    pub gate: Gate,
    /// Code points for all consumed results together; `None` for the least for each.
    pub budget: Option<u64>,
    /// Every result may have so many code points.
    pub min_chars: u64,
}

impl ObservationMasking {
    pub(super) fn run(&self, index: &mut MessageIndex, host: &mut dyn Host) -> Result<Outcome> {
        if !self.gate.trigger.holds(index, host)? {
            return Ok(Outcome::NOT_TRIGGERED);
        }
        let version = index.version();
        let end = index.last_assistant_text().unwrap_or(0);
        let consumed = u64::from(index.results_before(end));
        let left_alone = index.pending_slots().chain(index.protected_slots()).collect();
        let mut from = 0;
        let outcome = self.gate.sweep(index, host, |index, host| {
            let open = index.open_number(self.options());
            while let Some(message) = index.next_open(open, 0, from).filter(|&at| at < end) {
                from = message + 1;
                if self.settle(message, consumed, &left_alone, open, index, host)? {
                    return Ok(Some(1));
                }
            }
            Ok(None)
        })?;
        Ok(Outcome { groups: index.slots_changed(version), ..outcome })
    }

    /// Masks one result where it is over its share. Says whether it was.
    fn settle(
        &self,
        message: u32,
        consumed: u64,
        left_alone: &BTreeSet<u32>,
        open: usize,
        index: &mut MessageIndex,
        host: &mut dyn Host,
    ) -> Result<bool> {
        let maskable = index.is_result(message)
            && !index.has_binary_parts(message)
            && index.is_held_raw(message)
            && u64::from(index.chars_now(message)) > self.min_chars;
        if !maskable {
            index.close(open, 0, message);
            return Ok(false);
        }
        let share = self.share(u64::from(index.results_before(message)), consumed);
        let over = u64::from(index.chars_now(message)) > share;
        if !over || left_alone.contains(&index.slot_of_now(message)) {
            return Ok(false);
        }
        let share = usize::try_from(share).unwrap_or(usize::MAX);
        let masked = shorten_content(message, share, REASON, index, host)?;
        index.close(open, 0, message);
        Ok(masked)
    }

    /// The code points of the result with that number among so many: the weights grow evenly from
    /// one part for the oldest to five for the newest.
    fn share(&self, number: u64, of: u64) -> u64 {
        let budget = u128::from(self.budget.unwrap_or(0));
        let (number, of) = (u128::from(number), u128::from(of));
        let share =
            if of > 1 { budget * (of - 1 + 4 * number) / (3 * of * (of - 1)) } else { budget };
        u64::try_from(share).unwrap_or(u64::MAX).max(self.min_chars)
    }

    fn options(&self) -> u128 {
        let text = format!("masking {}", self.min_chars);
        xxhash_rust::xxh3::xxh3_128(text.as_bytes())
    }
}

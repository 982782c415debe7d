//! Oversize clamping: no single message or call takes more than its share of the window.

use std::collections::BTreeSet;

use super::arguments;
use super::shares::shorten_content;
use super::{Gate, Outcome};
use crate::error::Result;
use crate::host::{Host, Texts};
use crate::index::MessageIndex;

pub(super) const REASON: &str = "oversize_clamping";

/// What may be clamped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Clampable {
    /// Tool results.
    Results,
    /// The arguments of each tool call, where they are JSON.
    Arguments,
    /// What the assistant says.
    Assistant,
    /// What the user says.
    User,
    /// System and developer messages.
    System,
}

/// Shortens every content and all arguments that are longer than a limit, the newest too.
#[derive(Clone, Debug)]
pub struct OversizeClamping {
    /// When it starts and stops.
    pub gate: Gate,
    /// The code points that a content or the arguments of a call may have; with fewer than a marker
    /// has, those with one text stay.
    pub max_chars: usize,
    /// What it clamps.
    pub clamp: Vec<Clampable>,
}

/// What is the same for one whole run.
struct Waiting {
    /// Slots that the caller protects.
    protected: BTreeSet<u32>,
    /// Slots with a call that waits for its result.
    pending: BTreeSet<u32>,
}

impl OversizeClamping {
    pub(super) fn run(&self, index: &mut MessageIndex, host: &mut dyn Host) -> Result<Outcome> {
        if !self.gate.trigger.holds(index, host)? {
            return Ok(Outcome::NOT_TRIGGERED);
        }
        let version = index.version();
        let waiting = Waiting {
            protected: index.protected_slots().collect(),
            pending: index.pending_slots().collect(),
        };
        let mut from = 0;
        let outcome = self.gate.sweep(index, host, |index, host| {
            let open = index.open_number(self.options());
            while let Some(message) = index.next_open(open, 0, from) {
                from = message + 1;
                if self.settle(message, &waiting, open, index, host)? {
                    return Ok(Some(1));
                }
            }
            Ok(None)
        })?;
        Ok(Outcome { groups: index.slots_changed(version), ..outcome })
    }

    /// Clamps the content of one message and the arguments of its calls. Says whether any was too long.
    fn settle(
        &self,
        message: u32,
        waiting: &Waiting,
        open: usize,
        index: &mut MessageIndex,
        host: &mut dyn Host,
    ) -> Result<bool> {
        // A content is no longer than all texts of its message together: most are never read.
        let over = index.chars_now(message) as usize > self.max_chars;
        let content = index.speaker(message).is_some_and(|who| self.clamp.contains(&who));
        let arguments = index.is_assistant(message) && self.clamp.contains(&Clampable::Arguments);
        if !(over && (content || arguments) && index.is_held_raw(message)) {
            index.close(open, 0, message);
            return Ok(false);
        }
        let slot = index.slot_of_now(message);
        if waiting.protected.contains(&slot) {
            return Ok(false);
        }
        let mut clamped = false;
        if content {
            clamped |= shorten_content(message, self.max_chars, REASON, index, host)?;
        }
        // Whoever runs a call that waits needs its arguments whole.
        let waits = arguments && waiting.pending.contains(&slot);
        if arguments && !waits {
            let shorten = &mut |_: &mut dyn Host, _, text: &str| {
                Ok(arguments::shortened(text, self.max_chars))
            };
            clamped |= index.shorten(message, Texts::Arguments, REASON, host, shorten)?;
        }
        if !waits {
            index.close(open, 0, message);
        }
        Ok(clamped)
    }

    fn options(&self) -> u128 {
        let text = format!("clamping {} {:?}", self.max_chars, self.clamp);
        xxhash_rust::xxh3::xxh3_128(text.as_bytes())
    }
}

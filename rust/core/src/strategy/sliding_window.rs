//! Sliding window: keeps the newest groups or turns.

use super::protection::Protected;
use super::{Gate, Outcome, Protection};
use crate::error::Result;
use crate::group::GroupKind;
use crate::host::Host;
use crate::index::MessageIndex;

pub(super) const REASON: &str = "sliding_window";

/// What a window is measured in. A step excludes one group, or one whole turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// The newest non-system groups.
    Groups(u32),
    /// The newest turns; turn 0, before the first user message, is kept too.
    Turns(u32),
}

/// Excludes what is older than a window.
#[derive(Clone, Debug)]
pub struct SlidingWindow {
    /// When it starts and stops.
    pub gate: Gate,
    /// What is kept.
    pub window: Window,
    /// What is kept besides.
    pub protection: Protection,
}

impl SlidingWindow {
    pub(super) fn run(&self, index: &mut MessageIndex, host: &mut dyn Host) -> Result<Outcome> {
        if !self.gate.trigger.holds(index, host)? {
            return Ok(Outcome::NOT_TRIGGERED);
        }
        let mut protection = self.protection;
        let first_turn = match self.window {
            Window::Groups(groups) => {
                protection.minimum_preserved = protection.minimum_preserved.max(groups);
                None
            }
            Window::Turns(turns) => Some(index.nth_newest_turn(turns.max(1))),
        };
        let protected = protection.of(index);
        let mut from = 0;
        self.gate.sweep(index, host, |index, _| {
            while let Some(slot) = index.next_candidate(from, protection.preserve_system) {
                from = slot + 1;
                if !outside(index, &protected, first_turn, slot) {
                    continue;
                }
                let mut groups = 1;
                let whole_turn = first_turn.is_some() && !is_system(index, slot);
                let turn = index.turn_of_slot(slot);
                index.exclude(slot, REASON);
                let mut rest = from;
                while whole_turn && let Some(next) = index.next_candidate(rest, true) {
                    if index.turn_of_slot(next) != turn {
                        break;
                    }
                    rest = next + 1;
                    if !protected.covers(index, next) {
                        index.exclude(next, REASON);
                        groups += 1;
                    }
                }
                return Ok(Some(groups));
            }
            Ok(None)
        })
    }
}

/// Whether a slot stands before the window and nothing protects it.
fn outside(
    index: &MessageIndex,
    protected: &Protected,
    first_turn: Option<u32>,
    slot: u32,
) -> bool {
    let inside = !is_system(index, slot)
        && first_turn.is_some_and(|first| {
            let turn = index.turn_of_slot(slot);
            turn == 0 || turn >= first
        });
    !inside && !protected.covers(index, slot)
}

fn is_system(index: &MessageIndex, slot: u32) -> bool {
    index.held_kind(slot) == GroupKind::System
}

//! The log of changes, as far back as anyone may ask.
//!
//! Runs are undone by it, and figures of earlier moments are found. Whoever may ask for a moment holds it;
//! what is older than all that is held is forgotten, so that a long conversation keeps no log of all its
//! turns.

use std::sync::{Arc, Weak};

use super::changes::Change;
use super::open::Turned;

/// Fewer changes than these are not worth forgetting.
const FEW: usize = 256;

/// Changes, numbered from the first one ever.
#[derive(Clone, Debug, Default)]
pub(super) struct Log {
    changes: Vec<Change>,
    /// How many changes before these there were.
    forgotten: usize,
    /// What strategies put aside or looked at again, each with the number of changes before it.
    turned: Vec<(usize, Turned)>,
    held: Vec<(usize, Weak<()>)>,
    /// At how many changes and holders to look what can go.
    next_look: (usize, usize),
}

/// Keeps the changes since a moment for as long as it lives.
#[derive(Clone, Debug)]
pub struct Hold {
    _alive: Arc<()>,
}

impl Log {
    /// The number of changes ever.
    pub(super) fn len(&self) -> usize {
        self.forgotten + self.changes.len()
    }

    pub(super) fn push(&mut self, change: Change) {
        self.changes.push(change);
    }

    pub(super) fn extend(&mut self, changes: impl Iterator<Item = Change>) {
        self.changes.extend(changes);
    }

    /// Takes the newest change back.
    pub(super) fn pop(&mut self) -> Option<Change> {
        self.changes.pop()
    }

    /// Notes what a strategy put aside or looks at again.
    pub(super) fn push_turned(&mut self, turned: Turned) {
        self.turned.push((self.len(), turned));
    }

    /// Takes the newest of that back, where it came after more changes than these.
    ///
    /// What was judged with no more of them was judged as things stand after undoing the others.
    pub(super) fn pop_turned(&mut self, changes: usize) -> Option<Turned> {
        self.turned.pop_if(|(before, _)| *before > changes).map(|(_, turned)| turned)
    }

    /// Starts anew.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Whether all changes from that number on are there.
    pub(super) fn reaches(&self, number: usize) -> bool {
        number >= self.forgotten
    }

    /// The changes from that number on, as far as they are there.
    pub(super) fn since(&self, number: usize) -> &[Change] {
        let start = number.saturating_sub(self.forgotten);
        &self.changes[start.min(self.changes.len())..]
    }

    /// Keeps all changes from now on.
    pub(super) fn hold(&mut self) -> Hold {
        if self.held.len() >= self.next_look.1 {
            self.held.retain(|(_, holder)| holder.strong_count() > 0);
            self.next_look.1 = FEW.max(2 * self.held.len());
        }
        let alive = Arc::new(());
        self.held.push((self.len(), Arc::downgrade(&alive)));
        Hold { _alive: alive }
    }

    /// Forgets the changes that nobody may ask for; looks only once their number has doubled.
    pub(super) fn forget(&mut self) {
        if self.changes.len() + self.turned.len() < FEW.max(self.next_look.0) {
            return;
        }
        self.held.retain(|(_, holder)| holder.strong_count() > 0);
        let oldest = self.held.iter().map(|(number, _)| *number).min();
        let oldest = oldest.map_or(self.len(), |oldest| oldest.min(self.len()));
        self.changes.drain(..oldest.saturating_sub(self.forgotten).min(self.changes.len()));
        self.forgotten = self.forgotten.max(oldest);
        self.turned.drain(..self.turned.partition_point(|(before, _)| *before <= oldest));
        self.next_look.0 = 2 * (self.changes.len() + self.turned.len());
    }
}

#[cfg(test)]
mod tests {
    use super::super::changes::{Current, Why};
    use super::{Change, FEW, Log};

    fn change(log: &mut Log, times: usize) {
        for slot in 0..u32::try_from(times).expect("small") {
            let (before, after) = (Current::Raw, Current::Nothing);
            log.push(Change::Slot { slot, before, after, why: Why::default() });
        }
        log.forget();
    }

    #[test]
    fn what_nobody_holds_is_forgotten_and_numbers_go_on() {
        let mut log = Log::default();
        for _ in 0..100 {
            change(&mut log, FEW);
            assert!(log.changes.len() <= FEW);
        }
        assert_eq!(log.len(), 100 * FEW);
        assert!(!log.reaches(0) && log.reaches(log.len()));
    }

    #[test]
    fn what_is_held_stays_until_it_is_let_go() {
        let mut log = Log::default();
        change(&mut log, 10);
        let (start, hold) = (log.len(), log.hold());
        for _ in 0..10 {
            change(&mut log, FEW);
        }
        assert!(log.reaches(start));
        assert_eq!(log.since(start).len(), 10 * FEW);
        drop(hold);
        change(&mut log, 20 * FEW);
        assert!(!log.reaches(start));
        assert!(log.since(log.len() - 1).len() <= 1);
    }

    #[test]
    fn holders_that_are_gone_take_no_room() {
        let mut log = Log::default();
        for _ in 0..10_000 {
            drop(log.hold());
        }
        assert!(log.held.len() <= FEW);
    }
}

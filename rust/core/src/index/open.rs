//! What strategies that shorten have not settled yet.
//!
//! Such a strategy looks at each message once a stage, and puts it aside when its options can't
//! shorten it any more. So one more turn costs what has come since, however long the list is. What
//! comes back (a group that is included again, a text that was shortened and is whole again) is
//! looked at anew. Where a run is undone, what was put aside before it is put aside still: else what
//! one strategy shortened once and for all would be shortened again, because another one gave up.

use std::ops::Range;

use super::MessageIndex;
use super::changes::Current;
use crate::ordered_set::OrderedSet;

/// How many strategies an index remembers; with more of them some look at everything again.
const MOST: usize = 16;

/// The open messages of strategies with the same options, by stage.
#[derive(Clone, Debug)]
pub(super) struct Open {
    options: u128,
    stages: [OrderedSet; 2],
}

/// That a strategy put a message aside, or looks at it again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turned {
    options: u128,
    stage: usize,
    message: u32,
    open: bool,
}

/// What one strategy has put aside, in a saved state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SavedSettled {
    /// Tells strategies with different options apart.
    pub options: u128,
    /// Positions of the messages that it has put aside, by stage; ascending.
    pub stages: [Vec<Range<u32>>; 2],
}

impl MessageIndex {
    /// What strategies have put aside of the messages for which `keep` is true.
    pub(super) fn settled(&self, keep: impl Fn(u32) -> bool) -> Vec<SavedSettled> {
        let mut settled: Vec<SavedSettled> = self
            .open
            .iter()
            .map(|open| SavedSettled { options: open.options, ..SavedSettled::default() })
            .collect();
        if settled.is_empty() {
            return settled;
        }
        for message in (0..self.message_count()).filter(|&message| keep(message)) {
            for (own, open) in settled.iter_mut().zip(&self.open) {
                for (ranges, stage) in own.stages.iter_mut().zip(&open.stages) {
                    if stage.contains(message) {
                        continue;
                    }
                    match ranges.last_mut() {
                        Some(last) if last.end == message => last.end += 1,
                        _ => ranges.push(message..message + 1),
                    }
                }
            }
        }
        settled
    }

    /// Puts aside what was put aside when a state was saved.
    pub(super) fn load_settled(&mut self, saved: &[SavedSettled]) {
        let messages = self.message_count();
        for own in saved {
            let open = self.open_number(own.options);
            for (stage, ranges) in own.stages.iter().enumerate() {
                for range in ranges {
                    for message in range.start..range.end.min(messages) {
                        self.close(open, stage, message);
                    }
                }
            }
        }
    }

    /// The number under which the open messages of strategies with these options are kept.
    pub(crate) fn open_number(&mut self, options: u128) -> usize {
        if let Some(known) = self.open.iter().position(|open| open.options == options) {
            return known;
        }
        if self.open.len() == MOST {
            self.open.remove(0);
        }
        let mut all = OrderedSet::default();
        for message in 0..self.message_count() {
            all.insert(message);
        }
        self.open.push(Open { options, stages: [all.clone(), all] });
        self.open.len() - 1
    }

    /// The first open message from there on.
    pub(crate) fn next_open(&self, open: usize, stage: usize, from: u32) -> Option<u32> {
        self.open[open].stages[stage].next(from)
    }

    /// Puts a message aside.
    pub(crate) fn close(&mut self, open: usize, stage: usize, message: u32) {
        // What is included whole is judged by facts of its own, which no undoing changes.
        let for_good = self.shortened_of(message).is_none() && self.is_held_raw(message);
        let own = &mut self.open[open];
        if own.stages[stage].remove(message) && !for_good {
            let options = own.options;
            self.log.push_turned(Turned { options, stage, message, open: false });
        }
    }

    /// Lets every strategy look at a message, or look at it again.
    pub(super) fn reopen(&mut self, message: u32) {
        for own in &mut self.open {
            for (stage, open) in own.stages.iter_mut().enumerate() {
                if open.insert(message) {
                    let options = own.options;
                    self.log.push_turned(Turned { options, stage, message, open: true });
                }
            }
        }
    }

    /// The same for the messages of a slot that is included again.
    pub(super) fn reopen_slot(&mut self, slot: u32) {
        if self.open.is_empty() || self.current(slot) != Current::Raw {
            return;
        }
        for message in self.slot_messages(slot) {
            self.reopen(message);
        }
    }

    /// Takes back what was put aside or opened again after so many changes.
    pub(super) fn turn_back_to(&mut self, changes: usize) {
        while let Some(Turned { options, stage, message, open }) = self.log.pop_turned(changes) {
            let Some(own) = self.open.iter_mut().find(|own| own.options == options) else {
                continue;
            };
            if open {
                own.stages[stage].remove(message);
            } else {
                own.stages[stage].insert(message);
            }
        }
    }
}

//! Figures: messages, groups, turns, bytes and tokens, of all groups and of the included ones.

use std::collections::HashMap;

use super::MessageIndex;
use super::changes::{Change, Current, Version};
use super::tokens::UNKNOWN;
use crate::error::{Error, Result};
use crate::host::Host;

/// What a trigger can measure of the included groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Metric {
    /// Tokens, with the overhead.
    Tokens,
    /// Messages.
    Messages,
    /// Turns, without turn 0.
    Turns,
    /// Groups.
    Groups,
    /// UTF-8 bytes of text.
    Bytes,
}

/// All figures but tokens, which may have to be counted first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Messages.
    pub messages: u64,
    /// Groups.
    pub groups: u64,
    /// Turns, without turn 0.
    pub turns: u64,
    /// UTF-8 bytes of text.
    pub bytes: u64,
}

/// The figures at one version of the index.
#[derive(Clone, Copy, Debug)]
pub struct Figures {
    /// Everything but tokens.
    pub counts: Counts,
    /// Tokens, where they were known at the time.
    pub tokens: Option<u64>,
    /// When that was.
    pub version: Version,
}

/// Running sums over what is included.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    pub(super) messages: u64,
    pub(super) bytes: u64,
    /// Tokens of what has been counted.
    pub(super) tokens: u64,
    /// Messages not counted yet, and the least and most tokens that they can have.
    pub(super) uncounted: u64,
    pub(super) least: u64,
    pub(super) most: u64,
}

impl Sums {
    fn add(&mut self, other: &Self) {
        self.messages += other.messages;
        self.bytes += other.bytes;
        self.tokens += other.tokens;
        self.uncounted += other.uncounted;
        self.least += other.least;
        self.most += other.most;
    }

    fn remove(&mut self, other: &Self) {
        self.messages -= other.messages;
        self.bytes -= other.bytes;
        self.tokens -= other.tokens;
        self.uncounted -= other.uncounted;
        self.least -= other.least;
        self.most -= other.most;
    }
}

impl MessageIndex {
    fn message_sums(&self, message: u32) -> Sums {
        let fixed = self.fixed_tokens(message);
        self.text_sums(self.bytes_now(message), self.tokens_now(message), fixed)
    }

    fn text_sums(&self, bytes: u32, tokens: u32, fixed: u32) -> Sums {
        let mut sums = Sums { messages: 1, bytes: u64::from(bytes), ..Sums::default() };
        if tokens == UNKNOWN {
            let (least, most) = self.bounds.of(bytes);
            sums.uncounted = 1;
            sums.least = u64::from(least) + u64::from(fixed);
            sums.most = u64::from(most) + u64::from(fixed);
        } else {
            sums.tokens = u64::from(tokens);
        }
        sums
    }

    pub(super) fn stand_in_sums(&self, number: u32) -> Sums {
        let stand_in = &self.stand_ins[number as usize];
        let bytes = u32::try_from(stand_in.text.len()).unwrap_or(u32::MAX);
        self.text_sums(bytes, stand_in.tokens, 0)
    }

    fn slot_sums(&self, slot: u32, current: Current) -> Sums {
        match current {
            Current::Nothing => Sums::default(),
            Current::StandIn(number) => self.stand_in_sums(number),
            Current::Raw => {
                let mut sums = Sums::default();
                for message in self.grouping.group(slot).positions() {
                    sums.add(&self.message_sums(message));
                }
                sums
            }
        }
    }

    /// Says whether all of it has been counted.
    pub(super) fn add_sums(&mut self, slot: u32, current: Current) -> bool {
        let sums = self.slot_sums(slot, current);
        self.sums.add(&sums);
        sums.uncounted == 0
    }

    pub(super) fn remove_sums(&mut self, slot: u32, current: Current) {
        let sums = self.slot_sums(slot, current);
        self.sums.remove(&sums);
    }

    /// Adds one message that came late to an included group.
    pub(super) fn add_message(&mut self, slot: u32, message: u32) {
        let sums = self.message_sums(message);
        self.sums.add(&sums);
        if sums.uncounted > 0 {
            self.included.uncounted.insert(slot);
        }
    }

    pub(super) fn remove_message_sums(&mut self, message: u32) {
        let sums = self.message_sums(message);
        self.sums.remove(&sums);
    }

    /// Puts the count of a message in place of its bounds: that of its own texts.
    pub(super) fn set_message_tokens(&mut self, message: u32, text_tokens: u32) {
        self.set_tokens(message, text_tokens, false);
    }

    /// The same for the texts that it holds since it was shortened.
    pub(super) fn set_shortened_tokens(&mut self, message: u32, text_tokens: u32) {
        self.set_tokens(message, text_tokens, true);
    }

    fn set_tokens(&mut self, message: u32, text_tokens: u32, shortened: bool) {
        let slot = self.grouping.slot_of(message);
        let included = self.current(slot) == Current::Raw;
        if included {
            self.remove_message_sums(message);
        }
        let tokens = text_tokens.saturating_add(self.fixed_tokens(message)).min(UNKNOWN - 1);
        let number = self.shortened.get(&message).copied().filter(|_| shortened);
        match number {
            Some(number) => self.shortenings[number as usize].tokens = tokens,
            None => self.tokens[message as usize] = tokens,
        }
        if included {
            let sums = self.message_sums(message);
            self.sums.add(&sums);
        }
    }

    /// Puts the count of a stand-in in place of its bounds.
    pub(super) fn set_stand_in_tokens(&mut self, number: u32, tokens: u32) {
        let slot = self.stand_ins[number as usize].slot;
        let included = self.current(slot) == Current::StandIn(number);
        if included {
            let sums = self.stand_in_sums(number);
            self.sums.remove(&sums);
        }
        self.stand_ins[number as usize].tokens = tokens.min(UNKNOWN - 1);
        if included {
            let sums = self.stand_in_sums(number);
            self.sums.add(&sums);
        }
    }

    /// The figures of what is included, but tokens.
    pub fn included_counts(&self) -> Counts {
        Counts {
            messages: self.sums.messages,
            groups: self.included.all.len() as u64,
            turns: self.included.turn_count,
            bytes: self.sums.bytes,
        }
    }

    /// The figures of all groups, stand-ins among them, but tokens.
    pub fn total_counts(&self) -> Counts {
        let stand_ins = self.stand_ins.iter().filter(|stand_in| !stand_in.dissolved);
        let (number, bytes) = stand_ins.fold((0, 0), |(number, bytes), stand_in| {
            (number + 1, bytes + stand_in.text.len() as u64)
        });
        let empty = self.grouping.empty_slots();
        Counts {
            messages: u64::from(self.message_count()) + number,
            groups: u64::from(self.grouping.slots() - empty) + number,
            turns: u64::from(self.grouping.turns()),
            bytes: self.all_bytes + bytes,
        }
    }

    /// The figures of what is included now; tokens where they are known.
    pub fn figures(&self) -> Figures {
        Figures {
            counts: self.included_counts(),
            tokens: self.known_included_tokens(),
            version: self.version(),
        }
    }

    /// The included tokens at an earlier version, counted now where they were not known.
    ///
    /// # Errors
    /// Whatever the tokenizer raises; [`Error::Rebuilt`] where the index was built anew since.
    pub fn tokens_at(&mut self, version: Version, host: &mut dyn Host) -> Result<u64> {
        if version.epoch != self.epoch || !self.log.reaches(version.log) {
            return Err(Error::Rebuilt);
        }
        let mut slots: HashMap<u32, Current> = HashMap::new();
        let mut texts: HashMap<u32, Option<u32>> = HashMap::new();
        for change in self.log.since(version.log).iter().rev() {
            match change {
                Change::Slot { slot, before, .. } => {
                    slots.insert(*slot, *before);
                }
                Change::Shortened { message, before } => {
                    texts.insert(*message, *before);
                }
                Change::Link { .. } | Change::StandIn { .. } | Change::Protected { .. } => {}
            }
        }
        let mut messages = Vec::new();
        for (message, slot) in (0..).zip(self.grouping.slots_before(version.messages)) {
            // Groups that were joined since were included when they were.
            let joined = || self.grouping.root(slot) != slot;
            let current = slots.get(&slot).copied();
            let current =
                current.unwrap_or_else(|| if joined() { Current::Raw } else { self.current(slot) });
            if current == Current::Raw {
                messages.push(message);
            }
        }
        // What has other texts now than it had then.
        let (other, same): (Vec<u32>, Vec<u32>) =
            messages.iter().partition(|message| texts.contains_key(message));
        self.count_now(&same, host)?;
        let mut tokens: u64 = same.iter().map(|&message| u64::from(self.tokens_now(message))).sum();
        for message in other {
            tokens += match texts.get(&message).copied().flatten() {
                Some(number) => u64::from(self.tokens_of_shortening(message, number, host)?),
                None => self.tokens_at_first(message, host)?,
            };
        }
        let mut number_of = messages.len() as u64;
        let mut anchors: Vec<u32> = self.anchored.iter().map(|&(slot, _)| slot).collect();
        anchors.dedup();
        for slot in anchors {
            let current = slots.get(&slot).copied().unwrap_or_else(|| self.current(slot));
            if let Current::StandIn(number) = current {
                tokens += u64::from(self.count_stand_in(number, host)?);
                number_of += 1;
            }
        }
        Ok(tokens + self.overhead.of(number_of))
    }

    /// The tokens of everything, excluded groups and stand-ins too.
    ///
    /// # Errors
    /// Whatever the tokenizer raises.
    pub fn total_tokens(&mut self, host: &mut dyn Host) -> Result<u64> {
        let all: Vec<u32> = (0..self.message_count()).collect();
        self.count_now(&all, host)?;
        let mut tokens: u64 = all.iter().map(|&at| u64::from(self.tokens_now(at))).sum();
        for number in 0..u32::try_from(self.stand_ins.len()).unwrap_or(u32::MAX) {
            if !self.stand_ins[number as usize].dissolved {
                tokens += u64::from(self.count_stand_in(number, host)?);
            }
        }
        Ok(tokens + self.overhead.of(self.total_counts().messages))
    }
}

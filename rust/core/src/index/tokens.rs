//! Lazy token counts: exact decisions without counting everything.
//!
//! For what is included the index keeps the sum of known counts and, for the rest, the sums of the
//! least and the most tokens that it can have. A question is answered from those where they
//! suffice; else messages are counted, newest first, until they do. A text is counted once.

use super::MessageIndex;
use super::changes::Current;
use super::figures::Sums;
use crate::error::{Error, Result};
use crate::host::{Host, Place};

/// Marks a count that is not known yet.
pub(super) const UNKNOWN: u32 = u32::MAX;

/// What is known of a count before counting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bounds {
    /// Nothing: any tokenizer of the caller's.
    #[default]
    Unbounded,
    /// A byte-level vocabulary: a token holds from one byte up to this many.
    ByteLevel {
        /// Bytes of the longest token.
        longest: u32,
    },
}

impl Bounds {
    /// The least and the most tokens that texts of so many bytes can have.
    ///
    /// For an unbounded tokenizer the most is a guess that is never relied on.
    pub(super) fn of(self, bytes: u32) -> (u32, u32) {
        match self {
            Self::Unbounded => (0, bytes),
            Self::ByteLevel { longest } => (bytes.div_ceil(longest.max(1)), bytes),
        }
    }
}

/// What an API adds to the tokens of the texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overhead {
    /// Tokens for each message.
    pub per_message: u32,
    /// Tokens for the whole history, unless it is empty.
    pub per_history: u32,
}

impl Overhead {
    pub(super) fn of(self, messages: u64) -> u64 {
        let whole = if messages > 0 { u64::from(self.per_history) } else { 0 };
        messages * u64::from(self.per_message) + whole
    }
}

impl MessageIndex {
    /// The included tokens where all of them have been counted.
    pub fn known_included_tokens(&self) -> Option<u64> {
        (self.sums.uncounted == 0).then(|| self.sums.tokens + self.overhead.of(self.sums.messages))
    }

    /// About how many UTF-8 bytes of included text have not been counted: an upper bound.
    pub fn uncounted_bytes(&self) -> u64 {
        self.sums.most
    }

    /// The included tokens; counts what has not been counted.
    ///
    /// # Errors
    /// Whatever the tokenizer raises.
    pub fn included_tokens(&mut self, host: &mut dyn Host) -> Result<u64> {
        loop {
            if let Some(tokens) = self.known_included_tokens() {
                return Ok(tokens);
            }
            self.count_newest(u64::MAX, host)?;
        }
    }

    /// The tokens of a message where they have been counted.
    pub fn known_tokens(&self, message: u32) -> Option<u32> {
        self.tokens.get(message as usize).copied().filter(|&tokens| tokens != UNKNOWN)
    }

    /// Whether the included tokens are more than `limit`; counts only until that is decided.
    ///
    /// # Errors
    /// Whatever the tokenizer raises.
    pub fn tokens_exceed(&mut self, limit: u64, host: &mut dyn Host) -> Result<bool> {
        loop {
            let known = self.sums.tokens + self.overhead.of(self.sums.messages);
            if known + self.sums.least > limit {
                return Ok(true);
            }
            let bounded = self.bounds != Bounds::Unbounded || self.sums.uncounted == 0;
            if bounded && known + self.sums.most <= limit {
                return Ok(false);
            }
            self.count_newest(limit - known, host)?;
        }
    }

    /// Forgets all counts, for a tokenizer with other bounds.
    pub fn forget_tokens(&mut self, bounds: Bounds) {
        self.bounds = bounds;
        self.unfinish();
        self.tokens.fill(UNKNOWN);
        for stand_in in &mut self.stand_ins {
            stand_in.tokens = UNKNOWN;
        }
        for shortened in &mut self.shortenings {
            shortened.tokens = UNKNOWN;
        }
        // What was too short for a limit in tokens may not be any more.
        self.open.clear();
        self.sums = Sums::default();
        let held: Vec<u32> = self.included.all.iter_members().collect();
        for slot in held {
            self.add_sums(slot, self.current(slot));
            self.included.uncounted.insert(slot);
        }
    }

    /// Counts the newest uncounted messages, about as many as hold `wanted` tokens.
    fn count_newest(&mut self, wanted: u64, host: &mut dyn Host) -> Result<()> {
        let mut batch = Vec::new();
        let mut expected = 0;
        let mut stand_in = None;
        for slot in self.included.uncounted.iter_rev() {
            match self.current(slot) {
                Current::Nothing => {}
                Current::StandIn(number) => {
                    stand_in = Some((slot, number));
                    break;
                }
                Current::Raw => {
                    for message in self.grouping.group(slot).positions() {
                        if self.tokens_now(message) == UNKNOWN {
                            batch.push(message);
                            // Four bytes a token is what English takes; a guess only.
                            expected += u64::from(self.bytes_now(message) / 4 + 1);
                        }
                    }
                }
            }
            if expected > wanted || self.bounds == Bounds::Unbounded {
                break;
            }
        }
        if batch.is_empty() {
            let Some((slot, number)) = stand_in else { return Ok(()) };
            self.count_stand_in(number, host)?;
            self.included.uncounted.remove(slot);
            return Ok(());
        }
        self.count_now(&batch, host)
    }

    /// Counts what these messages hold now.
    pub(super) fn count_now(&mut self, messages: &[u32], host: &mut dyn Host) -> Result<()> {
        if self.shortened.is_empty() {
            return self.count_messages(messages, host);
        }
        let shortened = |message: &u32| self.shortened.contains_key(message);
        let (shortened, whole): (Vec<u32>, Vec<u32>) = messages.iter().partition(|m| shortened(m));
        self.count_messages(&whole, host)?;
        let unknown: Vec<u32> =
            shortened.into_iter().filter(|&message| self.tokens_now(message) == UNKNOWN).collect();
        let numbers: Vec<u32> = unknown.iter().map(|message| self.shortened[message]).collect();
        for (message, tokens) in
            unknown.iter().zip(self.count_shortenings(&unknown, &numbers, host)?)
        {
            self.set_shortened_tokens(*message, tokens);
            self.note_counted(*message);
        }
        Ok(())
    }

    /// The tokens of the texts of messages that hold, or held, what has these numbers.
    fn count_shortenings(
        &self,
        messages: &[u32],
        numbers: &[u32],
        host: &mut dyn Host,
    ) -> Result<Vec<u32>> {
        if messages.is_empty() {
            return Ok(Vec::new());
        }
        let each = messages.iter().zip(numbers);
        let each: Vec<(u32, &[(Place, String)])> = each
            .map(|(&message, &number)| {
                (message, self.shortenings[number as usize].texts.as_slice())
            })
            .collect();
        let counts = host.count_shortened(&each)?;
        if counts.len() != each.len() {
            return Err(Error::MissingCounts { wanted: each.len(), got: counts.len() });
        }
        Ok(counts)
    }

    /// The tokens of a message when it held what has that number.
    pub(super) fn tokens_of_shortening(
        &mut self,
        message: u32,
        number: u32,
        host: &mut dyn Host,
    ) -> Result<u32> {
        if self.shortened.get(&message) == Some(&number) {
            self.count_now(&[message], host)?;
        } else if self.shortenings[number as usize].tokens == UNKNOWN {
            let tokens = self.count_shortenings(&[message], &[number], host)?[0];
            let tokens = tokens.saturating_add(self.fixed_tokens(message)).min(UNKNOWN - 1);
            self.shortenings[number as usize].tokens = tokens;
        }
        Ok(self.shortenings[number as usize].tokens)
    }

    /// Counts those of these messages that have not been counted.
    pub(super) fn count_messages(&mut self, messages: &[u32], host: &mut dyn Host) -> Result<()> {
        let unknown: Vec<u32> = messages
            .iter()
            .copied()
            .filter(|&message| self.tokens[message as usize] == UNKNOWN)
            .collect();
        if unknown.is_empty() {
            return Ok(());
        }
        let counts = host.count_messages(&unknown)?;
        if counts.len() != unknown.len() {
            return Err(Error::MissingCounts { wanted: unknown.len(), got: counts.len() });
        }
        for (&message, count) in unknown.iter().zip(counts) {
            self.set_message_tokens(message, count);
        }
        for message in unknown {
            self.note_counted(message);
        }
        Ok(())
    }

    /// A slot whose messages have all been counted is no longer among the uncounted ones.
    pub(super) fn note_counted(&mut self, message: u32) {
        let slot = self.grouping.slot_of(message);
        if !self.included.uncounted.contains(slot) || self.current(slot) != Current::Raw {
            return;
        }
        let mut positions = self.grouping.group(slot).positions();
        if positions.all(|message| self.tokens_now(message) != UNKNOWN) {
            drop(positions);
            self.included.uncounted.remove(slot);
        }
    }

    pub(super) fn count_stand_in(&mut self, number: u32, host: &mut dyn Host) -> Result<u32> {
        let stand_in = &self.stand_ins[number as usize];
        if stand_in.tokens == UNKNOWN {
            let tokens = host.count_text(&stand_in.text)?;
            let slot = stand_in.slot;
            self.set_stand_in_tokens(number, tokens);
            if self.current(slot) == Current::StandIn(number) {
                self.included.uncounted.remove(slot);
            }
        }
        Ok(self.stand_ins[number as usize].tokens)
    }
}

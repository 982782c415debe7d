//! Which lengths can a token have, given its first bytes?
//!
//! A filter in front of the vocabulary's tables: it may name a length that no token has, never omit
//! one that a token has.

use super::window::{LONGEST_KEY, window};

/// Buckets for the first four bytes of tokens.
const BUCKETS: usize = 1 << 16;

/// Possible token lengths by first bytes, as bit sets.
pub(super) struct Lengths {
    /// By the first two bytes: lengths 1, 2 and 3.
    of_two: Box<[u8]>,
    /// By a hash of the first four bytes: lengths 4 to 15; bit 0 stands for every longer one.
    of_four: Box<[u16]>,
}

impl Lengths {
    /// Knows no tokens.
    pub(super) fn new() -> Self {
        Self {
            of_two: vec![0; 1 << 16].into_boxed_slice(),
            of_four: vec![0; BUCKETS].into_boxed_slice(),
        }
    }

    /// Adds a token that starts a window.
    pub(super) fn add(&mut self, first: u128, length: usize) {
        match length {
            1 => {} // every single byte is a token
            2..=3 => self.of_two[two(first)] |= 1 << length,
            4..=LONGEST_KEY => self.of_four[four(first)] |= 1 << length,
            _ => self.of_four[four(first)] |= 1,
        }
    }

    /// Can a token of 16 bytes or more start with these bytes?
    #[inline]
    pub(super) fn has_long(&self, rest: &[u8]) -> bool {
        rest.len() > LONGEST_KEY && self.of_four[four(window(rest, 0))] & 1 != 0
    }

    /// The lengths up to 15 that a token starting with this window can have.
    #[inline]
    pub(super) fn short(&self, window: u128) -> u32 {
        u32::from(self.of_four[four(window)] & !1) | u32::from(self.of_two[two(window)]) | 2
    }
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "two bytes are left")]
fn two(window: u128) -> usize {
    window as usize & 0xFFFF
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "four bytes are hashed")]
fn four(window: u128) -> usize {
    ((window as u32).wrapping_mul(0x9E37_79B1) >> 16) as usize
}

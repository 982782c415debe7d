//! Which lengths can a token have, given its first bytes?
//!
//! A filter in front of the vocabulary's tables: it may name a length that no token has, never omit
//! one that a token has.

use super::table::{Table, zeros};
use super::window::{LONGEST_KEY, WIDTH, hash, window};

/// Possible token lengths by first bytes, as bit sets.
pub(super) struct Lengths {
    /// By the first two bytes: lengths 2 and 3.
    of_two: Box<[u8; 1 << 16]>,
    /// By a hash of the first four bytes: lengths 4 to 15; bit 0 stands for every longer one.
    of_four: Box<[u16; 1 << 16]>,
    /// By the first 16 bytes: which of `long` holds the lengths from 16 on.
    of_sixteen: Table<[u8; WIDTH]>,
    long: Vec<u128>,
}

impl Lengths {
    /// Knows no tokens; has room for so many of 16 bytes or more.
    pub(super) fn with_room_for(long: usize) -> Self {
        let of_sixteen = Table::with_room_for(long);
        Self { of_two: zeros(), of_four: zeros(), of_sixteen, long: Vec::new() }
    }

    /// Adds a token that starts a window.
    pub(super) fn add(&mut self, first: u128, length: usize) {
        match length {
            1 => {} // every single byte is a token
            2..=3 => self.of_two[two(first)] |= 1 << length,
            4..=LONGEST_KEY => self.of_four[four(first)] |= 1 << length,
            _ => {
                self.of_four[four(first)] |= 1;
                let (hash, key) = (hash(first), first.to_le_bytes());
                let at = self.of_sixteen.get(hash, key).map_or(self.long.len(), |at| at as usize);
                if at == self.long.len() {
                    self.long.push(0);
                    self.of_sixteen.insert(hash, key, u32::try_from(at).expect("a small table"));
                }
                self.long[at] |= 1 << (length - WIDTH);
            }
        }
    }

    /// The lengths above 15 that a token starting like `rest` has: bit n stands for 16 + n.
    #[inline]
    pub(super) fn long(&self, rest: &[u8]) -> u128 {
        if rest.len() < WIDTH || self.of_four[four(window(rest, 0))] & 1 == 0 {
            return 0;
        }
        let first = window(rest, 0);
        self.of_sixteen.get(hash(first), first.to_le_bytes()).map_or(0, |at| self.long[at as usize])
    }

    /// The lengths up to 15 that a token starting with this window can have.
    #[inline]
    pub(super) fn short(&self, window: u128) -> u32 {
        u32::from(self.of_four[four(window)] & !1) | u32::from(self.of_two[two(window)]) | 2
    }
}

#[inline]
fn two(window: u128) -> usize {
    window as usize & 0xFFFF
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "four bytes are hashed")]
fn four(window: u128) -> usize {
    ((window as u32).wrapping_mul(0x9E37_79B1) >> 16) as usize
}

//! Cuts a text into the pieces that are tokenized independently of each other.
//!
//! Each encoding publishes a regular expression whose successive matches are the pieces. Both are
//! written out by hand here, each twice: for 64 bytes of ASCII at once ([`block`]), and for everything,
//! character by character ([`Pattern::end`]). Neither looks at a character more often than a fixed
//! number of times per piece, so the cut is linear; the published expressions backtrack.

mod block;
mod cl100k;
mod common;
mod contraction;
mod o200k;

use std::marker::PhantomData;

use block::{BLOCK, Block};
pub(super) use cl100k::Cl100k;
pub(super) use o200k::O200k;

/// A published pattern.
pub(super) trait Pattern {
    /// The starts of pieces in a block of bytes that starts with one.
    fn starts(block: &mut Block, bytes: &[u8; BLOCK]) -> u64;

    /// Where the piece that starts at `at` ends.
    fn end(text: &[u8], at: usize) -> usize;
}

/// The pieces of a text, as ranges of bytes.
pub(super) struct Pieces<'t, P> {
    text: &'t [u8],
    /// The start of the next piece.
    at: usize,
    /// The start of the last block.
    block: usize,
    /// The starts of pieces in that block after `at`.
    starts: u64,
    pattern: PhantomData<P>,
}

impl<'t, P: Pattern> Pieces<'t, P> {
    /// Starts at the beginning of `text`, which must be valid UTF-8.
    pub(super) fn new(text: &'t [u8]) -> Self {
        Self { text, at: 0, block: 0, starts: 0, pattern: PhantomData }
    }

    /// The next piece: its start and its end.
    #[inline]
    pub(super) fn next(&mut self) -> Option<(usize, usize)> {
        let start = self.at;
        if self.starts == 0 {
            if start == self.text.len() {
                return None;
            }
            self.starts = Self::starts_after(self.text, start);
            if self.starts == 0 {
                self.at = P::end(self.text, start);
                return Some((start, self.at));
            }
            self.block = start;
        }
        self.at = self.block + self.starts.trailing_zeros() as usize;
        self.starts &= self.starts - 1;
        Some((start, self.at))
    }

    /// The starts of pieces in the block at `at`, without the first; 0 if it tells nothing.
    #[inline]
    fn starts_after(text: &[u8], at: usize) -> u64 {
        let rest = &text[at..];
        // A block costs as much as a few pieces: not worth it unless it holds a few.
        if !rest.first_chunk().is_some_and(|bytes| is_ascii(*bytes)) {
            return 0;
        }
        match rest.first_chunk::<BLOCK>() {
            Some(bytes) => Self::starts_in(bytes),
            None => Self::starts_in_last(rest),
        }
    }

    #[inline(never)]
    fn starts_in_last(rest: &[u8]) -> u64 {
        let mut bytes = [0; BLOCK];
        bytes[..rest.len()].copy_from_slice(rest);
        Self::starts_in(&bytes)
    }

    #[inline(never)]
    fn starts_in(bytes: &[u8; BLOCK]) -> u64 {
        let mut block = Block::new(bytes);
        let starts = P::starts(&mut block, bytes);
        starts & block.certain() & !1
    }
}

#[inline]
fn is_ascii(bytes: [u8; 16]) -> bool {
    u128::from_le_bytes(bytes) & u128::from_le_bytes([0x80; 16]) == 0
}

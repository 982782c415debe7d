//! Finds the pieces of 64 bytes of ASCII at once.
//!
//! The classes of the bytes are sets of bits, and where a piece starts follows from the classes of a
//! byte and its neighbours: a dozen operations on 64-bit words find all starts, without a branch to
//! mispredict and without one piece waiting for the end of the one before. Where that is not so (at
//! bytes that are not ASCII, at the end of the text, where a run of white space leaves the block) the
//! block says nothing and the caller goes on character by character.
//!
//! Bit 0 is the start of a piece and knows nothing of what came before; it need not.

use crate::tokens::lanes::{equal, within};
use crate::tokens::window::WIDTH;

/// Bytes in a block.
pub(super) const BLOCK: usize = 64;

/// A start depends on at most this many bytes after it, runs of white space apart.
const LOOKAHEAD: u32 = 3;

/// The classes of 64 bytes.
pub(in crate::tokens) struct Block {
    /// `[A-Z]`
    pub(super) upper: u64,
    /// `[a-z]`
    pub(super) lower: u64,
    /// `[0-9]`
    digits: u64,
    /// Spaces.
    spaces: u64,
    /// White space other than line ends.
    blanks: u64,
    /// Line ends.
    line_ends: u64,
    /// Everything else that is ASCII.
    signs: u64,
    /// Not ASCII; or zero, which also stands for the end of the text.
    unknown: u64,
}

impl Block {
    /// Sorts the bytes.
    #[inline]
    pub(super) fn new(bytes: &[u8; BLOCK]) -> Self {
        let mut block = Self {
            upper: 0,
            lower: 0,
            digits: 0,
            spaces: 0,
            blanks: 0,
            line_ends: 0,
            signs: 0,
            unknown: 0,
        };
        let (windows, _) = bytes.as_chunks::<WIDTH>();
        for (place, window) in windows.iter().enumerate() {
            let window = u128::from_le_bytes(*window);
            let add = |set: &mut u64, found: u32| *set |= u64::from(found) << (WIDTH * place);
            add(&mut block.upper, within(window, b'A', b'Z'));
            add(&mut block.lower, within(window, b'a', b'z'));
            add(&mut block.digits, within(window, b'0', b'9'));
            add(&mut block.spaces, equal(window, b' '));
            add(&mut block.blanks, within(window, b'\t', b'\r'));
            add(&mut block.line_ends, equal(window, b'\n') | equal(window, b'\r'));
            add(&mut block.unknown, !within(window, 1, 0x7F) & 0xFFFF);
        }
        block.blanks = (block.blanks | block.spaces) & !block.line_ends;
        block.signs = !(block.letters() | block.digits | block.white() | block.unknown);
        block
    }

    /// `[A-Za-z]`
    #[inline]
    pub(super) fn letters(&self) -> u64 {
        self.upper | self.lower
    }

    /// What is neither letter, digit nor white space.
    #[inline]
    pub(super) fn signs(&self) -> u64 {
        self.signs
    }

    #[inline]
    fn white(&self) -> u64 {
        self.blanks | self.line_ends
    }

    /// Declares bytes unknown.
    #[inline]
    pub(super) fn forget(&mut self, bytes: u64) {
        self.unknown |= bytes;
    }

    /// The line ends that follow signs directly belong to their piece; the bytes after those.
    #[inline]
    pub(super) fn after_signs_and_line_ends(&self) -> u64 {
        let first = self.line_ends & self.signs << 1;
        self.line_ends.wrapping_add(first) & !self.line_ends
    }

    /// The signs that start a piece: the first of a run, unless a space before it does.
    #[inline]
    pub(super) fn first_signs(&self) -> u64 {
        self.signs & !(self.signs << 1) & !(self.spaces << 1)
    }

    /// The starts of pieces, by the rules that both patterns share.
    #[inline]
    pub(super) fn starts(&self) -> u64 {
        // White space or a single sign before letters is part of the word.
        let first_signs = self.first_signs();
        let letters = self.letters();
        let words = letters & !((letters | self.blanks | first_signs) << 1);
        words
            | self.numbers()
            | first_signs
            | self.after_signs_and_line_ends()
            | self.white_starts()
    }

    /// Every third digit of a run.
    #[inline]
    fn numbers(&self) -> u64 {
        let mut last = self.digits & !(self.digits << 1);
        let mut starts = last;
        let fourth = self.digits & self.digits << 1 & self.digits << 2 & self.digits << 3;
        while last != 0 {
            last = last << 3 & fourth;
            starts |= last;
        }
        starts
    }

    /// `\s*[\r\n]+|\s+(?!\S)|\s+`: a run of white space splits after its last line end and before its
    /// last character, unless that is the line end.
    #[inline]
    fn white_starts(&self) -> u64 {
        let white = self.white();
        let first = white & !(white << 1) & !(self.line_ends & self.signs << 1);
        let last = self.blanks & !(white >> 1);
        let mut after_line_end = self.blanks & self.line_ends << 1;
        // Blanks between two line ends are rare enough for a loop.
        let mut between = self.blanks.wrapping_add(after_line_end) & self.line_ends;
        while between != 0 {
            let end = between & between.wrapping_neg();
            let start = (after_line_end & (end - 1)).ilog2();
            after_line_end &= !(1 << start);
            between &= between - 1;
        }
        first | last | after_line_end
    }

    /// The positions at which a start is certain, whatever the bytes that are not known.
    #[inline]
    pub(super) fn certain(&self) -> u64 {
        let end = self.unknown.trailing_zeros();
        let Some(limit) = end.checked_sub(LOOKAHEAD) else { return 0 };
        // White space that runs into the unknown: only its first character is decided.
        let solid = !self.white() & (u64::MAX >> (63 - (end - 1)));
        let white_start = 64 - solid.leading_zeros();
        let limit = limit.min(white_start);
        u64::MAX >> (63 - limit.min(63))
    }
}

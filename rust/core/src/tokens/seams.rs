//! Where can a piece be cut in two without changing its tokens?
//!
//! Surely wherever no merge can ever cross: where no two parts of any token meet that end and begin
//! like the text on either side. In Chinese, Japanese or emoji nearly every border between two tokens
//! is such a *seam*, so that long pieces fall into short ones, which the cache knows. No token has a
//! seam inside, because each of its inner borders is crossed by one of the merges that make it.
//!
//! "End and begin like" compares three bytes (one character of those scripts), or one byte where the part is
//! shorter. The pairs are kept in one set of hashed bits, so a seam may be missed, never invented.

use super::table::zeros;
use super::vocabulary::Vocabulary;

/// The set has two to the power of this many bits.
const BITS: u32 = 21;
const WORDS: usize = 1 << (BITS - 6);

/// The borders that some merge crosses.
pub(super) struct Seams {
    crossed: Box<[u64; WORDS]>,
}

impl Seams {
    /// Enters all merges.
    pub(super) fn new(vocabulary: &Vocabulary) -> Self {
        let mut seams = Self { crossed: zeros() };
        for rank in 0..u32::try_from(vocabulary.len()).expect("ranks fit 24 bits") {
            let (left, right) = vocabulary.parts(rank);
            if left != rank {
                let (left, right) = (vocabulary.bytes(left), vocabulary.bytes(right));
                let before = left
                    .last_chunk::<3>()
                    .map_or(u32::from(left[left.len() - 1]) << 16, |last| number(*last));
                let after =
                    right.first_chunk::<3>().map_or(u32::from(right[0]), |first| number(*first));
                let bit = bit(before, left.len() >= 3, after, right.len() >= 3);
                seams.crossed[bit / 64] |= 1 << (bit % 64);
            }
        }
        seams
    }

    /// The seams among the borders between characters after `start`, as far as 64 bits go (bit n
    /// stands for `start + n`), and the character at which to search on; `end` if that was all.
    #[inline]
    pub(super) fn between(&self, text: &[u8], start: usize, end: usize) -> (u64, usize) {
        let mut seams = 0;
        let mut at = start;
        loop {
            let next = at + width(text[at]);
            if next >= end || next - start >= 64 {
                return (seams, if next < end { at } else { end });
            }
            // Without a branch on what is found: every other border would be a surprise.
            seams |= u64::from(self.has(around(text, next))) << (next - start);
            at = next;
        }
    }

    /// Is the border between these bytes a seam? The three before it are in the low 24 bits of
    /// `around`, the three after it in the next.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "24 bits are left")]
    fn has(&self, around: u64) -> bool {
        let (before, after) = (around as u32 & 0xFF_FFFF, (around >> 24) as u32 & 0xFF_FFFF);
        let (last, first) = (before & 0xFF_0000, after & 0xFF);
        let crossed = self.get(bit(before, true, after, true))
            | self.get(bit(last, false, after, true))
            | self.get(bit(before, true, first, false))
            | self.get(bit(last, false, first, false));
        crossed & 1 == 0
    }

    #[inline]
    fn get(&self, bit: usize) -> u64 {
        self.crossed[bit / 64] >> (bit % 64)
    }
}

fn number(bytes: [u8; 3]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], 0])
}

/// The bytes of the character that starts with this byte.
#[inline]
fn width(first: u8) -> usize {
    match first {
        0x80.. => (!first).leading_zeros() as usize,
        _ => 1,
    }
}

/// The bytes from three before `at` to five after; zeros beyond the ends of the text.
#[inline]
fn around(text: &[u8], at: usize) -> u64 {
    match text.get(at.wrapping_sub(3)..).and_then(|rest| rest.first_chunk::<8>()) {
        Some(bytes) => u64::from_le_bytes(*bytes),
        None => around_an_end(text, at),
    }
}

#[cold]
fn around_an_end(text: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|place| {
        (at + place).checked_sub(3).and_then(|at| text.get(at)).copied().unwrap_or(0)
    }))
}

#[inline]
fn bit(before: u32, long_before: bool, after: u32, long_after: bool) -> usize {
    let lengths = u64::from(long_before) << 1 | u64::from(long_after);
    let key = lengths << 48 | u64::from(before) << 24 | u64::from(after);
    (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - BITS)) as usize
}

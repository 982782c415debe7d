//! Splits a short piece by doing the merges.
//!
//! The definition itself: while two neighbours merge, merge the pair of lowest rank, leftmost first.
//! A set of bits says which of up to 15 positions still start a token, so that nothing moves. Each
//! merge takes two lookups and one look at 16 ranks, so the work is bounded by some 30 lookups a piece.

use super::pairs::{NEVER, Pairs};

/// The longest piece that is split this way.
pub(super) const LONGEST: usize = 15;

/// Places that can hold a merge; one of no use comes first.
const MERGES: usize = LONGEST + 1;

/// Places that a mask of five bits can name, so that no access needs a check.
const PLACES: usize = 32;

/// The number of tokens of a piece of 2 to [`LONGEST`] bytes that is not a token.
///
/// Place `n` stands for the text from byte `n - 1` on, so that place 0 and the one after the last can
/// hold a token that merges with nothing; lookups then need no branch for the ends, which no
/// processor could predict.
pub(super) fn count(pairs: &Pairs, piece: &[u8]) -> usize {
    let mut tokens = [NEVER; PLACES];
    let mut merges = [i32::MAX; PLACES];
    for (place, &byte) in piece.iter().enumerate() {
        tokens[place + 1] = pairs.single(byte);
    }
    for (place, pair) in piece.windows(2).enumerate() {
        merges[place + 1] = packed(pairs.merge_of_bytes(pair[0], pair[1]), place + 1);
    }
    // Bit n: a token starts at place n. The end counts as a start, so that every token has a next one.
    let mut starts: u32 = (2 << (piece.len() + 1)) - 1;
    loop {
        let mut lowest = i32::MAX;
        let mut left = starts;
        while left != 0 {
            lowest = lowest.min(merges[left.trailing_zeros() as usize % PLACES]);
            left &= left - 1;
        }
        if lowest == i32::MAX {
            return starts.count_ones() as usize - 2;
        }
        let (rank, at) = unpacked(lowest);
        let gone = next(starts, at);
        starts &= !(1 << gone);
        if starts.count_ones() == 4 {
            return 2; // they do not merge, else the piece were a token
        }
        let (before, after) = (previous(starts, at), next(starts, at));
        tokens[at] = rank;
        merges[gone] = i32::MAX;
        merges[at] = packed(pairs.merge(rank, tokens[after]), at);
        merges[before] = packed(pairs.merge(tokens[before], rank), before);
    }
}

/// A merge and its place as one number, so that the least of them is the next merge to do.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "ranks have 18 bits, places four"
)]
fn packed(rank: u32, place: usize) -> i32 {
    if rank == NEVER { i32::MAX } else { (rank as usize * MERGES + place) as i32 }
}

#[inline]
#[expect(clippy::cast_sign_loss, reason = "packed numbers are positive")]
fn unpacked(packed: i32) -> (u32, usize) {
    let packed = packed as u32;
    (packed >> MERGES.ilog2(), packed as usize % MERGES)
}

/// The first start after `at`.
#[inline]
fn next(starts: u32, at: usize) -> usize {
    (starts & (!1 << at)).trailing_zeros() as usize % PLACES
}

/// The last start before `at`.
#[inline]
fn previous(starts: u32, at: usize) -> usize {
    (starts & ((1 << at) - 1) | 1).ilog2() as usize % PLACES
}

//! Splits a short piece by doing the merges.
//!
//! The definition itself: while two neighbours merge, merge the pair of lowest rank, leftmost first.
//! Up to 32 positions are kept in registers and two arrays; a set of bits says which of them still
//! start a token, so that nothing moves. Quadratic, hence for short pieces only.

use super::pairs::{NEVER, Pairs};

/// The longest piece that is split this way.
pub(super) const LONGEST: usize = 15;

const PLACES: usize = 16;

/// The number of tokens of a piece of 2 to [`LONGEST`] bytes that is not a token.
pub(super) fn count(pairs: &Pairs, piece: &[u8]) -> usize {
    let mut ids = [0; PLACES];
    let mut ranks = [NEVER; PLACES];
    for (id, &byte) in ids.iter_mut().zip(piece) {
        *id = pairs.single(byte);
    }
    for (rank, pair) in ranks.iter_mut().zip(piece.windows(2)) {
        *rank = pairs.merge_of_bytes(pair[0], pair[1]);
    }
    let mut starts: u32 = (1 << piece.len()) - 1;
    loop {
        let (at, lowest) = lowest(&ranks);
        if lowest == NEVER {
            return starts.count_ones() as usize;
        }
        let gone = next(starts, at);
        starts &= !(1 << gone);
        if starts.count_ones() == 2 {
            return 2; // merging the last two would make the piece a token
        }
        ranks[gone % PLACES] = NEVER;
        ids[at] = lowest;
        let after = next(starts, at);
        ranks[at] = if after < PLACES { pairs.merge(lowest, ids[after]) } else { NEVER };
        let before = starts & ((1 << at) - 1);
        if before != 0 {
            let before = 31 - before.leading_zeros() as usize;
            ranks[before] = pairs.merge(ids[before], lowest);
        }
    }
}

/// The place of the lowest rank, the first of equals, and the rank.
#[inline(always)]
fn lowest(ranks: &[u32; PLACES]) -> (usize, u32) {
    let mut best = (0, NEVER);
    for (place, &rank) in ranks.iter().enumerate() {
        if rank < best.1 {
            best = (place, rank);
        }
    }
    best
}

/// The first start after `at`; out of the arrays if there is none.
#[inline]
fn next(starts: u32, at: usize) -> usize {
    at + 1 + (starts >> (at + 1)).trailing_zeros() as usize
}

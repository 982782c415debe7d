//! Splits a piece that is not itself a token, in time linear in its length.
//!
//! The encoding of a text is the only sequence of tokens in which all neighbours may touch (see
//! `pairs`), and every prefix of it is the encoding of a prefix of the text. So: take the longest
//! token that may follow; where none does, drop the last token, mark its end as a dead end, and try the
//! next shorter one in its place. A position is reached by at most one valid last token, so a dead
//! end is dead for good, every position is given up at most once, and the number of steps is at most
//! the number of (position, token length) pairs: linear, with the longest token's length as factor.
//! Longest-first is right nearly always; texts see about one step per token.

use super::pairs::Pairs;
use super::vocabulary::Vocabulary;

/// Calls `emit` with the ranks of `piece`, unless there are more than `limit`; returns how many.
pub(super) fn split(vocabulary: &Vocabulary, pairs: &Pairs, piece: &[u8], ranks: &mut Vec<u32>) {
    ranks.clear();
    let mut dead_ends = DeadEnds::new(piece.len());
    let mut at = 0;
    // Tokens tried at `at` are shorter than this.
    let mut below = usize::MAX;
    while at < piece.len() {
        let last = ranks.last().copied();
        let next = loop {
            let Some(rank) = vocabulary.longest_match(piece, at, below) else { break None };
            below = vocabulary.length(rank);
            if !dead_ends.contains(at + below)
                && last.is_none_or(|last| pairs.may_touch(vocabulary, last, rank))
            {
                break Some(rank);
            }
        };
        if let Some(rank) = next {
            ranks.push(rank);
            at += below;
            below = usize::MAX;
        } else {
            dead_ends.insert(at);
            let last = ranks.pop().expect("some sequence of single bytes and merges always fits");
            below = vocabulary.length(last);
            at -= below;
        }
    }
}

/// A set of positions in a piece; short pieces need no allocation.
struct DeadEnds {
    first: u128,
    more: Vec<u64>,
    length: usize,
}

impl DeadEnds {
    fn new(length: usize) -> Self {
        Self { first: 0, more: Vec::new(), length }
    }

    #[inline]
    fn contains(&self, at: usize) -> bool {
        if at < 128 {
            self.first >> at & 1 != 0
        } else {
            self.more.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 != 0)
        }
    }

    fn insert(&mut self, at: usize) {
        if at < 128 {
            self.first |= 1 << at;
        } else {
            if self.more.is_empty() {
                self.more = vec![0; self.length / 64 + 1];
            }
            self.more[at / 64] |= 1 << (at % 64);
        }
    }
}

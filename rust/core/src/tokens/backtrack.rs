//! Splits a piece that is not itself a token, in time nearly linear in its length.
//!
//! The encoding of a text is the only sequence of tokens in which all neighbours may touch (see
//! `pairs`), and every beginning of that sequence is the encoding of a beginning of the text. So: take
//! the longest token that may follow; where none does, drop the last token, mark its end as a dead end,
//! and try the next shorter one in its place. A position is reached by at most one valid last token, so
//! a dead end is dead for good.
//!
//! Longest-first is right nearly always: texts see 1.0 to 1.3 tries per token. In runs of one sign it
//! is mostly wrong, with up to 80 lengths to try at every byte. Hence tries are limited to a
//! few per byte; a piece that needs more goes to `queue`.

use super::pairs::Pairs;
use super::queue;
use super::vocabulary::Vocabulary;

/// Tries after which `queue` is quicker.
const TRIES_PER_BYTE: usize = 4;

/// Puts the ranks of a piece that is not a token in `ranks`.
pub(super) fn split(vocabulary: &Vocabulary, pairs: &Pairs, piece: &[u8], ranks: &mut Vec<u32>) {
    ranks.clear();
    let mut tries = TRIES_PER_BYTE * piece.len();
    let mut dead_ends = DeadEnds::new(piece.len());
    let mut at = 0;
    // Tokens tried at `at` are shorter than this.
    let mut below = usize::MAX;
    while at < piece.len() {
        let last = ranks.last().copied();
        let next = loop {
            let Some(rank) = vocabulary.longest_match(piece, at, below) else { break None };
            if tries == 0 {
                queue::split(pairs, piece, ranks);
                return;
            }
            tries -= 1;
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
            let last = ranks.pop().expect("some sequence of tokens spells every piece");
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

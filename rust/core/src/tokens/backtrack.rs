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
//!
//! A very long piece is split a stretch at a time, so that all of it happens in the processor's nearest
//! caches. The last tokens of a stretch, which the cut may have spoiled, are dropped, and the next stretch
//! starts there. Where the token before and the token after may touch, the whole is a sequence in which all
//! neighbours may, hence the encoding; where they may not, the piece is split at once after all.

use super::pairs::Pairs;
use super::queue;
use super::vocabulary::Vocabulary;

/// Bytes of a stretch.
const STRETCH: usize = 2048;

/// So many bytes before its end are left to the next one: two of the longest tokens.
const SPOILED: usize = 256;

/// Tries after which `queue` is quicker.
const TRIES_PER_BYTE: usize = 4;

/// Puts the ranks of a piece that is not a token in `ranks`.
pub(super) fn split(vocabulary: &Vocabulary, pairs: &Pairs, piece: &[u8], ranks: &mut Vec<u32>) {
    if piece.len() <= STRETCH || !split_in_stretches(vocabulary, pairs, piece, ranks) {
        split_at_once(vocabulary, pairs, piece, ranks);
    }
}

/// Says whether that went well.
fn split_in_stretches(
    vocabulary: &Vocabulary,
    pairs: &Pairs,
    piece: &[u8],
    ranks: &mut Vec<u32>,
) -> bool {
    ranks.clear();
    let mut stretch = Vec::new();
    let mut at = 0;
    while at < piece.len() {
        let end = piece.len().min(at + STRETCH);
        split_at_once(vocabulary, pairs, &piece[at..end], &mut stretch);
        let ends = ranks.last().zip(stretch.first());
        if ends.is_some_and(|(&last, &first)| !pairs.may_touch(vocabulary, last, first)) {
            return false;
        }
        let kept = if end == piece.len() { end } else { end - SPOILED };
        for &rank in &stretch {
            let next = at + vocabulary.length(rank);
            if next > kept {
                break;
            }
            ranks.push(rank);
            at = next;
        }
    }
    true
}

fn split_at_once(vocabulary: &Vocabulary, pairs: &Pairs, piece: &[u8], ranks: &mut Vec<u32>) {
    ranks.clear();
    let mut tries = TRIES_PER_BYTE * piece.len();
    let mut dead_ends = DeadEnds::new(piece.len());
    let mut at = 0;
    // Tokens tried at `at` are shorter than this.
    let mut below = usize::MAX;
    while at < piece.len() {
        let last = ranks.last().copied();
        let next = loop {
            let Some((rank, length)) = vocabulary.longest_match(piece, at, below) else {
                break None;
            };
            if tries == 0 {
                queue::split(pairs, piece, ranks);
                return;
            }
            tries -= 1;
            below = length;
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

#[cfg(test)]
mod tests {
    use super::{Pairs, STRETCH, Vocabulary, split_at_once, split_in_stretches};

    #[test]
    fn stretches_give_what_splitting_at_once_gives() {
        let vocabulary = Vocabulary::new(include_bytes!("../../data/o200k_base.merges"));
        let pairs = Pairs::new(&vocabulary);
        let (mut whole, mut joined) = (Vec::new(), Vec::new());
        let words = "thequickbrownfoxjumpsoverthelazydog";
        for unit in ["/", " ", "a", "ab", "=-", "\u{301}", "\t", "aaaaaaab", words, "天地玄黄"]
        {
            for length in [STRETCH + 1, 3 * STRETCH, 5 * STRETCH + 77] {
                let piece = &unit.repeat(length).into_bytes()[..length];
                split_at_once(&vocabulary, &pairs, piece, &mut whole);
                assert!(split_in_stretches(&vocabulary, &pairs, piece, &mut joined), "{unit:?}");
                assert_eq!(joined, whole, "{length} bytes of {unit:?}");
            }
        }
    }
}

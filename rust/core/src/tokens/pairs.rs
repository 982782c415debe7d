//! Which tokens may stand side by side?
//!
//! Byte-pair encoding merges the adjacent pair of lowest rank, leftmost first, until none is left. It
//! leaves tokens `l` and `r` as neighbours exactly if, while it built both, it never merged across
//! the border between them. That can be replayed backwards from the two tokens alone:
//!
//! * A merged token outranks its parts, so ranks give the order in which tokens came to be: undo the
//!   younger of the two neighbours (of equals the right one: the left is merged first) and the part
//!   that touches the border is the neighbour of before.
//! * Two neighbours would have been merged if their pair has a rank below that of the merge that
//!   consumed one of them; or equal to it, if that merge lies to the right of the border.
//!
//! A text's encoding is the one sequence of tokens all of whose neighbours pass this test, which is
//! what `backtrack` searches for. Only the parts a token is really merged from count as a pair: two
//! other tokens that spell it can never be neighbours when their turn comes.
//!
//! One question takes at most as many lookups as both tokens have parts on the border, i.e. fewer than
//! twice the longest token's bytes; in texts two or three.

use super::table::Table;
use super::vocabulary::Vocabulary;
use super::window::hash;

/// "No such pair": above every rank.
pub(super) const NEVER: u32 = u32::MAX;

/// The merges of a vocabulary, by their two parts.
pub(super) struct Pairs {
    merged: Table<[u32; 2]>,
    /// The merges of two single bytes, by the bytes.
    of_bytes: Box<[u32]>,
    /// The ranks of the single bytes.
    singles: [u32; 256],
}

impl Pairs {
    /// Indexes the merges.
    pub(super) fn new(vocabulary: &Vocabulary) -> Self {
        let mut merged = Table::with_room_for(vocabulary.len());
        let mut of_bytes = vec![NEVER; 1 << 16].into_boxed_slice();
        let mut singles = [0; 256];
        for rank in 0..u32::try_from(vocabulary.len()).expect("ranks fit 24 bits") {
            let (left, right) = vocabulary.parts(rank);
            match *vocabulary.bytes(rank) {
                [byte] => singles[byte as usize] = rank,
                [first, second] => of_bytes[two(first, second)] = rank,
                _ => {}
            }
            if left != rank {
                merged.insert(hash(packed(left, right)), [left, right], rank);
            }
        }
        Self { merged, of_bytes, singles }
    }

    /// The rank of a single byte.
    #[inline]
    pub(super) fn single(&self, byte: u8) -> u32 {
        self.singles[byte as usize]
    }

    /// The rank of the merge of two bytes, or [`NEVER`].
    #[inline]
    pub(super) fn merge_of_bytes(&self, first: u8, second: u8) -> u32 {
        self.of_bytes[two(first, second)]
    }

    /// The rank of the merge of two tokens, or [`NEVER`].
    #[inline]
    pub(super) fn merge(&self, left: u32, right: u32) -> u32 {
        self.merged.get(hash(packed(left, right)), [left, right]).unwrap_or(NEVER)
    }

    /// Does encoding the bytes of both tokens together give these two tokens?
    #[inline]
    pub(super) fn may_touch(&self, vocabulary: &Vocabulary, left: u32, right: u32) -> bool {
        self.merge(left, right) == NEVER && self.never_crossed(vocabulary, left, right)
    }

    /// The same of two tokens that do not merge.
    #[inline]
    pub(super) fn never_crossed(&self, vocabulary: &Vocabulary, left: u32, right: u32) -> bool {
        let (mut left, mut right) = (left, right);
        loop {
            // The pair of neighbours is merged if its rank is below this.
            let consumed;
            if left > right {
                consumed = left;
                left = vocabulary.parts(left).1;
                if left == consumed {
                    return true; // the younger one is a single byte: nothing is left to undo
                }
            } else {
                consumed = right + 1;
                let part = vocabulary.parts(right).0;
                if part == right {
                    return true;
                }
                right = part;
            }
            if self.merge(left, right) < consumed {
                return false;
            }
        }
    }
}

#[inline]
fn packed(left: u32, right: u32) -> u128 {
    u128::from(u64::from(left) << 32 | u64::from(right))
}

#[inline]
fn two(first: u8, second: u8) -> usize {
    usize::from(first) << 8 | usize::from(second)
}

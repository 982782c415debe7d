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

/// The merges of a vocabulary, by their two parts.
pub(super) struct Pairs {
    merged: Table<u64>,
}

impl Pairs {
    /// Indexes the merges.
    pub(super) fn new(vocabulary: &Vocabulary) -> Self {
        let mut merged = Table::with_room_for(vocabulary.len());
        for rank in 256..u32::try_from(vocabulary.len()).expect("ranks fit 24 bits") {
            let (left, right) = vocabulary.parts(rank);
            let key = packed(left, right);
            merged.insert(hash(u128::from(key)), key, rank);
        }
        Self { merged }
    }

    /// Does encoding the bytes of both tokens together give these two tokens?
    #[inline]
    pub(super) fn may_touch(&self, vocabulary: &Vocabulary, left: u32, right: u32) -> bool {
        let (mut left, mut right) = (left, right);
        // The pair of neighbours is merged if its rank is below this.
        let mut consumed = u32::MAX;
        loop {
            let key = packed(left, right);
            if self.merged.get(hash(u128::from(key)), key).is_some_and(|rank| rank < consumed) {
                return false;
            }
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
        }
    }
}

#[inline]
fn packed(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

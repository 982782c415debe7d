//! Splits a long piece by doing the merges, the next one taken from a priority queue.
//!
//! O(n log n) for n bytes whatever they are, and ten times slower than backtracking on texts as people
//! write them. So it is what `backtrack` falls back on where it would try too much: in long runs of one
//! sign, of which the vocabularies know dozens of lengths.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::pairs::{NEVER, Pairs};

/// A place in the piece at which a token may start.
struct Place {
    token: u32,
    /// What the token and the next one merge to.
    merged: u32,
    previous: u32,
    next: u32,
}

/// "No such place."
const NOWHERE: u32 = u32::MAX;

/// Puts the ranks of a piece that is not a token in `ranks`; returns how many merges were looked at.
pub(super) fn split(pairs: &Pairs, piece: &[u8], ranks: &mut Vec<u32>) -> usize {
    ranks.clear();
    let mut looks = 0;
    let mut places: Vec<Place> = (0..)
        .zip(piece)
        .map(|(at, &byte)| Place {
            token: pairs.single(byte),
            merged: NEVER,
            previous: if at > 0 { at - 1 } else { NOWHERE },
            next: if at as usize + 1 < piece.len() { at + 1 } else { NOWHERE },
        })
        .collect();
    // Pairs of a merge and its place: the least is the lowest rank, the leftmost of equals.
    let mut queue = BinaryHeap::with_capacity(piece.len());
    for (at, pair) in (0..).zip(piece.windows(2)) {
        let merged = pairs.merge_of_bytes(pair[0], pair[1]);
        if merged != NEVER {
            places[at as usize].merged = merged;
            queue.push(Reverse((merged, at)));
        }
    }
    while let Some(Reverse((merged, at))) = queue.pop() {
        looks += 1;
        let Place { merged: current, next: gone, previous, .. } = places[at as usize];
        if current != merged {
            continue; // one of the two has been merged otherwise since
        }
        let next = places[gone as usize].next;
        places[gone as usize].merged = NEVER;
        let place = &mut places[at as usize];
        (place.token, place.next) = (merged, next);
        if next != NOWHERE {
            places[next as usize].previous = at;
        }
        for left in [previous, at] {
            if left == NOWHERE {
                continue;
            }
            let right = places[left as usize].next;
            let merged = if right == NOWHERE {
                NEVER
            } else {
                pairs.merge(places[left as usize].token, places[right as usize].token)
            };
            places[left as usize].merged = merged;
            if merged != NEVER {
                queue.push(Reverse((merged, left)));
            }
        }
    }
    let mut at = 0;
    while at != NOWHERE {
        ranks.push(places[at as usize].token);
        at = places[at as usize].next;
    }
    looks
}

#[cfg(test)]
mod tests {
    use super::super::backtrack;
    use super::super::vocabulary::Vocabulary;
    use super::{Pairs, split};

    #[test]
    fn it_agrees_with_backtracking_and_looks_three_times_per_byte_at_most() {
        let vocabulary = Vocabulary::new(include_bytes!("../../data/cl100k_base.merges"));
        let pairs = Pairs::new(&vocabulary);
        let (mut merged, mut backtracked) = (Vec::new(), Vec::new());
        for unit in ["=", "a", "ab", " ", "\t", "abcdefghij", "中文", "\u{301}", "-+=", "aaaaaaab"]
        {
            for length in [20, 64, 129, 1000, 5000] {
                let piece = &unit.repeat(length).into_bytes()[..length];
                assert!(split(&pairs, piece, &mut merged) <= 3 * length);
                backtrack::split(&vocabulary, &pairs, piece, &mut backtracked);
                assert_eq!(merged, backtracked, "{length} bytes of {unit:?}");
            }
        }
    }
}

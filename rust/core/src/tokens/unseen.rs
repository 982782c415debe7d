//! Short pieces that the cache does not know, counted some at a time.
//!
//! A new piece costs a few looks at tables of megabytes, each of which waits for the one before. So pieces
//! are gathered, and each step is taken for all of them before the next one: the looks of one step depend
//! on nothing, and the processor has several of them under way at once.
//!
//! Nearly all new pieces are one token, or two: a word that is known and an ending. Two tokens that may
//! touch are the encoding (see `pairs`), so a guess that holds saves all the merges.

use super::bpe::Bpe;
use super::cache::Cache;
use super::merge;
use super::window::LONGEST_KEY;

/// So many pieces are gathered.
const GATHERED: usize = 16;

/// Pieces of up to 15 bytes, with their hashes.
pub(super) struct Unseen {
    pieces: [(u64, u128); GATHERED],
    length: usize,
}

impl Unseen {
    pub(super) fn new() -> Self {
        Self { pieces: [(0, 0); GATHERED], length: 0 }
    }

    /// Adds a piece and gives the tokens that are known of: one for it, and once there is room for no more,
    /// those of [`more_tokens`](Self::more_tokens).
    ///
    /// Kept apart: inlined, its variables push those of the counting loop out of the registers.
    #[inline(never)]
    pub(super) fn add(&mut self, hash: u64, key: u128, bpe: &Bpe, cache: &mut Cache) -> usize {
        self.pieces[self.length % GATHERED] = (hash, key);
        self.length += 1;
        if self.length == GATHERED { 1 + self.more_tokens(bpe, cache) } else { 1 }
    }

    /// How many more tokens there are than pieces; these are then forgotten here and known to the cache.
    pub(super) fn more_tokens(&mut self, bpe: &Bpe, cache: &mut Cache) -> usize {
        if self.length == 0 {
            return 0;
        }
        let (vocabulary, pairs) = (&bpe.vocabulary, &bpe.pairs);
        let pieces = &self.pieces[..self.length];
        self.length = 0;
        let mut counts = [0; GATHERED];
        for (count, &(hash, key)) in counts.iter_mut().zip(pieces) {
            *count = usize::from(vocabulary.rank_of_key(hash, key).is_some());
        }
        let mut halves = [None; GATHERED];
        for ((halves, count), &(_, key)) in halves.iter_mut().zip(counts).zip(pieces) {
            if count == 0 {
                *halves = vocabulary.halves(key, length(key));
            }
        }
        let mut more = 0;
        for ((halves, mut count), &(hash, key)) in halves.into_iter().zip(counts).zip(pieces) {
            if count == 0 {
                // The halves do not merge, else the piece were a token.
                count = match halves {
                    Some((left, right)) if pairs.never_crossed(vocabulary, left, right) => 2,
                    _ => merge::count(pairs, &key.to_le_bytes()[..length(key)]),
                };
            }
            cache.keep_short(hash, key, count);
            more += count - 1;
        }
        more
    }
}

/// The length in bytes, from the top of a key.
#[inline]
fn length(key: u128) -> usize {
    (key >> 120) as usize % (LONGEST_KEY + 1)
}

#[cfg(test)]
mod tests {
    use super::GATHERED;
    use crate::tokens::{ENCODING_NAMES, encoding};

    #[test]
    fn a_limit_holds_whatever_waits() {
        // Words of one, two and more tokens, none of them known to the cache of a new thread.
        let words = [" house", " wintery", " zqxjkvwp", " Häuserling", " дом", " домовод", "!"];
        for name in ENCODING_NAMES {
            let bpe = encoding(name).expect("an encoding of this crate");
            for pieces in [1, GATHERED - 1, GATHERED, GATHERED + 1, 5 * GATHERED] {
                let text: String = (0..pieces)
                    .flat_map(|at| [words[at % words.len()].to_owned(), "aeiou".repeat(at % 3)])
                    .collect();
                let tokens = bpe.encode(&text).len();
                for limit in [tokens - 1, tokens, tokens + 1] {
                    let counted = std::thread::scope(|scope| {
                        scope.spawn(|| bpe.count_up_to(&text, limit)).join().expect("it counts")
                    });
                    assert_eq!(counted, (tokens <= limit).then_some(tokens), "{text} {limit}");
                }
            }
        }
    }
}

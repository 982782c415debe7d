//! The counting loop.
//!
//! A piece of up to 15 bytes is one key: one probe of the cache answers nearly always, and what is new
//! waits for more of its kind in `unseen`. A longer piece is cut at its seams, into keys again where it can be.

use super::backtrack::split;
use super::bpe::Bpe;
use super::cache::{self, Cache, Long};
use super::merge;
use super::pretokenize::{Pattern, Pieces};
use super::unseen::Unseen;
use super::window::{LONGEST_KEY, hash, key, window};

impl Bpe {
    /// Has a text of so many bytes more tokens than the limit, whatever it says?
    pub(super) fn surely_above(&self, bytes: usize, limit: usize) -> bool {
        bytes.div_ceil(self.vocabulary.longest()) > limit
    }

    /// The number of tokens of a text, cut by the pattern `P`; `None` if it is above `limit`.
    pub(super) fn count_pieces<P: Pattern>(
        &self,
        text: &[u8],
        limit: usize,
        cache: &mut Cache,
    ) -> Option<usize> {
        let mut total = 0;
        let mut unseen = Unseen::new();
        let mut pieces = Pieces::<P>::new(text);
        while let Some((start, end)) = pieces.next() {
            let length = end - start;
            if length <= LONGEST_KEY {
                let key = key(window(text, start), length);
                let hash = hash(key);
                match cache.short(hash, key) {
                    0 => total += unseen.add(hash, key, self, cache),
                    count => total += count,
                }
            } else {
                if self.surely_above(length, limit - total) {
                    return None;
                }
                total += self.count_long(text, start, end, cache);
            }
            if total > limit {
                return None;
            }
        }
        total += unseen.more_tokens(self, cache);
        (total <= limit).then_some(total)
    }

    /// The count of a piece of at most 15 bytes.
    #[inline]
    fn count_short(&self, text: &[u8], start: usize, length: usize, cache: &mut Cache) -> usize {
        let key = key(window(text, start), length);
        let hash = hash(key);
        match cache.short(hash, key) {
            0 => self.count_new(hash, key, length, cache),
            count => count,
        }
    }

    /// The count of a piece of at most 15 bytes that the cache does not know.
    ///
    /// Kept apart: inlined, its variables push those of the loop out of the registers.
    #[inline(never)]
    fn count_new(&self, hash: u64, key: u128, length: usize, cache: &mut Cache) -> usize {
        let count = if self.vocabulary.rank_of_key(hash, key).is_some() {
            1
        } else {
            merge::count(&self.pairs, &key.to_le_bytes()[..length])
        };
        cache.keep_short(hash, key, count);
        count
    }

    /// The count of a piece of at least 16 bytes.
    #[inline(never)]
    fn count_long(&self, text: &[u8], start: usize, end: usize, cache: &mut Cache) -> usize {
        if end - start > cache::LONGEST {
            return self.count_parts(text, start, end, cache);
        }
        let long = Long::new(text, start, end - start);
        match cache.long(&long) {
            0 => {
                let count = self.count_parts(text, start, end, cache);
                cache.keep_long(&long, count);
                count
            }
            count => count,
        }
    }

    /// The count of a piece of at least 16 bytes, cut at its seams.
    fn count_parts(&self, text: &[u8], start: usize, end: usize, cache: &mut Cache) -> usize {
        let mut total = 0;
        let mut part = start;
        let mut searched = start;
        while searched < end {
            let base = searched;
            let mut seams;
            (seams, searched) = self.seams.between(text, base, end);
            while seams != 0 {
                let seam = base + seams.trailing_zeros() as usize;
                seams &= seams - 1;
                total += self.count_part(text, part, seam, cache);
                part = seam;
            }
        }
        total + self.count_part(text, part, end, cache)
    }

    /// The count of a part without a seam.
    #[inline]
    fn count_part(&self, text: &[u8], start: usize, end: usize, cache: &mut Cache) -> usize {
        if end - start <= LONGEST_KEY {
            self.count_short(text, start, end - start, cache)
        } else {
            self.count_seamless(&text[start..end])
        }
    }

    /// The count of at least 16 bytes without a seam.
    fn count_seamless(&self, part: &[u8]) -> usize {
        if self.vocabulary.rank(part).is_some() {
            return 1;
        }
        let mut ranks = Vec::with_capacity(part.len() / 4);
        split(&self.vocabulary, &self.pairs, part, &mut ranks);
        ranks.len()
    }
}

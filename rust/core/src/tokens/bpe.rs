//! The two encodings and what they can do.

use std::sync::LazyLock;

use super::backtrack::split;
use super::cache::{self, Cache, Long};
use super::merge;
use super::pairs::Pairs;
use super::pretokenize::{Cl100k, O200k, Pattern, Pieces};
use super::seams::Seams;
use super::vocabulary::Vocabulary;
use super::window::{LONGEST_KEY, hash, hash_long, key, window};

/// The names that [`encoding`] knows.
pub const ENCODING_NAMES: &[&str] = &["o200k_base", "cl100k_base"];

static O200K_BASE: LazyLock<Bpe> =
    LazyLock::new(|| Bpe::new(0, Cut::O200k, include_bytes!("../../data/o200k_base.merges")));
static CL100K_BASE: LazyLock<Bpe> =
    LazyLock::new(|| Bpe::new(1, Cut::Cl100k, include_bytes!("../../data/cl100k_base.merges")));

/// The encoding of that name, built by the first caller and shared by all threads.
///
/// `None` for a name that is not one of [`ENCODING_NAMES`].
///
/// ```
/// # use chatfold_core::tokens;
/// assert!(tokens::encoding("cl100k_base").is_some());
/// assert!(tokens::encoding("p50k_base").is_none());
/// ```
pub fn encoding(name: &str) -> Option<&'static Bpe> {
    match name {
        "o200k_base" => Some(&O200K_BASE),
        "cl100k_base" => Some(&CL100K_BASE),
        _ => None,
    }
}

/// Which published pattern cuts the text.
#[derive(Clone, Copy)]
enum Cut {
    O200k,
    Cl100k,
}

/// A byte-pair encoding: counts and encodes text exactly as its publisher's library does.
///
/// Immutable and shared; each thread keeps a small cache of recent pieces beside it. All operations
/// are linear in the length of the text.
pub struct Bpe {
    index: usize,
    cut: Cut,
    vocabulary: Vocabulary,
    pairs: Pairs,
    seams: Seams,
}

impl std::fmt::Debug for Bpe {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bpe").field("name", &self.name()).finish_non_exhaustive()
    }
}

impl Bpe {
    fn new(index: usize, cut: Cut, data: &[u8]) -> Self {
        let vocabulary = Vocabulary::new(data);
        let pairs = Pairs::new(&vocabulary);
        let seams = Seams::new(&vocabulary);
        Self { index, cut, vocabulary, pairs, seams }
    }

    /// The name of the encoding.
    ///
    /// ```
    /// # use chatfold_core::tokens;
    /// assert_eq!(tokens::encoding("o200k_base").unwrap().name(), "o200k_base");
    /// ```
    pub fn name(&self) -> &'static str {
        ENCODING_NAMES[self.index]
    }

    /// The number of tokens of a text.
    ///
    /// ```
    /// # use chatfold_core::tokens;
    /// let bpe = tokens::encoding("o200k_base").unwrap();
    /// assert_eq!(bpe.count("long histories fit"), 3);
    /// assert_eq!(bpe.count(""), 0);
    /// ```
    pub fn count(&self, text: &str) -> usize {
        // No text has more tokens than bytes.
        self.count_up_to(text, text.len()).unwrap_or(text.len())
    }

    /// The number of tokens of a text, or `None` as soon as it is known to be above `limit`.
    ///
    /// ```
    /// # use chatfold_core::tokens;
    /// let bpe = tokens::encoding("o200k_base").unwrap();
    /// assert_eq!(bpe.count_up_to("long histories fit", 3), Some(3));
    /// assert_eq!(bpe.count_up_to("long histories fit", 2), None);
    /// ```
    pub fn count_up_to(&self, text: &str, limit: usize) -> Option<usize> {
        if self.surely_above(text.len(), limit) {
            return None;
        }
        Cache::lend(self.index, |cache| match self.cut {
            Cut::O200k => self.count_pieces::<O200k>(text.as_bytes(), limit, cache),
            Cut::Cl100k => self.count_pieces::<Cl100k>(text.as_bytes(), limit, cache),
        })
    }

    /// The ranks of the tokens of a text.
    ///
    /// ```
    /// # use chatfold_core::tokens;
    /// let bpe = tokens::encoding("o200k_base").unwrap();
    /// assert_eq!(bpe.encode("hello world"), [24912, 2375]);
    /// ```
    pub fn encode(&self, text: &str) -> Vec<u32> {
        let mut ranks = Vec::with_capacity(text.len() / 4);
        let mut scratch = Vec::new();
        for piece in self.pieces(text) {
            if let Some(rank) = self.vocabulary.rank(piece.as_bytes()) {
                ranks.push(rank);
            } else {
                split(&self.vocabulary, &self.pairs, piece.as_bytes(), &mut scratch);
                ranks.extend_from_slice(&scratch);
            }
        }
        ranks
    }

    /// The pieces of a text; no token crosses the border between two of them.
    ///
    /// ```
    /// # use chatfold_core::tokens;
    /// let bpe = tokens::encoding("o200k_base").unwrap();
    /// assert!(bpe.pieces("It's 2026!").eq(["It's", " ", "202", "6", "!"]));
    /// ```
    pub fn pieces<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t str> + use<'t> {
        let mut pieces = match self.cut {
            Cut::O200k => Either::O200k(Pieces::new(text.as_bytes())),
            Cut::Cl100k => Either::Cl100k(Pieces::new(text.as_bytes())),
        };
        std::iter::from_fn(move || {
            let (start, end) = match &mut pieces {
                Either::O200k(pieces) => pieces.next()?,
                Either::Cl100k(pieces) => pieces.next()?,
            };
            Some(&text[start..end])
        })
    }

    /// The length of the longest token in bytes.
    ///
    /// A text of `n` bytes has at least `n.div_ceil(longest_token())` and at most `n` tokens.
    ///
    /// ```
    /// # use chatfold_core::tokens;
    /// assert_eq!(tokens::encoding("o200k_base").unwrap().longest_token(), 128);
    /// ```
    pub fn longest_token(&self) -> usize {
        self.vocabulary.longest()
    }

    /// The ordinary tokens with their ranks, in the order of the ranks.
    ///
    /// ```
    /// # use chatfold_core::tokens;
    /// let bpe = tokens::encoding("o200k_base").unwrap();
    /// assert_eq!(bpe.vocabulary().count(), 199_998);
    /// assert_eq!(bpe.vocabulary().nth(24_912), Some((&b"hello"[..], 24_912)));
    /// ```
    pub fn vocabulary(&self) -> impl Iterator<Item = (&[u8], u32)> {
        (0..).take(self.vocabulary.len()).map(|rank| (self.vocabulary.bytes(rank), rank))
    }

    fn surely_above(&self, bytes: usize, limit: usize) -> bool {
        bytes.div_ceil(self.vocabulary.longest()) > limit
    }

    fn count_pieces<P: Pattern>(
        &self,
        text: &[u8],
        limit: usize,
        cache: &mut Cache,
    ) -> Option<usize> {
        let mut total = 0;
        let mut pieces = Pieces::<P>::new(text);
        while let Some((start, end)) = pieces.next() {
            let length = end - start;
            if length <= LONGEST_KEY {
                total += self.count_short(text, start, length, cache);
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
        Some(total)
    }

    /// The count of a piece of at most 15 bytes.
    #[inline(always)]
    fn count_short(&self, text: &[u8], start: usize, length: usize, cache: &mut Cache) -> usize {
        let key = key(window(text, start), length);
        let hash = hash(key);
        match cache.short(hash, key) {
            0 => self.count_new(hash, key, length, cache),
            count => count,
        }
    }

    /// The count of a piece of at most 15 bytes that the cache does not know.
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
        let mut from = start;
        let mut searched = start;
        while from < end {
            let mut seams = self.seams.between(text, searched, end);
            let base = searched;
            if end - base < 64 {
                seams |= 1 << (end - base);
                searched = end;
            } else if seams == 0 {
                searched = base + 56;
                while text[searched] & 0xC0 == 0x80 {
                    searched += 1;
                }
            }
            while seams != 0 {
                let at = base + seams.trailing_zeros() as usize;
                seams &= seams - 1;
                total += self.count_part(text, from, at, cache);
                from = at;
                searched = at;
            }
        }
        total
    }

    /// The count of a part without a seam.
    #[inline(always)]
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

/// The pieces of a text in one of the two ways.
enum Either<'t> {
    O200k(Pieces<'t, O200k>),
    Cl100k(Pieces<'t, Cl100k>),
}

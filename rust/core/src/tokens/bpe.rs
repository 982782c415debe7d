//! The two encodings and what they can do.

use std::sync::LazyLock;

use super::backtrack::split;
use super::cache::Cache;
use super::pairs::Pairs;
use super::pretokenize::{Cl100k, O200k, Pieces};
use super::seams::Seams;
use super::vocabulary::Vocabulary;

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
    pub(super) vocabulary: Vocabulary,
    pub(super) pairs: Pairs,
    pub(super) seams: Seams,
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
}

/// The pieces of a text in one of the two ways.
enum Either<'t> {
    O200k(Pieces<'t, O200k>),
    Cl100k(Pieces<'t, Cl100k>),
}

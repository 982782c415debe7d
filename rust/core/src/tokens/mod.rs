//! Exact token counts for the `o200k_base` and `cl100k_base` vocabularies.
//!
//! [`encoding`] hands out a shared [`Bpe`]; [`Bpe::count`] is what the rest of the crate needs and
//! [`Bpe::count_up_to`] stops as soon as a budget is blown.
//!
//! ```
//! use chatfold_core::tokens;
//!
//! let name = tokens::encoding_for_model("gpt-4o-mini").expect("a known model");
//! let bpe = tokens::encoding(name).expect("an encoding of this crate");
//! assert_eq!(bpe.count("hello world"), 2);
//! assert_eq!(bpe.count_up_to("hello world", 1), None);
//! ```
//!
//! A count takes three steps, each in files of its own:
//!
//! 1. `pretokenize` cuts the text into pieces, as the encoding's published regular expression would.
//!    No regular expression runs: ASCII is decided 64 bytes at a time, the rest by a class table.
//! 2. `cache` knows the counts of pieces seen lately on this thread, `vocabulary` whether a piece is
//!    one token.
//! 3. `unseen` takes pieces of up to 15 bytes some at a time: most of them are one token, or two that may
//!    touch; `merge` splits the others. Longer ones are cut at their `seams` first; what is
//!    still long goes to `backtrack`, and what would take long there to `queue`.
//!
//! Time is linear in the length of the text, but for `queue`, which is O(n log n); memory beside the
//! tables is a fixed cache per thread, and the tokens of the longest piece.
//!
//! Text that spells a special token (`<|endoftext|>`) is ordinary text here.
//!
//! # Performance notes
//!
//! MB/s on one thread of a Xeon at 2 to 3 GHz that others used as well, best of 80, measured
//! 2026-11-30 with `cargo bench -p chatfold-core --bench tokens` and its like on larger corpora
//! (o200k / cl100k): prose 637 / 684, agent histories 585 / 653, JSON 384 / 386, Python source 339 / 364,
//! Chinese 203 / 217, Japanese 169 / 199, Russian 169 / 189, Arabic 219 / 244, emoji 193 / 196, base64
//! 62 / 56. First use takes 22 ms / 10 ms.
//!
//! What paid, in MB/s before and after, o200k:
//! * finding the pieces of 64 bytes at once instead of one after the other: prose 311 → 497. The chain from one
//!   end to the next start is 30 cycles, and most ends are mispredicted;
//! * keeping misses out of line in the counting loop, and slots in arrays of known size: JSON 335 → 384;
//! * merges for pieces of up to 15 bytes instead of backtracking: base64 14 → 45, and 53 → 59 without
//!   reading, as vectors, ranks that were just written one by one;
//! * seams: Japanese 68 → 95, emoji 41 → 125 on a slower day, Japanese 138 → 158 when seams are found
//!   before any is used;
//! * fingerprints in front of the tables' slots: most lookups ask for pairs that do not merge;
//! * not looking at a block that starts with other scripts: Russian 93 → 116;
//! * looking up new pieces 16 at a time, and guessing that they are two tokens, on words that hardly repeat:
//!   European 78 → 86, English 81 → 86, Arabic with the next two 77 → 86; what never misses loses 1 to 5 %;
//! * two places in the cache for a long piece: Russian 5 % more;
//! * runs of two-byte letters in a loop of their own: Russian 8 % more in one run, nothing in another;
//! * splitting very long pieces a stretch of 2 kB at a time, in the nearest caches: a million slashes took
//!   1.7 s, and take 0.5 s;
//! * a cache of 2^15 short pieces instead of 2^14: code 125 → 181; 2^17 gave 10 % more for 2 MB a thread.
//!
//! What did not, and is not here:
//! * merging pieces of 16 to 31 bytes like shorter ones (Russian 93 → 86);
//! * two places in the cache for a short piece (European 75 → 71, English prose 269 → 212);
//! * gathering new pieces without a branch on what the cache knows (code 226 → 199), or 8 of them;
//! * guessing two tokens for one piece at a time (English prose 239 → 212), and trying first parts of less
//!   than half (Russian 5 % more, but Arabic with `cl100k_base` 7 % less);
//! * remembering which pairs of tokens may touch (within the noise);
//! * caching pieces of up to 62 bytes in slots compared by `memcmp` (Arabic 148, against 212 with two words);
//! * `#[inline(always)]` (the same code, and a lint against it);
//! * a filter of the possible borders in the data, an automaton for longest matches, tables laid out in
//!   the data: not tried, since each adds megabytes to every wheel.
//!
//! What is left is mostly memory: one look at a table of 5 MB for a piece that is new and a token, two
//! for each merge.

mod backtrack;
mod bpe;
mod cache;
mod count;
mod count_cache;
mod estimator;
mod lanes;
mod lengths;
mod merge;
mod models;
mod pairs;
mod pretokenize;
mod queue;
mod seams;
mod table;
mod unicode;
mod unseen;
mod vocabulary;
mod window;

pub use bpe::{Bpe, ENCODING_NAMES, encoding};
pub use count_cache::{CountCache, CountCacheInfo};
pub use estimator::Estimator;
pub use models::encoding_for_model;

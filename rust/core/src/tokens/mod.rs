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
//! A count takes three steps, each in a file of its own:
//!
//! 1. `pretokenize` cuts the text into pieces, as the encoding's published regular expression would.
//!    No regular expression runs: ASCII is decided 16 bytes at a time, the rest by a class table.
//! 2. `cache` knows the counts of pieces seen lately on this thread, `vocabulary` whether a piece is
//!    one token.
//! 3. `backtrack` splits the other pieces in time linear in their length.
//!
//! Text that spells a special token (`<|endoftext|>`) is ordinary text here.

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
mod vocabulary;
mod window;

pub use bpe::{Bpe, ENCODING_NAMES, encoding};
pub use count_cache::{CountCache, CountCacheInfo};
pub use estimator::Estimator;
pub use models::encoding_for_model;

//! Cuts a text into the pieces that are tokenized independently of each other.
//!
//! Each encoding publishes a regular expression whose successive matches are the pieces. Both are
//! written out by hand here, each twice: for 16 bytes of ASCII at once ([`Pattern::in_window`]), and
//! for everything, character by character ([`Pattern::end`]). Neither looks at a character more often
//! than a fixed number of times per piece, so the cut is linear; the published expressions backtrack.

mod cl100k;
mod common;
mod contraction;
mod masks;
mod o200k;


pub(super) use cl100k::Cl100k;
pub(super) use o200k::O200k;

/// A published pattern.
pub(super) trait Pattern {
    /// The length of the piece that starts with this window; 0 if the window does not tell.
    ///
    /// It does not tell about pieces of 16 bytes or more, nor where one ends at a character that is
    /// not ASCII or is the end of the text.
    fn in_window(window: u128) -> usize;

    /// Where the piece that starts at `at` ends; the end of the text only at the end of the text.
    fn end(text: &[u8], at: usize) -> usize;
}

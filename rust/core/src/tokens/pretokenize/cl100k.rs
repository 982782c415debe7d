//! The pattern of `cl100k_base`:
//!
//! ```text
//! '(?i:[sdmt]|ll|ve|re)
//! [^\r\n\p{L}\p{N}]?+\p{L}++
//! \p{N}{1,3}+
//!  ?[^\s\p{L}\p{N}]++[\r\n]*+
//! \s++$ | \s*[\r\n] | \s+(?!\S) | \s
//! ```

use super::block::{BLOCK, Block};
use super::{Pattern, common, contraction};
use crate::tokens::unicode::{self, LETTER, LINE_END, MARK, NUMBER, OTHER, class_at};

/// `cl100k_base`.
pub(in crate::tokens) struct Cl100k;

impl Pattern for Cl100k {
    #[inline]
    fn starts(block: &mut Block, bytes: &[u8; BLOCK]) -> u64 {
        // A single sign before letters may be the apostrophe of a contraction.
        let before_letters = block.first_signs() & block.letters() >> 1;
        let mut starts = block.starts();
        contraction::for_each(before_letters, bytes, |_, end| starts |= end);
        starts
    }

    #[inline(never)]
    fn end(text: &[u8], at: usize) -> usize {
        let contraction = contraction::length(text, at);
        if contraction > 0 {
            return at + contraction;
        }
        let (class, length) = class_at(text, at);
        let after = at + length;
        let word = if class & LETTER != 0 { at } else { after };
        if class & (LINE_END | NUMBER) == 0 {
            let end = unicode::run(text, word, LETTER);
            if end > word {
                return end;
            }
        }
        if class == NUMBER {
            return common::end_of_number(text, at);
        }
        let signs = if text.get(at) == Some(&b' ') { after } else { at };
        let end = unicode::run(text, signs, OTHER | MARK);
        if end > signs {
            return unicode::run(text, end, LINE_END);
        }
        let blank = common::Blank::at(text, at);
        match blank.line_end {
            Some(line_end) if blank.end < text.len() => line_end,
            _ => blank.without_line_end(text, at),
        }
    }
}

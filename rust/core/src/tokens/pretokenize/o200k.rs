//! The pattern of `o200k_base`, with `U` for `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`, `L` for
//! `[\p{Ll}\p{Lm}\p{Lo}\p{M}]` and `C` for the contractions:
//!
//! ```text
//! [^\r\n\p{L}\p{N}]?U*L+C?
//! [^\r\n\p{L}\p{N}]?U+L*C?
//! \p{N}{1,3}
//!  ?[^\s\p{L}\p{N}]+[\r\n/]*
//! \s*[\r\n]+ | \s+(?!\S) | \s+
//! ```
//!
//! In ASCII the first two lines are capitals, then small letters, at least one of either. Beyond,
//! letters without case and marks belong to both sets, which the expression settles by backtracking
//! and [`word`] by remembering one position.

use super::block::{BLOCK, Block};
use super::{Pattern, common, contraction};
use crate::tokens::unicode::{
    self, CASELESS, LETTER, LINE_END, LOWER, MARK, NUMBER, OTHER, UPPER, class_at,
};

/// `o200k_base`.
pub(in crate::tokens) struct O200k;

impl Pattern for O200k {
    #[inline]
    fn starts(block: &mut Block, bytes: &[u8; BLOCK]) -> u64 {
        // Slashes among the line ends after signs are too rare for a rule.
        let slashes = block.after_signs_and_line_ends() & block.signs();
        block.forget(slashes);
        let mut starts = block.starts() | (block.upper & block.lower << 1);
        let mut last_end = 0;
        let after_letters = block.first_signs() & block.letters() << 1 & block.letters() >> 1;
        contraction::for_each(after_letters, bytes, |start, end| {
            // In `it's's` the second one stands alone.
            if start != last_end {
                starts = starts & !end.wrapping_sub(start) | end;
                last_end = end;
            }
        });
        starts
    }

    #[inline(never)]
    fn end(text: &[u8], at: usize) -> usize {
        if let Some(end) = word_with_prefix(text, at) {
            return end + contraction::length(text, end);
        }
        let (class, length) = class_at(text, at);
        if class == NUMBER {
            return common::end_of_number(text, at);
        }
        let signs = if text.get(at) == Some(&b' ') { at + length } else { at };
        let mut end = unicode::run(text, signs, OTHER | MARK);
        if end > signs {
            while matches!(text.get(end), Some(b'\r' | b'\n' | b'/')) {
                end += 1;
            }
            return end;
        }
        let blank = common::Blank::at(text, at);
        blank.line_end.unwrap_or_else(|| blank.without_line_end(text, at))
    }
}

/// The word at `at`, with one sign before it if it has one; without contraction.
///
/// Both lines with the sign go before both without it only in part: a mark can be the sign or the
/// word's beginning, so the order of the expression is kept here.
fn word_with_prefix(text: &[u8], at: usize) -> Option<usize> {
    let (class, length) = class_at(text, at);
    if class & (LETTER | NUMBER | LINE_END) != 0 || class == 0 {
        let word = word(text, at);
        return word.first_line.or(word.second_line);
    }
    let after = word(text, at + length);
    if class != MARK {
        return after.first_line.or(after.second_line);
    }
    let from_mark = word(text, at);
    after.first_line.or(from_mark.first_line).or(after.second_line).or(from_mark.second_line)
}

/// What the letters from a position on give: `U*L+` and `U+L*`.
struct Word {
    first_line: Option<usize>,
    second_line: Option<usize>,
}

/// `U*` takes what it can. If a member of `L` follows, `L+` goes on from there. If not, `U*` gives back
/// as much as it must for `L+` to have one character: its last one without case.
fn word(text: &[u8], at: usize) -> Word {
    let mut capitals = at;
    let mut caseless_end = None;
    loop {
        let (class, length) = class_at(text, capitals);
        if class & (UPPER | CASELESS | MARK) == 0 {
            break;
        }
        capitals += length;
        if class != UPPER {
            capitals = unicode::run(text, capitals, CASELESS | MARK);
            caseless_end = Some(capitals);
        }
    }
    let end = unicode::run(text, capitals, LOWER | CASELESS | MARK);
    Word {
        first_line: if end > capitals { Some(end) } else { caseless_end },
        second_line: (capitals > at).then_some(end),
    }
}

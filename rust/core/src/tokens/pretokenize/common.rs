//! The parts that both patterns share, character by character: numbers and white space.

use crate::tokens::unicode::{LINE_END, NUMBER, SPACE, class_at};

/// `\p{N}{1,3}`
pub(super) fn end_of_number(text: &[u8], at: usize) -> usize {
    let mut end = at;
    for _ in 0..3 {
        let (class, length) = class_at(text, end);
        if class != NUMBER {
            break;
        }
        end += length;
    }
    end
}

/// A run of white space.
pub(super) struct Blank {
    /// The end of the run.
    pub(super) end: usize,
    /// The end of its last line end, if it has one.
    pub(super) line_end: Option<usize>,
    /// The start of its last character.
    last: usize,
}

impl Blank {
    /// The run that starts at `at`.
    pub(super) fn at(text: &[u8], at: usize) -> Self {
        let mut blank = Self { end: at, line_end: None, last: at };
        loop {
            let (class, length) = class_at(text, blank.end);
            if class & (SPACE | LINE_END) == 0 {
                return blank;
            }
            blank.last = blank.end;
            blank.end += length;
            if class == LINE_END {
                blank.line_end = Some(blank.end);
            }
        }
    }

    /// `\s+(?!\S)|\s+`, for the run that started at `at`.
    pub(super) fn without_line_end(&self, text: &[u8], at: usize) -> usize {
        if self.end == text.len() || self.last == at { self.end } else { self.last }
    }
}

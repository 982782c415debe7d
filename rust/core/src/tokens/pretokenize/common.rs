//! The parts that both patterns share: numbers, signs and white space.

use super::masks::{digits, first, has, line_ends, run, spaces, unknown};
use crate::tokens::lanes::equal;
use crate::tokens::unicode::{LINE_END, NUMBER, SPACE, class_at};

/// The piece that starts with this window where no word does; 0 if the window does not tell.
///
/// `SLASH` says whether slashes may follow signs among the line ends.
#[inline(always)]
pub(super) fn in_window<const SLASH: bool>(window: u128, letters: u32) -> u32 {
    let unknown = unknown(window);
    let digits = digits(window);
    let number = run(digits, 0);
    if number > 0 {
        return if number >= 3 { 3 } else if has(unknown, number) { 0 } else { number };
    }
    let spaces = spaces(window);
    let start = u32::from(first(window) == b' ');
    let signs = run(!(letters | digits | spaces | unknown) & 0xFFFF, start);
    if signs > 0 {
        let mut ends = line_ends(window);
        if SLASH {
            ends |= equal(window, b'/');
        }
        let signs = start + signs;
        let end = signs + run(ends, signs);
        return if has(unknown, end) { 0 } else { end };
    }
    blank_in_window(window, spaces, unknown)
}

/// `\s*[\r\n]+|\s+(?!\S)|\s+`: through the last line end of the run; without one, all but the last
/// character, which is left to the next piece; a single one stands alone.
#[inline(always)]
fn blank_in_window(window: u128, spaces: u32, unknown: u32) -> u32 {
    let blank = run(spaces, 0);
    if blank == 0 || has(unknown, blank) {
        return 0;
    }
    let ends = line_ends(window) & ((1 << blank) - 1);
    if ends != 0 { 32 - ends.leading_zeros() } else { (blank - 1).max(1) }
}

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

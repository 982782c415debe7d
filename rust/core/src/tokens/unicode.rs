//! The classes of code points that the published patterns tell apart.
//!
//! `data/unicode.classes` is a two-level table of Unicode 16: 8,704 page numbers, then pages of 128
//! classes, one byte each. 38 kB, constant time, nothing to build. A test derives the same classes
//! from a regular-expression engine, for every code point.

/// `\p{Lu}` or `\p{Lt}`.
pub(super) const UPPER: u8 = 1;
/// `\p{Ll}`.
pub(super) const LOWER: u8 = 2;
/// `\p{Lm}` or `\p{Lo}`.
pub(super) const CASELESS: u8 = 4;
/// `\p{M}`.
pub(super) const MARK: u8 = 8;
/// `\p{N}`.
pub(super) const NUMBER: u8 = 16;
/// `\s`, but for line ends.
pub(super) const SPACE: u8 = 32;
/// `\r` or `\n`.
pub(super) const LINE_END: u8 = 64;
/// Everything else.
pub(super) const OTHER: u8 = 128;

/// `\p{L}`.
pub(super) const LETTER: u8 = UPPER | LOWER | CASELESS;

const PAGE: usize = 128;
const PAGES: usize = 0x11_0000 / PAGE;
static DATA: &[u8] = include_bytes!("../../data/unicode.classes");

/// The class of a code point.
#[inline]
fn class(code_point: usize) -> u8 {
    let page = DATA[code_point / PAGE] as usize;
    DATA[PAGES + page * PAGE + code_point % PAGE]
}

/// The class and the length in bytes of the character at `at`; class 0 at the end of the text.
///
/// `text` is valid UTF-8 and `at` the start of a character or the end.
#[inline]
pub(super) fn class_at(text: &[u8], at: usize) -> (u8, usize) {
    let Some(&first) = text.get(at) else { return (0, 0) };
    let first = first as usize;
    if first < 0x80 {
        return (DATA[PAGES + first], 1); // the first page comes first
    }
    let tail = |n: usize| text.get(at + n).map_or(0, |&byte| byte as usize & 0x3F);
    if first < 0xE0 {
        (class((first & 0x1F) << 6 | tail(1)), 2)
    } else if first < 0xF0 {
        (class((first & 0x0F) << 12 | tail(1) << 6 | tail(2)), 3)
    } else {
        (class((first & 0x07) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3)), 4)
    }
}

/// Where the run of characters of these classes that starts at `at` ends.
#[inline]
pub(super) fn run(text: &[u8], mut at: usize, classes: u8) -> usize {
    loop {
        let (class, length) = class_at(text, at);
        if class & classes == 0 {
            return at;
        }
        at += length;
    }
}

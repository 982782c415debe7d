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
static DATA: &[u8; 38_144] = include_bytes!("../../data/unicode.classes");

/// The classes of the characters of one or two bytes, which need no second level.
static LOW: [u8; 0x800] = {
    let mut low = [0; 0x800];
    let mut code_point = 0;
    while code_point < low.len() {
        low[code_point] = DATA[PAGES + DATA[code_point / PAGE] as usize * PAGE + code_point % PAGE];
        code_point += 1;
    }
    low
};

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
    let tail = |byte: u8| usize::from(byte & 0x3F);
    match text.get(at..) {
        Some([first @ ..0x80, ..]) => (LOW[usize::from(*first)], 1),
        Some([first @ ..0xE0, second, ..]) => {
            (LOW[usize::from(first & 0x1F) << 6 | tail(*second)], 2)
        }
        Some([first @ ..0xF0, second, third, ..]) => {
            (class(usize::from(first & 0x0F) << 12 | tail(*second) << 6 | tail(*third)), 3)
        }
        Some([first, second, third, fourth, ..]) => {
            let high = usize::from(first & 0x07) << 18 | tail(*second) << 12;
            (class((high | tail(*third) << 6 | tail(*fourth)).min(0x10_FFFF)), 4)
        }
        _ => (0, 0),
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
        if length != 2 {
            continue;
        }
        // Two bytes in a loop of their own: the next step need not wait for the length of this one.
        while let Some([first @ 0xC0..0xE0, second]) = text.get(at..).and_then(<[u8]>::first_chunk)
        {
            if LOW[usize::from(first & 0x1F) << 6 | usize::from(second & 0x3F)] & classes == 0 {
                return at;
            }
            at += 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use fancy_regex::Regex;

    use super::{CASELESS, LINE_END, LOWER, MARK, NUMBER, OTHER, SPACE, UPPER, class_at};

    #[test]
    fn every_code_point_is_in_the_class_that_a_regex_engine_puts_it_in() {
        let text: String = ('\0'..=char::MAX).collect();
        let mut classes = vec![OTHER; 0x11_0000];
        for (class, pattern) in [
            (UPPER, r"[\p{Lu}\p{Lt}]+"),
            (LOWER, r"\p{Ll}+"),
            (CASELESS, r"[\p{Lm}\p{Lo}]+"),
            (MARK, r"\p{M}+"),
            (NUMBER, r"\p{N}+"),
            (SPACE, r"[\s&&[^\r\n]]+"),
            (LINE_END, r"[\r\n]+"),
        ] {
            for run in Regex::new(pattern).unwrap().find_iter(&text) {
                for character in run.unwrap().as_str().chars() {
                    classes[character as usize] = class;
                }
            }
        }
        let mut at = 0;
        for character in text.chars() {
            let expected = (classes[character as usize], character.len_utf8());
            assert_eq!(class_at(text.as_bytes(), at), expected, "U+{:04X}", character as u32);
            at += character.len_utf8();
        }
        assert_eq!(class_at(text.as_bytes(), at), (0, 0));
    }
}

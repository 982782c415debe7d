//! The classes of 16 ASCII bytes as bit sets, and runs in them.

use crate::tokens::lanes::{beyond_ascii, equal, within};

/// Bytes of a window that say nothing: not ASCII, or zero, which also stands for the end of the text.
#[inline(always)]
pub(super) fn unknown(window: u128) -> u32 {
    beyond_ascii(window) | equal(window, 0)
}

/// `[A-Za-z]`.
#[inline(always)]
pub(super) fn letters(window: u128) -> u32 {
    within(window | u128::from_le_bytes([0x20; 16]), b'a', b'z')
}

/// `\s`.
#[inline(always)]
pub(super) fn spaces(window: u128) -> u32 {
    equal(window, b' ') | within(window, b'\t', b'\r')
}

/// `[\r\n]`.
#[inline(always)]
pub(super) fn line_ends(window: u128) -> u32 {
    equal(window, b'\r') | equal(window, b'\n')
}

/// `[0-9]`.
#[inline(always)]
pub(super) fn digits(window: u128) -> u32 {
    within(window, b'0', b'9')
}

/// The length of the run of set bits from `at` on.
#[inline(always)]
pub(super) fn run(set: u32, at: u32) -> u32 {
    (set >> at).trailing_ones()
}

/// Is the bit at `at` set, or is `at` outside the window?
#[inline(always)]
pub(super) fn has(set: u32, at: u32) -> bool {
    (set | !0xFFFF) >> at & 1 != 0
}

/// The first byte.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "the first byte is taken")]
pub(super) fn first(window: u128) -> u8 {
    window as u8
}

/// 1 if the first byte may stand before the letters of a word (`[^\r\n\p{L}\p{N}]` of ASCII), or 0.
#[inline(always)]
pub(super) fn prefix(window: u128) -> u32 {
    u32::from(PREFIX[first(window) as usize])
}

static PREFIX: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0_u8;
    while byte < 0x80 {
        table[byte as usize] = !byte.is_ascii_alphanumeric() && byte != b'\r' && byte != b'\n';
        byte += 1;
    }
    table
};

//! `(?i:'s|'t|'re|'ve|'m|'ll|'d)`

/// The length of the contraction at `at`, or 0.
///
/// Case folding is Unicode's: `ſ` (U+017F, the long s) counts as an `s`; the other letters have no
/// further forms.
#[inline]
pub(super) fn length(text: &[u8], at: usize) -> usize {
    let Some([b'\'', rest @ ..]) = text.get(at..) else { return 0 };
    match *rest {
        [letter, ..] if is_single(letter) => 2,
        [first, second, ..] if is_double(first, second) || [first, second] == LONG_S => 3,
        _ => 0,
    }
}

/// The length of the contraction that starts with these bytes, an apostrophe first; or 0.
///
/// Knows nothing of the long s: its caller must not ask where a byte is not ASCII.
#[inline(always)]
pub(super) fn length_of(bytes: [u8; 4]) -> u32 {
    let [_, first, second, _] = bytes;
    if is_single(first) {
        2
    } else if is_double(first, second) {
        3
    } else {
        0
    }
}

const LONG_S: [u8; 2] = [0xC5, 0xBF];

#[inline(always)]
fn is_single(letter: u8) -> bool {
    matches!(letter | 0x20, b's' | b't' | b'm' | b'd')
}

#[inline(always)]
fn is_double(first: u8, second: u8) -> bool {
    matches!((first | 0x20, second | 0x20), (b'r' | b'v', b'e') | (b'l', b'l'))
}

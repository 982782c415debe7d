//! `(?i:'s|'t|'re|'ve|'m|'ll|'d)`

use super::block::BLOCK;

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

/// Calls `found` with each position of the set at which a contraction starts, and where it ends; both
/// as a bit.
///
/// The last bytes of a block are left out: nothing there is certain.
#[inline]
pub(super) fn for_each(mut candidates: u64, bytes: &[u8; BLOCK], mut found: impl FnMut(u64, u64)) {
    while candidates != 0 {
        let at = candidates.trailing_zeros() as usize;
        let start = candidates & candidates.wrapping_neg();
        candidates &= candidates - 1;
        if let Some([b'\'', first, second]) = bytes[at..].first_chunk::<3>() {
            if is_single(*first) {
                found(start, start << 2);
            } else if is_double(*first, *second) {
                found(start, start << 3);
            }
        }
    }
}

const LONG_S: [u8; 2] = [0xC5, 0xBF];

#[inline]
fn is_single(letter: u8) -> bool {
    matches!(letter | 0x20, b's' | b't' | b'm' | b'd')
}

#[inline]
fn is_double(first: u8, second: u8) -> bool {
    matches!((first | 0x20, second | 0x20), (b'r' | b'v', b'e') | (b'l', b'l'))
}

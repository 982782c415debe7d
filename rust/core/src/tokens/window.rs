//! Sixteen bytes of text in a register, and the packed keys made from them.
//!
//! A *window* holds the 16 bytes from a position on, little-endian, zeros past the end of the text.
//! A *key* holds a string of 1 to 15 bytes exactly: its bytes, zeros, and its length in the top byte.

/// Bytes in a window.
pub(super) const WIDTH: usize = 16;

/// The longest string that fits a key.
pub(super) const LONGEST_KEY: usize = WIDTH - 1;

/// The window at `at`; reads nothing past the end of `text`.
#[inline]
pub(super) fn window(text: &[u8], at: usize) -> u128 {
    match text.get(at..).and_then(|rest| rest.first_chunk::<WIDTH>()) {
        Some(chunk) => u128::from_le_bytes(*chunk),
        None => last_window(text, at),
    }
}

/// The window of fewer than 16 remaining bytes.
#[inline]
fn last_window(text: &[u8], at: usize) -> u128 {
    let rest = text.get(at..).unwrap_or_default();
    if let Some(chunk) = text.last_chunk::<WIDTH>() {
        // One load and a shift; a copy of `rest` is a call to memcpy.
        let missing = WIDTH - rest.len();
        return if missing == WIDTH { 0 } else { u128::from_le_bytes(*chunk) >> (8 * missing) };
    }
    let mut chunk = [0; WIDTH];
    chunk[..rest.len()].copy_from_slice(rest);
    u128::from_le_bytes(chunk)
}

/// The key of the first `length` bytes of a window; `length` is 1 to 15.
#[inline]
pub(super) fn key(window: u128, length: usize) -> u128 {
    (window & KEEP[length]) | ((length as u128) << 120)
}

/// `KEEP[n]` keeps the first `n` bytes of a window.
static KEEP: [u128; WIDTH] = {
    let mut keep = [0; WIDTH];
    let mut length = 1;
    while length < WIDTH {
        keep[length] = (1 << (8 * length)) - 1;
        length += 1;
    }
    keep
};

/// A hash of which every bit depends on every bit of the key: one wide multiplication, folded.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the halves are taken on purpose")]
pub(super) fn hash(key: u128) -> u64 {
    fold(key as u64 ^ 0x9E37_79B9_7F4A_7C15, (key >> 64) as u64 ^ 0xC2B2_AE3D_27D4_EB4F)
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the halves are taken on purpose")]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a).wrapping_mul(u128::from(b));
    product as u64 ^ (product >> 64) as u64
}

/// A hash of 16 bytes or more.
#[inline]
pub(super) fn hash_long(bytes: &[u8]) -> u64 {
    // Multiplied, lest a length and a first byte cancel out.
    let mut state = (bytes.len() as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let (chunks, _) = bytes.as_chunks::<WIDTH>();
    for chunk in chunks {
        state = hash(u128::from_le_bytes(*chunk) ^ u128::from(state));
    }
    // The last 16 bytes once more, which covers the rest without a copy.
    bytes.last_chunk::<WIDTH>().map_or(state, |chunk| {
        hash(u128::from_le_bytes(*chunk) ^ u128::from(state.rotate_left(32)))
    })
}

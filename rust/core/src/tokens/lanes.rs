//! Questions to all 16 bytes of a window at once; the answers are one bit per byte.

/// Which bytes lie in `low..=high`?
///
/// On x86-64 four instructions of the baseline SSE2; elsewhere arithmetic on two words.
#[inline]
pub(super) fn within(window: u128, low: u8, high: u8) -> u32 {
    #[cfg(target_arch = "x86_64")]
    {
        // SAFETY: SSE2 is part of every x86-64 processor; the function has no other requirement.
        unsafe { sse2::within(window, low, high) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        words::within(window, low, high)
    }
}

/// Which bytes equal `byte`?
#[inline]
pub(super) fn equal(window: u128, byte: u8) -> u32 {
    within(window, byte, byte)
}

#[cfg(target_arch = "x86_64")]
mod sse2 {
    use std::arch::x86_64::{
        _mm_add_epi8, _mm_cmpgt_epi8, _mm_movemask_epi8, _mm_set_epi64x, _mm_set1_epi8,
    };

    /// Moves the range to the bottom of the signed bytes, where one comparison decides.
    #[inline]
    #[target_feature(enable = "sse2")]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        reason = "bytes and halves are reinterpreted, not converted"
    )]
    pub(super) fn within(window: u128, low: u8, high: u8) -> u32 {
        let bytes = _mm_set_epi64x((window >> 64) as i64, window as i64);
        let moved = _mm_add_epi8(bytes, _mm_set1_epi8(0x80_u8.wrapping_sub(low) as i8));
        let above = _mm_cmpgt_epi8(moved, _mm_set1_epi8(0x80_u8.wrapping_add(high - low) as i8));
        !(_mm_movemask_epi8(above) as u32) & 0xFFFF
    }
}

#[cfg(any(test, not(target_arch = "x86_64")))]
mod words {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = 0x8080_8080_8080_8080;

    #[expect(clippy::cast_possible_truncation, reason = "the halves are taken on purpose")]
    pub(super) fn within(window: u128, low: u8, high: u8) -> u32 {
        half(window as u64, low, high) | (half((window >> 64) as u64, low, high) << 8)
    }

    /// Compares seven bits of each byte by carries that cannot leave the byte, then the eighth.
    fn half(word: u64, low: u8, high: u8) -> u32 {
        let in_range = at_least(word, low) & !at_least_next(word, high);
        // Gathers the top bits of the eight bytes in the top byte.
        ((in_range >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32
    }

    /// Tops of the bytes that are `>= bound`.
    fn at_least(word: u64, bound: u8) -> u64 {
        let low_bits = u64::from(bound & 0x7F);
        let carried = ((word & !TOPS) | TOPS) - low_bits * ONES; // top stays iff low 7 bits >= bound's
        if bound < 0x80 { (carried | word) & TOPS } else { carried & word & TOPS }
    }

    fn at_least_next(word: u64, bound: u8) -> u64 {
        if bound == 0xFF { 0 } else { at_least(word, bound + 1) }
    }
}

#[cfg(test)]
mod tests {
    use super::{within, words};

    #[test]
    fn both_ways_agree_with_a_loop() {
        for byte in 0..=255_u8 {
            for (low, high) in
                [(b'a', b'z'), (0, 0), (9, 13), (0x80, 0xFF), (33, 200), (0, 255), (127, 128)]
            {
                let bytes: [u8; 16] = std::array::from_fn(|i| {
                    byte.wrapping_add(u8::try_from(i).unwrap().wrapping_mul(37))
                });
                let expected: u32 =
                    (0..16).filter(|&i| (low..=high).contains(&bytes[i])).map(|i| 1 << i).sum();
                let window = u128::from_le_bytes(bytes);
                assert_eq!(within(window, low, high), expected);
                assert_eq!(words::within(window, low, high), expected);
            }
        }
    }
}

//! What this thread counted lately: piece → number of tokens.
//!
//! Direct-mapped and of fixed size, so bounded and free of housekeeping. A slot holds the whole
//! piece, so a collision costs a recount, never a wrong answer. One cache per thread and encoding
//! (384 kB, of which the operating system provides the pages that are touched): no locks, nothing
//! shared, and no result depends on it.

use std::cell::Cell;

const SHORT_SLOTS: usize = 1 << 14;
const LONG_SLOTS: usize = 1 << 11;

/// The longest piece that is remembered.
pub(super) const LONGEST: usize = 62;

/// Where a short slot holds the count: bits that keys leave free.
const COUNT_SHIFT: u32 = 124;

/// The number of encodings that have a cache.
pub(super) const CACHES: usize = 2;

thread_local! {
    static IDLE: [Cell<Option<Cache>>; CACHES] = const { [Cell::new(None), Cell::new(None)] };
}

/// The counts of recent pieces.
pub(super) struct Cache {
    /// Keys of up to 15 bytes with their count, 1 to 15, in the top four bits; 0 where none is.
    short: Box<[u128]>,
    long: Box<[LongSlot]>,
}

#[derive(Clone, Copy)]
#[repr(align(64))]
struct LongSlot {
    length: u8,
    count: u8,
    bytes: [u8; LONGEST],
}

impl Cache {
    fn new() -> Self {
        let free = LongSlot { length: 0, count: 0, bytes: [0; LONGEST] };
        Self {
            short: vec![0; SHORT_SLOTS].into_boxed_slice(),
            long: vec![free; LONG_SLOTS].into_boxed_slice(),
        }
    }

    /// Lends this thread's cache number `index` to `work`.
    ///
    /// The cache is out of its place meanwhile, so nothing can go wrong where `work` comes back here
    /// or the thread is about to end: such a call works with a new cache.
    pub(super) fn lend<R>(index: usize, work: impl FnOnce(&mut Self) -> R) -> R {
        let idle = IDLE.try_with(|idle| idle[index].take()).ok().flatten();
        let mut cache = idle.unwrap_or_else(Self::new);
        let result = work(&mut cache);
        // Fails only while the thread ends; then the cache has served.
        let _ = IDLE.try_with(|idle| idle[index].set(Some(cache)));
        result
    }

    /// The count of a piece of up to 15 bytes; `count` is asked if it is not remembered.
    #[inline(always)]
    pub(super) fn short(&mut self, hash: u64, key: u128, count: impl FnOnce() -> usize) -> usize {
        let slot = &mut self.short[place(hash, SHORT_SLOTS)];
        let remembered = *slot ^ key;
        // Equal but for the count, which is what is left.
        if remembered & ((1 << COUNT_SHIFT) - 1) == 0 {
            return (remembered >> COUNT_SHIFT) as usize;
        }
        let count = count();
        *slot = key | (count as u128) << COUNT_SHIFT;
        count
    }

    /// The count of a piece of 16 to [`LONGEST`] bytes, if it is remembered.
    #[inline]
    pub(super) fn long(&self, hash: u64, piece: &[u8]) -> Option<usize> {
        let slot = &self.long[place(hash, LONG_SLOTS)];
        (slot.bytes[..slot.length as usize] == *piece).then_some(slot.count as usize)
    }

    /// Remembers the count of a piece of 16 to [`LONGEST`] bytes.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a piece has at most LONGEST bytes and tokens")]
    pub(super) fn keep_long(&mut self, hash: u64, piece: &[u8], count: usize) {
        let slot = &mut self.long[place(hash, LONG_SLOTS)];
        slot.length = piece.len() as u8;
        slot.count = count as u8;
        slot.bytes[..piece.len()].copy_from_slice(piece);
    }
}

#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "reduced to the number of slots")]
fn place(hash: u64, slots: usize) -> usize {
    (hash >> 32) as usize & (slots - 1)
}

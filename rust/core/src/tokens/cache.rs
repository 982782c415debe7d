//! What this thread counted lately: piece → number of tokens.
//!
//! Of fixed size, with one or two places for a piece, so bounded and free of housekeeping. A slot holds the whole
//! piece, so a collision costs a recount, never a wrong answer. One cache per thread and encoding
//! (768 kB, of which the operating system provides the pages that are touched): no locks, nothing
//! shared, and no result depends on it.

use std::cell::Cell;

use super::table::zeros;
use super::window::{LONGEST_KEY, WIDTH, hash, key, window};

const SHORT_SLOTS: usize = 1 << 15;
const LONG_SETS: usize = 1 << 12;

/// The longest piece that is remembered.
pub(super) const LONGEST: usize = WIDTH + LONGEST_KEY;

/// Where a slot holds the count: bits that keys leave free.
const COUNT_SHIFT: u32 = 124;

/// The highest count that fits there.
const HIGHEST: usize = 15;

/// The number of encodings that have a cache.
const CACHES: usize = 2;

thread_local! {
    static IDLE: [Cell<Option<Cache>>; CACHES] = const { [Cell::new(None), Cell::new(None)] };
}

/// The counts of recent pieces.
pub(super) struct Cache {
    /// Keys of up to 15 bytes with their count in the top four bits; 0 where none is.
    short: Box<[u128; SHORT_SLOTS]>,
    /// Windows and the keys of what follows, with the count in the top four bits of the key; two for
    /// each hash, the newer one first, since a long piece that is lost costs a microsecond.
    long: Box<[[(u128, u128); 2]; LONG_SETS]>,
}

/// A piece of 16 to [`LONGEST`] bytes.
pub(super) struct Long {
    start: u128,
    rest: u128,
    set: usize,
}

impl Cache {
    fn new() -> Self {
        Self { short: zeros(), long: zeros() }
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

    /// The count of a piece of up to 15 bytes, or 0 if it is not remembered.
    #[inline]
    pub(super) fn short(&self, hash: u64, key: u128) -> usize {
        let remembered = self.short[place(hash, SHORT_SLOTS)] ^ key;
        // Equal but for the count, which is what is left.
        if remembered & ((1 << COUNT_SHIFT) - 1) == 0 {
            (remembered >> COUNT_SHIFT) as usize
        } else {
            0
        }
    }

    /// Remembers the count of a piece of up to 15 bytes.
    #[inline]
    pub(super) fn keep_short(&mut self, hash: u64, key: u128, count: usize) {
        self.short[place(hash, SHORT_SLOTS)] = key | (count as u128) << COUNT_SHIFT;
    }

    /// The count of a longer piece, or 0 if it is not remembered.
    #[inline]
    pub(super) fn long(&self, piece: &Long) -> usize {
        for (start, rest) in self.long[piece.set] {
            let remembered = rest ^ piece.rest;
            if start == piece.start && remembered & ((1 << COUNT_SHIFT) - 1) == 0 {
                return (remembered >> COUNT_SHIFT) as usize;
            }
        }
        0
    }

    /// Remembers the count of a longer piece, unless it is too high.
    #[inline]
    pub(super) fn keep_long(&mut self, piece: &Long, count: usize) {
        if count <= HIGHEST {
            let set = &mut self.long[piece.set];
            *set = [(piece.start, piece.rest | (count as u128) << COUNT_SHIFT), set[0]];
        }
    }
}

impl Long {
    /// The piece from `at` on, of 16 to [`LONGEST`] bytes.
    #[inline]
    pub(super) fn new(text: &[u8], at: usize, length: usize) -> Self {
        let start = window(text, at);
        let rest = key(window(text, at + WIDTH), length - WIDTH);
        let set = place(hash(start) ^ hash(rest).rotate_left(7), LONG_SETS);
        Self { start, rest, set }
    }
}

#[inline]
fn place(hash: u64, slots: usize) -> usize {
    (hash >> 32) as usize & (slots - 1)
}

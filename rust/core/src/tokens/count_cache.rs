//! Counts of whole texts, remembered across indexes for callers who send a history again and again.
//!
//! A text is known by a 128-bit hash of it and its tokenizer; at a million texts the chance that two of
//! them share one is below 10^-26. The hash has a secret of each cache's own, so that nobody can write
//! two texts that share one on purpose. Each shard keeps two generations: what is asked for
//! moves to the young one, and when that is full it becomes the old one, whose entries go. So a
//! lookup is `O(1)`, and what was asked for lately stays.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use xxhash_rust::xxh3::xxh3_128_with_secret;

use crate::hashed::HashedMap;

const SHARDS: usize = 16;

/// As many as the hash takes of a secret of its own.
const SECRET_BYTES: usize = 192;

/// Odd, so that no two tokenizers share a product.
const SPREAD: u128 = 0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835;

/// A bounded cache of token counts that threads share.
#[derive(Debug)]
pub struct CountCache {
    shards: [Mutex<Shard>; SHARDS],
    secret: [u8; SECRET_BYTES],
    capacity: AtomicUsize,
    hits: AtomicU64,
    misses: AtomicU64,
}

#[derive(Debug, Default)]
struct Shard {
    young: Generation,
    old: Generation,
}

type Generation = HashedMap<u128, u32>;

/// What a cache did so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountCacheInfo {
    /// Counts that were known.
    pub hits: u64,
    /// Counts that were not.
    pub misses: u64,
    /// Counts that it holds.
    pub entries: usize,
    /// The most counts that it may hold.
    pub capacity: usize,
}

impl CountCache {
    /// An empty cache for at most about so many counts of some 50 bytes each.
    pub fn new(capacity: usize) -> Self {
        Self {
            shards: std::array::from_fn(|_| Mutex::default()),
            secret: secret(),
            capacity: AtomicUsize::new(capacity),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
        }
    }

    /// The count of a text under a tokenizer; `count` is called where it is not known.
    ///
    /// # Errors
    /// Those of `count`; nothing is remembered then.
    pub fn get_or_count<E>(
        &self,
        tokenizer: u64,
        text: &str,
        count: impl FnOnce() -> Result<u32, E>,
    ) -> Result<u32, E> {
        let capacity = self.capacity.load(Ordering::Relaxed);
        if capacity == 0 {
            return count();
        }
        let key = self.key(tokenizer, text);
        // The low half places a key within a shard.
        let shard = &self.shards[usize::try_from(key >> 124).unwrap_or(0) % SHARDS];
        if let Some(known) = lock(shard).get(key) {
            self.hits.fetch_add(1, Ordering::Relaxed);
            return Ok(known);
        }
        self.misses.fetch_add(1, Ordering::Relaxed);
        let counted = count()?;
        lock(shard).insert(key, counted, capacity.div_ceil(SHARDS));
        Ok(counted)
    }

    fn key(&self, tokenizer: u64, text: &str) -> u128 {
        let hash = xxh3_128_with_secret(text.as_bytes(), &self.secret);
        hash ^ u128::from(tokenizer).wrapping_mul(SPREAD)
    }

    /// Forgets all counts and changes how many may be held; 0 turns the cache off.
    pub fn resize(&self, capacity: usize) {
        self.capacity.store(capacity, Ordering::Relaxed);
        self.clear();
    }

    /// Forgets all counts and the numbers of hits and misses.
    pub fn clear(&self) {
        for shard in &self.shards {
            *lock(shard) = Shard::default();
        }
        self.hits.store(0, Ordering::Relaxed);
        self.misses.store(0, Ordering::Relaxed);
    }

    /// What the cache did so far.
    pub fn info(&self) -> CountCacheInfo {
        let entries = self.shards.iter().map(|shard| lock(shard).len()).sum();
        CountCacheInfo {
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
            entries,
            capacity: self.capacity.load(Ordering::Relaxed),
        }
    }
}

/// Bytes that nobody can guess.
fn secret() -> [u8; SECRET_BYTES] {
    let random = RandomState::new();
    let mut bytes = [0; SECRET_BYTES];
    for (number, word) in bytes.chunks_exact_mut(size_of::<u64>()).enumerate() {
        word.copy_from_slice(&random.hash_one(number).to_le_bytes());
    }
    bytes
}

/// A panic while a lock was held can't leave a half-written map: maps of numbers stay usable.
fn lock(shard: &Mutex<Shard>) -> std::sync::MutexGuard<'_, Shard> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shard {
    fn get(&mut self, key: u128) -> Option<u32> {
        if let Some(&count) = self.young.get(&key) {
            return Some(count);
        }
        let count = self.old.remove(&key)?;
        self.young.insert(key, count);
        Some(count)
    }

    fn insert(&mut self, key: u128, count: u32, capacity: usize) {
        if self.young.len() >= capacity.div_ceil(2) {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, count);
    }

    fn len(&self) -> usize {
        self.young.len() + self.old.len()
    }
}

#[cfg(test)]
mod tests {
    use super::CountCache;

    fn count(cache: &CountCache, tokenizer: u64, text: &str) -> (u32, bool) {
        let mut asked = false;
        let counted = cache.get_or_count(tokenizer, text, || {
            asked = true;
            Ok::<_, ()>(u32::try_from(text.len()).unwrap_or(0))
        });
        (counted.unwrap_or(0), asked)
    }

    #[test]
    fn a_text_is_counted_once_for_each_tokenizer() {
        let cache = CountCache::new(100);
        assert_eq!(count(&cache, 1, "abc"), (3, true));
        assert_eq!(count(&cache, 1, "abc"), (3, false));
        assert_eq!(count(&cache, 2, "abc"), (3, true));
        assert_eq!((cache.info().hits, cache.info().misses), (1, 2));
    }

    #[test]
    fn nobody_knows_the_hash_of_a_text() {
        let caches = [CountCache::new(1), CountCache::new(1)];
        for text in ["a", "a call", "a longer text of some words", &"a long text ".repeat(100)] {
            let [one, other] = caches.each_ref().map(|cache| cache.key(0, text));
            assert_ne!(one, other, "{text}");
            assert_eq!(one, caches[0].key(0, text));
            assert_ne!(one, caches[0].key(1, text));
        }
    }

    #[test]
    fn it_stays_bounded_and_keeps_what_is_asked_for() {
        let cache = CountCache::new(1_600);
        for number in 0..20_000 {
            count(&cache, 0, &number.to_string());
            count(&cache, 0, "asked for again and again");
        }
        assert!(cache.info().entries <= 1_600 + 16);
        assert!(!count(&cache, 0, "asked for again and again").1);
        assert!(count(&cache, 0, "17").1);
    }

    #[test]
    fn an_error_is_not_remembered_and_no_capacity_means_no_cache() {
        let cache = CountCache::new(10);
        assert_eq!(cache.get_or_count(0, "a", || Err("no")), Err("no"));
        assert_eq!(count(&cache, 0, "a"), (1, true));
        cache.resize(0);
        assert_eq!(count(&cache, 0, "a"), (1, true));
        assert_eq!(count(&cache, 0, "a"), (1, true));
    }
}

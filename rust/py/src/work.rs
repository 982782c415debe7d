//! A count of the work done in this process, so that tests and users can see what was not done.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use chatfold_core::tokens::CountCache;
use pyo3::prelude::*;

/// How many counts are remembered unless the user says otherwise; some 6 MB when full.
const CAPACITY: usize = 131_072;

/// The counts of whole texts, shared by all indexes.
pub(crate) static COUNTS: LazyLock<CountCache> = LazyLock::new(|| CountCache::new(CAPACITY));

pub(crate) static WORK: Work = Work {
    texts: AtomicU64::new(0),
    bytes: AtomicU64::new(0),
    messages: AtomicU64::new(0),
    roles: AtomicU64::new(0),
};

pub(crate) struct Work {
    texts: AtomicU64,
    bytes: AtomicU64,
    messages: AtomicU64,
    roles: AtomicU64,
}

impl Work {
    pub(crate) fn counted(&self, text: &str) {
        self.texts.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(text.len() as u64, Ordering::Relaxed);
    }

    pub(crate) fn read(&self, messages: usize) {
        self.messages.fetch_add(messages as u64, Ordering::Relaxed);
    }

    pub(crate) fn read_roles(&self, messages: usize) {
        self.roles.fetch_add(messages as u64, Ordering::Relaxed);
    }
}

/// Texts tokenized, their bytes, messages read whole, messages read for their role only.
#[pyfunction]
pub(crate) fn work_done() -> (u64, u64, u64, u64) {
    (
        WORK.texts.load(Ordering::Relaxed),
        WORK.bytes.load(Ordering::Relaxed),
        WORK.messages.load(Ordering::Relaxed),
        WORK.roles.load(Ordering::Relaxed),
    )
}

/// Hits, misses, entries and capacity of the cache of counts.
#[pyfunction]
pub(crate) fn count_cache_info() -> (u64, u64, usize, usize) {
    let info = COUNTS.info();
    (info.hits, info.misses, info.entries, info.capacity)
}

/// Empties the cache of counts and changes its capacity.
#[pyfunction]
pub(crate) fn count_cache_resize(capacity: usize) {
    COUNTS.resize(capacity);
}

/// Empties the cache of counts.
#[pyfunction]
pub(crate) fn count_cache_clear() {
    COUNTS.clear();
}

//! An open-addressing map from packed keys to ranks, built once and then only read.
//!
//! A probe compares 16 one-byte fingerprints at once, so that a key that is absent is mostly
//! refused by 16 bytes of a small array, without touching the keys. Lookups take expected constant
//! time; they stop at the first group of fingerprints that has a free place.

use super::lanes;

/// Fingerprints compared by one probe.
const GROUP: usize = 16;

/// A map from `K` to ranks.
pub(super) struct Table<K> {
    /// 0 for a free slot, else seven bits of the hash and the top bit; the first group is repeated
    /// at the end, so that a group never wraps.
    fingerprints: Box<[u8]>,
    slots: Box<[(K, u32)]>,
    mask: usize,
}

impl<K: Copy + Eq + Default> Table<K> {
    /// An empty table for `entries` keys.
    pub(super) fn with_room_for(entries: usize) -> Self {
        // A quarter stays free at least: probes stay short.
        let slots = (entries + entries / 4 + 1).next_power_of_two().max(GROUP);
        Self {
            fingerprints: vec![0; slots + GROUP].into_boxed_slice(),
            slots: vec![(K::default(), 0); slots].into_boxed_slice(),
            mask: slots - 1,
        }
    }

    /// Adds a key that is not in the table yet.
    pub(super) fn insert(&mut self, hash: u64, key: K, rank: u32) {
        let mut at = self.start(hash);
        while self.fingerprints[at] != 0 {
            at = (at + 1) & self.mask;
        }
        self.fingerprints[at] = fingerprint(hash);
        if at < GROUP {
            self.fingerprints[self.mask + 1 + at] = fingerprint(hash);
        }
        self.slots[at] = (key, rank);
    }

    /// The rank of a key.
    #[inline]
    pub(super) fn get(&self, hash: u64, key: K) -> Option<u32> {
        let mut at = self.start(hash);
        loop {
            let group = self.fingerprints[at..].first_chunk::<GROUP>()?;
            let group = u128::from_le_bytes(*group);
            let mut hits = lanes::equal(group, fingerprint(hash));
            while hits != 0 {
                let (found, rank) = self.slots[(at + hits.trailing_zeros() as usize) & self.mask];
                if found == key {
                    return Some(rank);
                }
                hits &= hits - 1;
            }
            if lanes::equal(group, 0) != 0 {
                return None;
            }
            at = (at + GROUP) & self.mask;
        }
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "masked to the table's size")]
    fn start(&self, hash: u64) -> usize {
        hash as usize & self.mask
    }
}

#[inline]
fn fingerprint(hash: u64) -> u8 {
    (hash >> 57) as u8 | 0x80
}

/// Memory that the operating system need not provide before it is touched.
#[expect(clippy::unnecessary_box_returns, reason = "arrays of this size must not touch the stack")]
pub(super) fn zeros<T: Copy + Default, const SLOTS: usize>() -> Box<[T; SLOTS]> {
    let zeros = vec![T::default(); SLOTS].into_boxed_slice();
    zeros.try_into().unwrap_or_else(|_| unreachable!("it has just that length"))
}

//! Maps whose keys are hashes already, or small numbers.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map that takes its keys for what they are.
pub(crate) type HashedMap<K, V> = HashMap<K, V, BuildHasherDefault<Hashed>>;

/// Takes half of a 128-bit hash, and spreads a small number over all bits.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u32(u32::from(byte));
        }
    }

    fn write_u32(&mut self, number: u32) {
        // The golden ratio: neighbours land far apart, in the high bits too.
        self.0 = (self.0 ^ u64::from(number)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 ^= self.0 >> 32;
    }

    #[expect(clippy::cast_possible_truncation, reason = "half of a good hash is a good hash")]
    fn write_u128(&mut self, hash: u128) {
        self.0 ^= hash as u64;
    }
}

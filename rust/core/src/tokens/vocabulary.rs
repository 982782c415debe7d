//! The tokens of an encoding: their bytes, and which two tokens each is merged from.
//!
//! # The embedded form
//!
//! `data/*.merges` holds 256 bytes, the single-byte tokens in the order of their ranks, and then for
//! every further rank the two ranks it is merged from, as six planes of bytes (low, middle and high
//! byte of all left ranks, then of all right ranks; planes compress better than triples). The bytes
//! of a token are those of its two parts, so nothing else is needed: 1.8 MB for both encodings,
//! 1.07 MB in a compressed wheel. Raw token bytes need about a quarter more and say nothing of the merges.

use super::lengths::Lengths;
use super::table::Table;
use super::window::{LONGEST_KEY, WIDTH, hash, hash_long, key, window};

/// The number of tokens of one byte.
const BYTES: usize = 256;

/// The tokens of an encoding.
pub(super) struct Vocabulary {
    /// The bytes of all tokens, by rank.
    bytes: Box<[u8]>,
    /// `ends[rank]` is where the bytes of token `rank` start, `ends[rank + 1]` where they end.
    ends: Box<[u32]>,
    /// The two tokens each token is merged from; a single byte is its own left part.
    parts: Box<[(u32, u32)]>,
    short: Table<[u8; 16]>,
    long: Table<[u8; 8]>,
    lengths: Lengths,
    longest: usize,
}

impl Vocabulary {
    /// Reads the embedded form. Linear; every token's bytes are written and hashed once.
    pub(super) fn new(data: &[u8]) -> Self {
        let (singles, planes) = data.split_at(BYTES);
        let merges = planes.len() / 6;
        let plane = |n: usize| &planes[n * merges..(n + 1) * merges];
        let part = |n: usize, at: usize| {
            u32::from_le_bytes([plane(n)[at], plane(n + 1)[at], plane(n + 2)[at], 0])
        };
        let count = BYTES + merges;
        let mut bytes = Vec::with_capacity(8 * count);
        bytes.extend_from_slice(singles);
        let mut ends: Vec<u32> = Vec::with_capacity(count + 1);
        ends.extend(0..=256);
        let mut parts: Vec<(u32, u32)> = Vec::with_capacity(count);
        parts.extend((0..256).map(|rank| (rank, rank)));
        for at in 0..merges {
            let (left, right) = (part(0, at), part(3, at));
            for rank in [left as usize, right as usize] {
                let (start, end) = (ends[rank] as usize, ends[rank + 1] as usize);
                if end - start <= WIDTH && start + WIDTH <= bytes.len() {
                    // Whole windows, the surplus cut off: a call to memcpy costs more than the copy.
                    let copied = window(&bytes, start).to_le_bytes();
                    bytes.extend_from_slice(&copied);
                    bytes.truncate(bytes.len() - WIDTH + (end - start));
                } else {
                    bytes.extend_from_within(start..end);
                }
            }
            ends.push(u32::try_from(bytes.len()).expect("a vocabulary is smaller than 4 GB"));
            parts.push((left, right));
        }
        let mut vocabulary = Self {
            bytes: bytes.into_boxed_slice(),
            ends: ends.into_boxed_slice(),
            parts: parts.into_boxed_slice(),
            short: Table::with_room_for(count),
            long: Table::with_room_for(count / 32),
            lengths: Lengths::with_room_for(count / 32),
            longest: 0,
        };
        vocabulary.index();
        vocabulary
    }

    /// Fills the tables. Low ranks come first and get the places that are found first.
    fn index(&mut self) {
        for rank in 0..self.ends.len() - 1 {
            let (start, end) = (self.ends[rank] as usize, self.ends[rank + 1] as usize);
            let length = end - start;
            self.longest = self.longest.max(length);
            let first = window(&self.bytes, start);
            self.lengths.add(first, length);
            let rank = u32::try_from(rank).expect("ranks fit 24 bits");
            if length <= LONGEST_KEY {
                let key = key(first, length);
                self.short.insert(hash(key), key.to_le_bytes(), rank);
            } else {
                let hash = hash_long(&self.bytes[start..end]);
                self.long.insert(hash, hash.to_le_bytes(), rank);
            }
        }
    }

    /// The number of tokens.
    pub(super) fn len(&self) -> usize {
        self.parts.len()
    }

    /// The length of the longest token, in bytes.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    /// The bytes of a token.
    pub(super) fn bytes(&self, rank: u32) -> &[u8] {
        let rank = rank as usize;
        &self.bytes[self.ends[rank] as usize..self.ends[rank + 1] as usize]
    }

    /// The length of a token in bytes.
    #[inline]
    pub(super) fn length(&self, rank: u32) -> usize {
        let rank = rank as usize;
        (self.ends[rank + 1] - self.ends[rank]) as usize
    }

    /// The tokens that a token is merged from.
    #[inline]
    pub(super) fn parts(&self, rank: u32) -> (u32, u32) {
        self.parts[rank as usize]
    }

    /// The rank of a token of at most 15 bytes, by its key.
    #[inline]
    pub(super) fn rank_of_key(&self, hash: u64, key: u128) -> Option<u32> {
        self.short.get(hash, key.to_le_bytes())
    }

    /// The rank of a token of at least 16 bytes.
    #[inline]
    pub(super) fn rank_of_long(&self, hash: u64, piece: &[u8]) -> Option<u32> {
        // Equal hashes are a rumour; the bytes decide. No two tokens share a hash (tested), so one
        // look is enough.
        self.long.get(hash, hash.to_le_bytes()).filter(|&rank| self.bytes(rank) == piece)
    }

    /// The rank of a piece that is a token.
    pub(super) fn rank(&self, piece: &[u8]) -> Option<u32> {
        match piece.len() {
            0 => None,
            1..=LONGEST_KEY => {
                let key = key(window(piece, 0), piece.len());
                self.rank_of_key(hash(key), key)
            }
            length if length > self.longest => None,
            _ => self.rank_of_long(hash_long(piece), piece),
        }
    }

    /// Two tokens that spell a piece of 2 to 15 bytes, the first of them the longest that it starts with
    /// or the next shorter one, and half of it at least; `None` where neither leaves a token.
    #[inline]
    pub(super) fn halves(&self, piece: u128, length: usize) -> Option<(u32, u32)> {
        // After a first part of less than half there is mostly more than one.
        let mut lengths = self.lengths.short(piece) & ((1 << length) - (1 << (length / 2)));
        let mut again = false;
        while lengths != 0 {
            let cut = 31 - lengths.leading_zeros() as usize;
            lengths &= !(1 << cut);
            let first = key(piece, cut);
            if let Some(left) = self.rank_of_key(hash(first), first) {
                let second = key(piece >> (8 * cut), length - cut);
                if let Some(right) = self.rank_of_key(hash(second), second) {
                    return Some((left, right));
                }
                if again {
                    break;
                }
                again = true;
            }
        }
        None
    }

    /// The longest token that `piece[at..]` starts with and that is shorter than `below` bytes, and its
    /// length.
    ///
    /// Tries the lengths that tokens with these first bytes have, longest first: at most
    /// [`longest`](Self::longest) lookups, mostly one to three.
    #[inline]
    pub(super) fn longest_match(
        &self,
        piece: &[u8],
        at: usize,
        below: usize,
    ) -> Option<(u32, usize)> {
        let rest = &piece[at..];
        let below = below.min(rest.len() + 1);
        if below > LONGEST_KEY + 1 {
            let mut lengths = self.lengths.long(rest) & bits_below(below - LONGEST_KEY - 1);
            while lengths != 0 {
                let place = 127 - lengths.leading_zeros() as usize;
                let start = &rest[..=place + LONGEST_KEY];
                if let Some(rank) = self.rank_of_long(hash_long(start), start) {
                    return Some((rank, start.len()));
                }
                lengths &= !(1 << place);
            }
        }
        let window = window(piece, at);
        let mut lengths = self.lengths.short(window) & ((1 << below.min(LONGEST_KEY + 1)) - 1);
        while lengths != 0 {
            let length = 31 - lengths.leading_zeros() as usize;
            let key = key(window, length);
            if let Some(rank) = self.rank_of_key(hash(key), key) {
                return Some((rank, length));
            }
            lengths &= !(1 << length);
        }
        None
    }
}

/// A set of the first `count` bits.
#[inline]
fn bits_below(count: usize) -> u128 {
    if count < 128 { (1 << count) - 1 } else { u128::MAX }
}

#[cfg(test)]
mod tests {
    use super::Vocabulary;

    /// Merges the bytes of a token by lower ranks only, until two parts are left.
    fn parts_of(vocabulary: &Vocabulary, rank: u32) -> Vec<Option<u32>> {
        let token = vocabulary.bytes(rank);
        let mut starts: Vec<usize> = (0..=token.len()).collect();
        while starts.len() > 3 {
            let lowest = (1..starts.len() - 1)
                .filter_map(|at| {
                    Some((vocabulary.rank(&token[starts[at - 1]..starts[at + 1]])?, at))
                })
                .filter(|&(merged, _)| merged < rank)
                .min();
            starts.remove(lowest.expect("every token can be reached by merges").1);
        }
        starts.windows(2).map(|ends| vocabulary.rank(&token[ends[0]..ends[1]])).collect()
    }

    #[test]
    fn tokens_are_merged_from_the_parts_that_the_data_names() {
        for data in [
            &include_bytes!("../../data/o200k_base.merges")[..],
            &include_bytes!("../../data/cl100k_base.merges")[..],
        ] {
            let vocabulary = Vocabulary::new(data);
            // All were compared when the data was made; a sample is enough to notice a mistake.
            for rank in (256..u32::try_from(vocabulary.len()).unwrap()).step_by(23) {
                let (left, right) = vocabulary.parts(rank);
                assert_eq!(parts_of(&vocabulary, rank), [Some(left), Some(right)], "{rank}");
            }
        }
    }
}

//! Any text under the built-in encodings: its tokens spell it, the merges are those of the plain
//! algorithm, and every way to count them agrees.

#![no_main]

use std::collections::HashMap;
use std::sync::LazyLock;

use chatfold_core::tokens::{Bpe, ENCODING_NAMES, encoding};
use libfuzzer_sys::fuzz_target;

/// Pieces up to here are merged the plain way too, which takes quadratic time.
const PLAIN_UP_TO_BYTES: usize = 200;

struct Tested {
    bpe: &'static Bpe,
    ranks: HashMap<&'static [u8], u32>,
}

static ENCODINGS: LazyLock<Vec<Tested>> = LazyLock::new(|| {
    let encodings = ENCODING_NAMES.iter().map(|name| {
        let bpe = encoding(name).expect("the encoding is built in");
        Tested { bpe, ranks: bpe.vocabulary().collect() }
    });
    encodings.collect()
});

impl Tested {
    /// Joins the neighbours of lowest rank, the leftmost of equals, until none can be joined.
    fn merged<'t>(&self, piece: &'t [u8]) -> Vec<&'t [u8]> {
        let mut cuts: Vec<usize> = (0..=piece.len()).collect();
        loop {
            let joined = |at: usize| self.ranks.get(&piece[cuts[at - 1]..cuts[at + 1]]);
            let pairs = (1..cuts.len().saturating_sub(1)).filter_map(|at| Some((joined(at)?, at)));
            let Some((_, at)) = pairs.min() else { break };
            cuts.remove(at);
        }
        cuts.windows(2).map(|cut| &piece[cut[0]..cut[1]]).collect()
    }

    fn check(&self, text: &str) {
        let bpe = self.bpe;
        assert_eq!(bpe.pieces(text).collect::<String>(), text, "the pieces are the text");
        let ids = bpe.encode(text);
        if bpe.pieces(text).all(|piece| piece.len() <= PLAIN_UP_TO_BYTES) {
            let plain = bpe.pieces(text).flat_map(|piece| self.merged(piece.as_bytes()));
            assert!(plain.map(|token| self.ranks[token]).eq(ids.iter().copied()), "as merged plainly");
        }
        assert!(ids.len() <= text.len() && text.len() <= ids.len() * bpe.longest_token());
        assert_eq!(bpe.count(text), ids.len(), "as many are counted as encoded");
        for limit in [0, ids.len() / 2, ids.len().saturating_sub(1), ids.len(), ids.len() + 1] {
            let expected = (ids.len() <= limit).then_some(ids.len());
            assert_eq!(bpe.count_up_to(text, limit), expected, "up to {limit}");
        }
    }
}

fuzz_target!(|text: &str| {
    for encoding in &*ENCODINGS {
        encoding.check(text);
    }
});

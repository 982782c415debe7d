//! What the tokenizers must do, written for the reader and not for the machine.

use std::collections::HashMap;
use std::sync::LazyLock;

use chatfold_core::tokens::{self, Bpe};
use fancy_regex::{Regex, RegexBuilder};

/// The patterns as `tiktoken` 0.14 publishes them.
const O200K: &str = concat!(
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"|\p{N}{1,3}",
    r"| ?[^\s\p{L}\p{N}]+[\r\n/]*",
    r"|\s*[\r\n]+",
    r"|\s+(?!\S)",
    r"|\s+",
);
const CL100K: &str = concat!(
    r"'(?i:[sdmt]|ll|ve|re)",
    r"|[^\r\n\p{L}\p{N}]?+\p{L}++",
    r"|\p{N}{1,3}+",
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*+",
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
);

pub(crate) struct Twin {
    pub(crate) fast: &'static Bpe,
    pattern: Regex,
    ranks: HashMap<&'static [u8], u32>,
}

/// Both encodings.
pub(crate) static TWINS: LazyLock<[Twin; 2]> =
    LazyLock::new(|| [Twin::new("o200k_base", O200K), Twin::new("cl100k_base", CL100K)]);

impl Twin {
    fn new(name: &str, pattern: &str) -> Self {
        let fast = tokens::encoding(name).expect("an encoding of this crate");
        let pattern = RegexBuilder::new(pattern)
            .backtrack_limit(usize::MAX)
            .build()
            .expect("the published pattern");
        Self { fast, pattern, ranks: fast.vocabulary().collect() }
    }

    pub(crate) fn pieces<'t>(&self, text: &'t str) -> Vec<&'t str> {
        self.pattern.find_iter(text).map(|found| found.expect("no limit").as_str()).collect()
    }

    pub(crate) fn encode(&self, text: &str) -> Vec<u32> {
        self.pieces(text)
            .into_iter()
            .flat_map(|piece| self.encode_piece(piece.as_bytes()))
            .collect()
    }

    /// The whole piece if it is a token; else merge the pair of lowest rank, the leftmost of equals,
    /// until no pair is a token.
    fn encode_piece(&self, piece: &[u8]) -> Vec<u32> {
        if let Some(&rank) = self.ranks.get(piece) {
            return vec![rank];
        }
        let mut tokens: Vec<&[u8]> = piece.chunks(1).collect();
        let mut starts: Vec<usize> = (0..=piece.len()).collect();
        loop {
            let merge = (0..tokens.len() - 1)
                .filter_map(|at| {
                    let merged = &piece[starts[at]..starts[at + 2]];
                    Some((self.ranks.get(merged)?, at, merged))
                })
                .min();
            let Some((_, at, merged)) = merge else { break };
            tokens.splice(at..at + 2, [merged]);
            starts.remove(at + 1);
        }
        tokens.into_iter().map(|token| self.ranks[token]).collect()
    }
}

/// Demands that everything the tokenizers say of a text is what the twins say.
#[track_caller]
pub(crate) fn assert_equal(text: &str) {
    for twin in &*TWINS {
        let name = twin.fast.name();
        assert_eq!(
            twin.fast.pieces(text).collect::<Vec<_>>(),
            twin.pieces(text),
            "{name} cuts {text:?}"
        );
        let expected = twin.encode(text);
        assert_eq!(twin.fast.encode(text), expected, "{name} encodes {text:?}");
        // Twice: the second count comes from the cache.
        assert_eq!(twin.fast.count(text), expected.len(), "{name} counts {text:?}");
        assert_eq!(twin.fast.count(text), expected.len(), "{name} counts {text:?} again");
    }
}

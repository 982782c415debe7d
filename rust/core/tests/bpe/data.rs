//! The embedded tables are the published ones.

use std::collections::HashSet;
use std::fmt::Write as _;

use chatfold_core::tokens;
use sha2::{Digest, Sha256};

/// SHA-256 of the published files, as `tiktoken` pins them in `tiktoken_ext/openai_public.py`.
const PUBLISHED: [(&str, &str); 2] = [
    ("o200k_base", "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"),
    ("cl100k_base", "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"),
];

#[test]
fn the_vocabularies_are_the_published_files() {
    for (name, expected) in PUBLISHED {
        let mut file = String::new();
        for (bytes, rank) in tokens::encoding(name).unwrap().vocabulary() {
            push_base64(&mut file, bytes);
            writeln!(file, " {rank}").unwrap();
        }
        let mut digest = String::new();
        for byte in Sha256::digest(&file) {
            write!(digest, "{byte:02x}").unwrap();
        }
        assert_eq!(digest, expected, "{name}");
    }
}

#[test]
fn every_token_is_found_and_alone() {
    for name in tokens::ENCODING_NAMES {
        let bpe = tokens::encoding(name).unwrap();
        let distinct: HashSet<&[u8]> = bpe.vocabulary().map(|(bytes, _)| bytes).collect();
        assert_eq!(distinct.len(), bpe.vocabulary().count());
        assert_eq!(bpe.longest_token(), distinct.iter().map(|token| token.len()).max().unwrap());
        for (bytes, rank) in bpe.vocabulary() {
            let Ok(text) = std::str::from_utf8(bytes) else { continue };
            // Some tokens span what the pattern cuts apart; the others stand for themselves.
            if bpe.pieces(text).count() == 1 {
                assert_eq!(bpe.encode(text), [rank], "{name} {text:?}");
                assert_eq!(bpe.count(text), 1, "{name} {text:?}");
            }
        }
    }
}

fn push_base64(out: &mut String, bytes: &[u8]) {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0, |bits, &byte| bits << 8 | usize::from(byte))
            << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let digit = alphabet[bits >> (18 - 6 * place) & 0x3F];
            out.push(if place <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
}

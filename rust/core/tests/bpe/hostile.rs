//! Texts that make careless tokenizers quadratic.
//!
//! The work is bounded where it is done: backtracking stops after a few tries per byte, and the queue
//! that it leaves the rest to takes each pair of neighbours once (see the test beside it). Here only
//! the answers matter, and that they come at all.

use chatfold_core::tokens::{self, Bpe};

const LENGTH: usize = 30_000;

#[track_caller]
fn assert_tokens(bpe: &Bpe, vocabulary: &[&[u8]], text: &str) {
    let tokens = bpe.encode(text);
    let spelled: Vec<u8> =
        tokens.iter().flat_map(|&rank| vocabulary[rank as usize]).copied().collect();
    assert_eq!(spelled, text.as_bytes());
    assert_eq!(bpe.count(text), tokens.len());
    assert_eq!(bpe.count_up_to(text, tokens.len()), Some(tokens.len()));
    assert_eq!(bpe.count_up_to(text, tokens.len() - 1), None);
}

#[test]
fn one_piece_of_thirty_thousand_bytes() {
    for name in tokens::ENCODING_NAMES {
        let bpe = tokens::encoding(name).unwrap();
        let vocabulary: Vec<&[u8]> = bpe.vocabulary().map(|(bytes, _)| bytes).collect();
        for unit in [
            "a",
            "A",
            "=",
            " ",
            "\n",
            "\t",
            "😀",
            "中",
            "ab",
            "\u{301}",
            "aaaaaaab",
            "の",
            "\u{10ffff}",
        ] {
            let length = LENGTH / unit.len();
            assert_tokens(bpe, &vocabulary, &unit.repeat(length));
            assert_tokens(bpe, &vocabulary, &format!("{}x", unit.repeat(length)));
        }
    }
}

#[test]
fn base64_without_a_space() {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut state = 1_u32;
    let text: String = (0..LENGTH)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            char::from(alphabet[(state >> 26) as usize])
        })
        .collect();
    for name in tokens::ENCODING_NAMES {
        let bpe = tokens::encoding(name).unwrap();
        let vocabulary: Vec<&[u8]> = bpe.vocabulary().map(|(bytes, _)| bytes).collect();
        assert_tokens(bpe, &vocabulary, &text);
    }
}

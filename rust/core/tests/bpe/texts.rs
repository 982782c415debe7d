//! The same pieces, tokens and counts as the twin, for random and for chosen texts.

use proptest::prelude::*;

use super::strategies::{dense, snippets};
use super::twin::{TWINS, assert_equal};

proptest! {
    #[test]
    fn mixed_texts(text in snippets(40)) {
        assert_equal(&text);
    }

    #[test]
    fn texts_of_a_few_characters(text in dense()) {
        assert_equal(&text);
    }

    #[test]
    fn any_text(text in any::<String>()) {
        assert_equal(&text);
    }

    /// The text before a piece must not matter, wherever in a block it starts.
    #[test]
    fn texts_at_every_place_of_a_block(text in snippets(12), before in 0..70_usize) {
        assert_equal(&format!("{}{text}", "x ".repeat(before)));
    }
}

#[test]
fn the_empty_text() {
    assert_equal("");
}

#[test]
fn white_space_up_to_five_characters_between_anything() {
    let ends = ["", "a", "A", "1", "!", "é", "\u{301}", "/"];
    let blanks = [' ', '\n', '\r', '\t', '\u{a0}'];
    let mut runs = vec![String::new()];
    for length in 0..5 {
        // Two lengths more than a pattern can tell apart; the last ones only of three kinds.
        let kinds = if length < 3 { 5 } else { 3 };
        runs = runs
            .iter()
            .flat_map(|run| (0..kinds).map(move |kind| format!("{run}{}", blanks[kind])))
            .collect();
        for run in &runs {
            let parts: Vec<String> = ends.iter().map(|end| format!("{end}{run}")).collect();
            for twin in &*TWINS {
                for end in ends {
                    let text = format!("{}{end}", parts.concat());
                    assert_eq!(
                        twin.fast.pieces(&text).collect::<Vec<_>>(),
                        twin.pieces(&text),
                        "{text:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn contractions_in_every_case_and_company() {
    for before in ["", "it", "IT", "1", " ", "!", "é", "中", "it's", "'", " '", "\u{301}"] {
        for first in "sStTmMdDrRvVlL\u{17f}kK\u{212a}eéx1' ".chars() {
            for second in ["", "e", "E", "l", "L", "é", "s", "'", " ", "\u{301}"] {
                for after in ["", "x", "X", "'s", " y"] {
                    let text = format!("{before}'{first}{second}{after}");
                    for twin in &*TWINS {
                        assert_eq!(
                            twin.fast.pieces(&text).collect::<Vec<_>>(),
                            twin.pieces(&text),
                            "{text:?}"
                        );
                        // In the middle of a block the other way of cutting decides.
                        let text = format!("{text} {}", "a b ".repeat(20));
                        assert_eq!(
                            twin.fast.pieces(&text).collect::<Vec<_>>(),
                            twin.pieces(&text),
                            "{text:?}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn special_tokens_are_ordinary_text() {
    assert_equal("<|endoftext|>");
    assert_equal("before<|endofprompt|> after");
}

#[test]
fn long_pieces_without_a_border() {
    for unit in ["a", "=", " ", "\n", "ab", "-+", "中", "ว", "😀", "\u{301}", "の中", "Ж"] {
        for times in [15, 16, 17, 31, 33, 63, 64, 65, 100, 130] {
            assert_equal(&unit.repeat(times));
            assert_equal(&format!("x{}y", unit.repeat(times)));
        }
    }
}

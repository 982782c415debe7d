//! Every code point, alone and in company.

use super::twin::TWINS;

/// What can stand beside a character and change where pieces end.
fn companies(character: char) -> [String; 10] {
    let c = character;
    [
        format!("{c}"),
        format!("a{c}b"),
        format!(" {c}{c}A"),
        format!("A{c}B{c}"),
        format!("1{c}2{c}{c}3"),
        format!("\n{c}\r\n"),
        format!("!{c}/{c}\n"),
        format!("it'{c}s{c}'s"),
        format!("中{c}\u{301}Ж"),
        format!("'{c} {c}"),
    ]
}

fn compare(characters: impl Iterator<Item = char>) {
    for character in characters {
        for text in companies(character) {
            for twin in &*TWINS {
                assert!(
                    twin.fast.pieces(&text).eq(twin.pieces(&text)),
                    "{} cuts {text:?}, U+{:04X}",
                    twin.fast.name(),
                    u32::from(character)
                );
            }
        }
    }
}

/// Every code point is compared by class (see the test beside the table); here a sample, all of the
/// scripts of the first planes' beginnings.
#[test]
fn a_sample_in_company() {
    compare(('\0'..'\u{600}').chain(('\u{600}'..=char::MAX).step_by(211)));
}

#[test]
#[ignore = "takes minutes in a debug build; run it with --release after the table has changed"]
fn every_code_point_in_company() {
    compare('\0'..=char::MAX);
}

//! Counting up to a limit.

use chatfold_core::tokens;
use proptest::prelude::*;

use super::strategies::{dense, snippets};
use super::twin::TWINS;

proptest! {
    #[test]
    fn a_limit_changes_nothing_but_to_refuse_what_is_above(
        text in prop_oneof![snippets(30), dense()],
        slack in -3..4_isize,
    ) {
        for twin in &*TWINS {
            let count = twin.fast.count(&text);
            let limit = count.saturating_add_signed(slack);
            let expected = (count <= limit).then_some(count);
            prop_assert_eq!(twin.fast.count_up_to(&text, limit), expected);
        }
    }

    #[test]
    fn a_count_lies_between_its_bounds(text in snippets(40)) {
        for twin in &*TWINS {
            let count = twin.fast.count(&text);
            prop_assert!(text.len().div_ceil(twin.fast.longest_token()) <= count);
            prop_assert!(count <= text.len());
        }
    }
}

#[test]
fn the_empty_text_fits_any_limit() {
    assert_eq!(TWINS[0].fast.count_up_to("", 0), Some(0));
}

#[test]
fn threads_share_an_encoding_and_agree() {
    let text = "Threads count alone, each with what it remembers: 世界, мир, 12345.\n".repeat(50);
    let expected = TWINS[0].encode(&text).len();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..3 {
                    assert_eq!(tokens::encoding("o200k_base").unwrap().count(&text), expected);
                }
            });
        }
    });
}

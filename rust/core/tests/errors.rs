//! The words of every error.

use std::error::Error as _;
use std::fmt;

use chatfold_core::Error;

#[derive(Debug)]
struct OutOfLuck;

impl fmt::Display for OutOfLuck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the tokenizer is out of luck")
    }
}

impl std::error::Error for OutOfLuck {}

#[test]
fn an_error_of_the_host_speaks_for_itself_and_is_the_source() {
    let error = Error::host(OutOfLuck);
    assert_eq!(error.to_string(), "the tokenizer is out of luck");
    assert!(error.source().is_some_and(<dyn std::error::Error>::is::<OutOfLuck>));
}

#[test]
fn too_many_messages_names_the_limit_and_the_way_out() {
    let error = Error::TooManyMessages;
    assert_eq!(
        error.to_string(),
        "an index holds at most 4,294,967,293 messages; split the history"
    );
    assert!(error.source().is_none());
}

#[test]
fn rebuilt_says_when_to_read_the_figure() {
    let error = Error::Rebuilt;
    assert_eq!(
        error.to_string(),
        "the list that the index is about was changed since, so that figure can't be counted any \
         more; read a report's tokens before the list changes"
    );
    assert!(error.source().is_none());
}

#[test]
fn missing_counts_says_how_many_were_wanted() {
    let error = Error::MissingCounts { wanted: 3, got: 2 };
    assert_eq!(
        error.to_string(),
        "the tokenizer gave 2 counts for 3 messages; it must give one for each"
    );
    assert!(error.source().is_none());
}

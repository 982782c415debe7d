//! The one error of the crate.

use std::fmt;

/// Why an operation failed. Nothing has changed where one is returned.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The caller's tokenizer, formatter, trigger or text source failed; its own error is inside.
    Host(Box<dyn std::error::Error + Send + Sync>),
    /// More messages than an index can hold (2^32 - 2).
    TooManyMessages,
    /// A host gave another number of counts than it was asked for.
    MissingCounts {
        /// How many messages were to be counted.
        wanted: usize,
        /// How many counts came back.
        got: usize,
    },
    /// A figure was asked for that the index knew before its list changed and it was built anew.
    Rebuilt,
}

impl Error {
    /// Wraps an error of the caller's own code.
    pub fn host(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self::Host(Box::new(error))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host(error) => error.fmt(f),
            Self::TooManyMessages => {
                f.write_str("an index holds at most 4,294,967,293 messages; split the history")
            }
            Self::MissingCounts { wanted, got } => write!(
                f,
                "the tokenizer gave {got} counts for {wanted} messages; it must give one for each"
            ),
            Self::Rebuilt => f.write_str(
                "the list that the index is about was changed since, so that figure can't be \
                 counted any more; read a report's tokens before the list changes",
            ),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Host(error) => Some(error.as_ref()),
            Self::TooManyMessages | Self::Rebuilt | Self::MissingCounts { .. } => None,
        }
    }
}

/// The result of the crate's fallible functions.
pub type Result<T> = std::result::Result<T, Error>;

//! Python strings as UTF-8: borrowed where they are valid, repaired where they are not.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyBytes, PyString};

/// A text that outlives its message and can cross threads.
pub(crate) enum Text {
    /// The string's own UTF-8.
    Borrowed(PyBackedStr),
    /// A string with lone surrogates, each of them U+FFFD.
    Repaired(String),
}

impl Text {
    pub(crate) fn of(string: &Bound<'_, PyString>) -> PyResult<Self> {
        match PyBackedStr::try_from(string.clone()) {
            Ok(text) => Ok(Self::Borrowed(text)),
            Err(_) => repaired(string).map(Self::Repaired),
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Borrowed(text) => text,
            Self::Repaired(text) => text,
        }
    }
}

/// Calls `with` on the text of a string.
pub(crate) fn with_text<T>(
    string: &Bound<'_, PyString>,
    with: impl FnOnce(&str) -> T,
) -> PyResult<T> {
    match string.to_str() {
        Ok(text) => Ok(with(text)),
        Err(_) => Ok(with(&repaired(string)?)),
    }
}

/// Joins surrogate pairs and puts U+FFFD for lone surrogates, as `tiktoken` does.
fn repaired(string: &Bound<'_, PyString>) -> PyResult<String> {
    let py = string.py();
    let bytes = string.call_method1(intern!(py, "encode"), ("utf-16-le", "surrogatepass"))?;
    let bytes = bytes.cast_into::<PyBytes>()?;
    let units = bytes.as_bytes().chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]]));
    Ok(char::decode_utf16(units).map(|char| char.unwrap_or(char::REPLACEMENT_CHARACTER)).collect())
}

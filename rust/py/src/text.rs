//! Python strings as UTF-8: borrowed where that is what they are, encoded or repaired where not.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyString};

use crate::unicode::{encoded, is_ascii, utf8_length};

/// A text that outlives its message and can cross threads.
pub(crate) enum Text {
    /// The string's own UTF-8.
    Borrowed(PyBackedStr),
    /// The UTF-8 of a string beyond ASCII, which does not have any of its own.
    Encoded(PyBackedBytes),
    /// Text of ours, or a string with lone surrogates, each of them U+FFFD.
    Repaired(String),
}

impl Text {
    pub(crate) fn of(string: &Bound<'_, PyString>) -> PyResult<Self> {
        if is_ascii(string)? {
            return PyBackedStr::try_from(string.clone()).map(Self::Borrowed);
        }
        match encoded(string) {
            Ok(bytes) => Ok(Self::Encoded(bytes.into())),
            Err(_) => repaired(string).map(Self::Repaired),
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Borrowed(text) => text,
            Self::Encoded(bytes) => valid(bytes),
            Self::Repaired(text) => text,
        }
    }

    /// The bytes that it takes beside those of the string.
    pub(crate) fn copied(&self) -> usize {
        match self {
            Self::Borrowed(_) => 0,
            Self::Encoded(bytes) => bytes.len(),
            Self::Repaired(text) => text.len(),
        }
    }
}

/// What Python's encoder wrote.
fn valid(bytes: &[u8]) -> &str {
    // SAFETY: the interpreter encodes strictly: what is no valid UTF-8 is an error of `encoded`.
    unsafe { std::str::from_utf8_unchecked(bytes) }
}

/// Calls `with` on the text of a string.
pub(crate) fn with_text<T>(
    string: &Bound<'_, PyString>,
    with: impl FnOnce(&str) -> T,
) -> PyResult<T> {
    if is_ascii(string)? {
        return Ok(with(string.to_str()?));
    }
    match encoded(string) {
        Ok(bytes) => Ok(with(valid(bytes.as_bytes()))),
        Err(_) => Ok(with(&repaired(string)?)),
    }
}

/// The UTF-8 bytes of the text of a string, and its code points.
pub(crate) fn size(string: &Bound<'_, PyString>) -> PyResult<(usize, usize)> {
    let code_points = string.len()?;
    if is_ascii(string)? {
        return Ok((code_points, code_points));
    }
    match utf8_length(string, code_points) {
        Some(bytes) => Ok((bytes, code_points)),
        None => with_text(string, |text| (text.len(), text.chars().count())),
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

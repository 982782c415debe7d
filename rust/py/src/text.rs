//! Python strings as UTF-8: borrowed where that is what they are, encoded or repaired where not.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyString};

use crate::errors::{OptionTypeError, shown};
use crate::unicode::{beyond_ascii, encoded, is_ascii};

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

/// The text that a caller gives for an option, with U+FFFD for each lone surrogate.
pub(crate) fn own_text(name: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    match value.cast::<PyString>() {
        Ok(text) => with_text(text, str::to_owned),
        Err(_) => Err(OptionTypeError::new_err(format!("{name} is {}; pass text", shown(value)))),
    }
}

/// What is known of a text without keeping anything of it.
pub(crate) struct Measure {
    /// Bytes of its UTF-8.
    pub(crate) bytes: usize,
    pub(crate) code_points: usize,
    /// The code point that it starts with; none where it is empty.
    pub(crate) first: Option<u32>,
}

impl Measure {
    pub(crate) fn of(string: &Bound<'_, PyString>) -> PyResult<Self> {
        if is_ascii(string)? {
            let text = string.to_str()?.as_bytes();
            let first = text.first().copied().map(u32::from);
            return Ok(Self { bytes: text.len(), code_points: text.len(), first });
        }
        if let Some(measure) = beyond_ascii(string, string.len()?) {
            return Ok(measure);
        }
        with_text(string, |text| Self {
            bytes: text.len(),
            code_points: text.chars().count(),
            first: text.chars().next().map(u32::from),
        })
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

//! The one place where errors cross into Python.

use pyo3::PyErr;
use pyo3::prelude::*;

pyo3::import_exception!(chatfold.errors, ChatfoldError);
pyo3::import_exception!(chatfold.errors, IndexBusyError);
pyo3::import_exception!(chatfold.errors, MessageError);
pyo3::import_exception!(chatfold.errors, OptionError);
pyo3::import_exception!(chatfold.errors, OptionTypeError);

/// A core error as a Python one; an exception of the caller's own code comes back unchanged.
pub(crate) fn to_python(error: chatfold_core::Error) -> PyErr {
    match error {
        chatfold_core::Error::Host(inner) => match inner.downcast::<PyErr>() {
            Ok(own) => *own,
            Err(other) => ChatfoldError::new_err(other.to_string()),
        },
        other => ChatfoldError::new_err(other.to_string()),
    }
}

/// A Python exception on its way through the core.
pub(crate) fn to_core(error: PyErr) -> chatfold_core::Error {
    chatfold_core::Error::host(error)
}

/// A message that can't be read. The class takes the position first, so that code can use it.
pub(crate) fn bad_message(position: usize, what: impl Into<String>) -> PyErr {
    MessageError::new_err((position, what.into()))
}

/// How an error text shows a value: its `repr`, shortened.
pub(crate) fn shown(value: &Bound<'_, PyAny>) -> String {
    let text = value.repr().map_or_else(|_| "a value without a repr".into(), |r| r.to_string());
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

//! What a Python string is, without leaving anything behind in it.
//!
//! Asked for its UTF-8, a string beyond ASCII keeps a copy for as long as it lives. Most texts are read
//! for their length alone; that copy would make an index take more than the messages do.

use std::cell::RefCell;

use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyString};

use crate::text::Measure;

/// The most code points that are copied out of a string: 16 kB, which the nearest cache holds.
const COPIED: usize = 4096;

/// A method without arguments, as the interpreter calls it.
type Method = unsafe extern "C" fn(*mut ffi::PyObject, *mut ffi::PyObject) -> *mut ffi::PyObject;

static IS_ASCII: PyOnceLock<Option<Method>> = PyOnceLock::new();

thread_local! {
    static CODE_POINTS: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) };
}

/// Whether a string is ASCII: its UTF-8 is the string itself then.
///
/// A string knows that, but the stable ABI tells it by a method only. Calling the method's function
/// costs about as much as reading a field would.
pub(crate) fn is_ascii(string: &Bound<'_, PyString>) -> PyResult<bool> {
    let py = string.py();
    let function = IS_ASCII.get_or_init(py, || {
        PyString::new(py, "").getattr("isascii").ok().and_then(|method| function_of(&method))
    });
    let Some(function) = function else {
        return string.call_method0(intern!(py, "isascii"))?.is_truthy();
    };
    // SAFETY: the function is that of `str.isascii`, which takes a string and no arguments, and gives
    // a new reference or an exception.
    let answer = unsafe {
        let answer = function(string.as_ptr(), std::ptr::null_mut());
        Bound::from_owned_ptr_or_err(py, answer)?
    };
    // SAFETY: there is one `True`, and it lives as long as the interpreter.
    Ok(answer.as_ptr() == unsafe { ffi::Py_True() })
}

/// The function of a bound method, where it is a native one without arguments.
fn function_of(method: &Bound<'_, PyAny>) -> Option<Method> {
    // SAFETY: both functions read a field of an object of the type that is checked first.
    unsafe {
        let is_native = ffi::PyCFunction_Check(method.as_ptr()) != 0;
        if is_native && ffi::PyCFunction_GetFlags(method.as_ptr()) == ffi::METH_NOARGS {
            ffi::PyCFunction_GetFunction(method.as_ptr())
        } else {
            None
        }
    }
}

/// Whether a string starts with this character.
pub(crate) fn starts_with(string: &Bound<'_, PyString>, char: char) -> PyResult<bool> {
    // SAFETY: a string that is not empty has a code point at 0.
    let starts = |string| unsafe { ffi::PyUnicode_ReadChar(string, 0) == u32::from(char) };
    Ok(!string.is_empty()? && starts(string.as_ptr()))
}

/// The UTF-8 of a string as an object of its own; an error where it has lone surrogates.
pub(crate) fn encoded<'py>(string: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyBytes>> {
    // SAFETY: the function gives a new reference, or null with an exception.
    let bytes = unsafe {
        let bytes = ffi::PyUnicode_AsUTF8String(string.as_ptr());
        Bound::from_owned_ptr_or_err(string.py(), bytes)?
    };
    bytes.cast_into().map_err(PyErr::from)
}

/// Measures a string beyond ASCII with so many code points.
///
/// `None` where that can't be done without encoding: the string is long, or it has surrogates.
pub(crate) fn beyond_ascii(string: &Bound<'_, PyString>, code_points: usize) -> Option<Measure> {
    if code_points > COPIED {
        return None;
    }
    CODE_POINTS.with_borrow_mut(|copy| {
        copy.resize(COPIED, 0);
        let room = ffi::Py_ssize_t::try_from(COPIED).ok()?;
        // SAFETY: the copy has as much room as is said, and no more than that is written.
        let copied = unsafe { ffi::PyUnicode_AsUCS4(string.as_ptr(), copy.as_mut_ptr(), room, 0) };
        if copied.is_null() {
            drop(PyErr::take(string.py()));
            return None;
        }
        let copy = &copy[..code_points];
        let first = copy.first().copied();
        length_of(copy).map(|bytes| Measure { bytes, code_points, first })
    })
}

/// The bytes of the UTF-8 of code points without surrogates.
fn length_of(code_points: &[u32]) -> Option<usize> {
    let (mut more, mut surrogates) = (0_u32, 0_u32);
    for &code_point in code_points {
        // Signed numbers compare in one vector instruction, and sums that wrap need no check.
        let code_point = code_point.cast_signed();
        let longer = |than: i32| u32::from(code_point > than);
        more = more
            .wrapping_add(longer(0x7F))
            .wrapping_add(longer(0x7FF))
            .wrapping_add(longer(0xFFFF));
        surrogates |= u32::from(code_point >> 11 == 0xD800 >> 11);
    }
    (surrogates == 0).then_some(code_points.len() + more as usize)
}

//! A copy of a message with other texts in some places. The message itself is never changed.

use chatfold_core::Place;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyMapping, PyString};

use crate::read::fields::items;

/// A copy of the message where these texts stand in their places; all else is what it was.
pub(crate) fn with_texts<'py>(
    message: &Bound<'py, PyAny>,
    texts: &[(Place, String)],
) -> PyResult<Bound<'py, PyAny>> {
    let py = message.py();
    let mut copy = message.clone();
    let (mut parts, mut calls) = (Vec::new(), Vec::new());
    for (place, text) in texts {
        match place {
            Place::Content => {
                copy = with_field(&copy, intern!(py, "content"), text.into_pyobject(py)?.as_any())?;
            }
            Place::Part(number) => parts.push((*number, text.as_str())),
            Place::Arguments(number) => calls.push((*number, text.as_str())),
        }
    }
    // A list is copied once, however many of its items change.
    copy = with_items(&copy, intern!(py, "content"), &parts, with_part)?;
    with_items(&copy, intern!(py, "tool_calls"), &calls, with_arguments)
}

/// A copy of a content part with another text.
fn with_part<'py>(part: &Bound<'py, PyAny>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    let py = part.py();
    let text = PyString::new(py, text).into_any();
    if part.is_instance_of::<PyString>() {
        return Ok(text);
    }
    let (kind, refusal) = (field(part, intern!(py, "type"))?, intern!(py, "refusal"));
    with_field(part, if kind.eq(refusal)? { refusal } else { intern!(py, "text") }, &text)
}

/// A copy of a tool call with other arguments.
fn with_arguments<'py>(call: &Bound<'py, PyAny>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    let py = call.py();
    let (name, text) = (intern!(py, "function"), PyString::new(py, text));
    let function = with_field(&field(call, name)?, intern!(py, "arguments"), text.as_any())?;
    with_field(call, name, &function)
}

/// A field of a dict, another mapping or an object; `None` where there is none.
fn field<'py>(
    object: &Bound<'py, PyAny>,
    name: &Bound<'py, PyString>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    if object.is_instance_of::<PyDict>() || object.cast::<PyMapping>().is_ok() {
        return object.call_method1(intern!(py, "get"), (name,));
    }
    Ok(object.getattr_opt(name)?.unwrap_or_else(|| py.None().into_bound(py)))
}

/// A copy of a dict, another mapping (as a dict), a pydantic model or another object.
fn with_field<'py>(
    object: &Bound<'py, PyAny>,
    name: &Bound<'py, PyString>,
    value: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    if let Ok(dict) = object.cast::<PyDict>() {
        let copy = dict.copy()?;
        copy.set_item(name, value)?;
        return Ok(copy.into_any());
    }
    if let Ok(mapping) = object.cast::<PyMapping>() {
        let copy = PyDict::new(py);
        copy.update(mapping)?;
        copy.set_item(name, value)?;
        return Ok(copy.into_any());
    }
    if let Some(model_copy) = object.getattr_opt(intern!(py, "model_copy"))? {
        let update = PyDict::new(py);
        update.set_item(name, value)?;
        let given = PyDict::new(py);
        given.set_item(intern!(py, "update"), update)?;
        return model_copy.call((), Some(&given));
    }
    let copy = py.import(intern!(py, "copy"))?.call_method1(intern!(py, "copy"), (object,))?;
    copy.setattr(name, value)?;
    Ok(copy)
}

/// A copy of an object whose list or tuple of that name has other texts in the items of these numbers.
fn with_items<'py>(
    object: &Bound<'py, PyAny>,
    name: &Bound<'py, PyString>,
    texts: &[(u32, &str)],
    change: fn(&Bound<'py, PyAny>, &str) -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    if texts.is_empty() {
        return Ok(object.clone());
    }
    let mut items: Vec<_> = items(&field(object, name)?).into_iter().flatten().collect();
    for (number, text) in texts {
        if let Some(item) = items.get_mut(*number as usize) {
            *item = change(item, text)?;
        }
    }
    with_field(object, name, PyList::new(object.py(), items)?.as_any())
}

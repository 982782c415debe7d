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
    let (content, calls) = (intern!(py, "content"), intern!(py, "tool_calls"));
    let mut copy = message.clone();
    for (place, text) in texts {
        copy = match place {
            Place::Content => with_field(&copy, content, text.into_pyobject(py)?.as_any())?,
            Place::Part(number) => {
                let parts = with_item(&field(&copy, content)?, *number, |part| {
                    if part.is_instance_of::<PyString>() {
                        return Ok(text.into_pyobject(py)?.into_any());
                    }
                    let refusal = field(part, intern!(py, "text"))?.is_none();
                    let name = if refusal { intern!(py, "refusal") } else { intern!(py, "text") };
                    with_field(part, name, text.into_pyobject(py)?.as_any())
                })?;
                with_field(&copy, content, &parts)?
            }
            Place::Arguments(number) => {
                let own = with_item(&field(&copy, calls)?, *number, |call| {
                    let name = intern!(py, "function");
                    let function = with_field(
                        &field(call, name)?,
                        intern!(py, "arguments"),
                        text.into_pyobject(py)?.as_any(),
                    )?;
                    with_field(call, name, &function)
                })?;
                with_field(&copy, calls, &own)?
            }
        };
    }
    Ok(copy)
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

/// A copy of a list or a tuple with another item at a place.
fn with_item<'py>(
    list: &Bound<'py, PyAny>,
    number: u32,
    change: impl FnOnce(&Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut items: Vec<_> = items(list).into_iter().flatten().collect();
    if let Some(item) = items.get_mut(number as usize) {
        *item = change(item)?;
    }
    Ok(PyList::new(list.py(), items)?.into_any())
}

//! What an assistant message holds beside its content: reasoning, a refusal, calls.

use chatfold_core::CallKey;
use pyo3::exceptions::PyRecursionError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::errors::{bad_message, shown};
use crate::read::fields::{Fields, items};
use crate::text::with_text;

/// What an assistant message holds beside its content.
pub(super) enum Extra<'py> {
    Reasoning(Bound<'py, PyString>),
    Text(Bound<'py, PyString>),
    /// A call, with its key where it has an id.
    Call(Option<CallKey>),
}

pub(super) type Visit<'a, 'py> = &'a mut dyn FnMut(Extra<'py>) -> PyResult<()>;

/// Calls `visit` on all of it, in order.
pub(super) fn visit_assistant<'py>(
    fields: &Fields<'_, 'py>,
    position: usize,
    visit: Visit<'_, 'py>,
) -> PyResult<()> {
    let py = fields.py();
    if let Some(value) = fields.take(intern!(py, "tool_calls"))? {
        let Some(calls) = items(&value) else {
            let what = format!("its tool_calls are {}; pass a list of calls", shown(&value));
            return Err(bad_message(position, what));
        };
        for call in calls {
            visit_call(&call, position, visit)?;
        }
    }
    if let Some(call) = fields.take(intern!(py, "function_call"))? {
        let Some(function) = Fields::of(&call, intern!(py, "name")) else {
            let what = format!("its function_call is {}; pass a dict with a name", shown(&call));
            return Err(bad_message(position, what));
        };
        let name = function.take_text(intern!(py, "name"))?;
        let key = name.as_ref().map(|name| with_text(name, CallKey::function)).transpose()?;
        visit(Extra::Call(key))?;
        visit_function(&function, name, intern!(py, "arguments"), position, visit)?;
    }
    for name in [intern!(py, "reasoning_content"), intern!(py, "reasoning")] {
        if let Some(text) = fields.take_text(name)?.filter(|text| !text.is_empty().unwrap_or(true))
        {
            visit(Extra::Reasoning(text))?;
            break;
        }
    }
    if let Some(text) = fields.take_text(intern!(py, "refusal"))? {
        visit(Extra::Text(text))?;
    }
    Ok(())
}

fn visit_call<'py>(
    call: &Bound<'py, PyAny>,
    position: usize,
    visit: Visit<'_, 'py>,
) -> PyResult<()> {
    let py = call.py();
    let Some(fields) = Fields::of(call, intern!(py, "id")) else {
        let what = format!("one of its tool_calls is {}; pass a dict with an id", shown(call));
        return Err(bad_message(position, what));
    };
    let id = fields.take_text(intern!(py, "id"))?;
    visit(Extra::Call(id.map(|id| with_text(&id, CallKey::tool)).transpose()?))?;
    for (kind, arguments) in [
        (intern!(py, "function"), intern!(py, "arguments")),
        (intern!(py, "custom"), intern!(py, "input")),
    ] {
        if let Some(inner) = fields.take(kind)?
            && let Some(inner) = Fields::of(&inner, intern!(py, "name"))
        {
            let name = inner.take_text(intern!(py, "name"))?;
            visit_function(&inner, name, arguments, position, visit)?;
        }
    }
    Ok(())
}

fn visit_function<'py>(
    function: &Fields<'_, 'py>,
    name: Option<Bound<'py, PyString>>,
    arguments: &Bound<'py, PyString>,
    position: usize,
    visit: Visit<'_, 'py>,
) -> PyResult<()> {
    if let Some(name) = name {
        visit(Extra::Text(name))?;
    }
    match function.take(arguments)? {
        None => Ok(()),
        Some(value) => visit(Extra::Text(as_text(&value, position)?)),
    }
}

/// Arguments are text; where a framework holds them as objects, their JSON stands for them.
fn as_text<'py>(value: &Bound<'py, PyAny>, position: usize) -> PyResult<Bound<'py, PyString>> {
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(text.clone());
    }
    let py = value.py();
    let json = py.import(intern!(py, "json"))?.call_method1(intern!(py, "dumps"), (value,));
    let text = json.or_else(|_| value.str().map(Bound::into_any)).map_err(|error| {
        if error.is_instance_of::<PyRecursionError>(py) {
            let what =
                "the arguments of one of its calls are nested too deeply; pass them as JSON text";
            return bad_message(position, what);
        }
        error
    });
    text?.cast_into().map_err(PyErr::from)
}

//! Texts of a message that may be shortened, each with its place.

use chatfold_core::{CallKey, Place, Role, Texts};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::content::{Part, part};
use super::exchange::{calls, keyed};
use super::role::{fields, role};
use crate::read::fields::{Fields, items};

type Visit<'a, 'py> = &'a mut dyn FnMut(Place, Bound<'py, PyString>) -> PyResult<()>;

/// Calls `visit` on each of them, in order.
pub(crate) fn visit_places<'py>(
    message: &Bound<'py, PyAny>,
    position: usize,
    which: Texts,
    visit: Visit<'_, 'py>,
) -> PyResult<()> {
    let fields = fields(message, position)?;
    match which {
        Texts::Content => visit_content(&fields, visit),
        Texts::Arguments => visit_arguments(&fields, visit),
    }
}

fn visit_content<'py>(fields: &Fields<'_, 'py>, visit: Visit<'_, 'py>) -> PyResult<()> {
    let Some(content) = fields.take(intern!(fields.py(), "content"))? else { return Ok(()) };
    if let Ok(text) = content.cast::<PyString>() {
        return visit(Place::Content, text.clone());
    }
    for (number, value) in (0..).zip(items(&content).into_iter().flatten()) {
        if let Part::Text(text) = part(&value)? {
            visit(Place::Part(number), text)?;
        }
    }
    Ok(())
}

fn visit_arguments<'py>(fields: &Fields<'_, 'py>, visit: Visit<'_, 'py>) -> PyResult<()> {
    let py = fields.py();
    let Some(calls) = fields.take(intern!(py, "tool_calls"))? else { return Ok(()) };
    for (number, call) in (0..).zip(items(&calls).into_iter().flatten()) {
        let Some(call) = Fields::of(&call, intern!(py, "id")) else { continue };
        let Some(function) = call.take(intern!(py, "function"))? else { continue };
        let Some(function) = Fields::of(&function, intern!(py, "name")) else { continue };
        if let Some(text) = function.take_text(intern!(py, "arguments"))? {
            visit(Place::Arguments(number), text)?;
        }
    }
    Ok(())
}

/// The name of the tool whose result a message of a group is; empty where the call is unknown.
pub(crate) fn tool_name(
    group: &[(usize, Bound<'_, PyAny>)],
    result: &Bound<'_, PyAny>,
    position: usize,
) -> PyResult<String> {
    let py = result.py();
    let own = fields(result, position)?;
    let key = match role(&own, position)? {
        Role::Tool => keyed(own.take_text(intern!(py, "tool_call_id"))?, CallKey::tool)?,
        _ => keyed(own.take_text(intern!(py, "name"))?, CallKey::function)?,
    };
    let Some(key) = key else { return Ok(String::new()) };
    let mut found = String::new();
    // The nearest call before the result: the same id may come again.
    for (at, message) in group.iter().take_while(|(at, _)| *at < position) {
        let fields = fields(message, *at)?;
        if role(&fields, *at)? == Role::Assistant {
            calls(&fields, &mut |other, name| {
                if other == Some(key) {
                    found = name;
                }
            })?;
        }
    }
    Ok(found)
}

//! The texts of a message, each of which is counted by itself.

use chatfold_core::Role;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::calls::{Extra, visit_assistant};
use super::content::{Part, part};
use super::role::{fields, role};
use crate::read::fields::items;

/// Calls `visit` on every text of a message, empty ones too, in any order.
pub(crate) fn visit_texts<'py>(
    message: &Bound<'py, PyAny>,
    position: usize,
    visit: &mut dyn FnMut(Bound<'py, PyString>) -> PyResult<()>,
) -> PyResult<()> {
    let py = message.py();
    let fields = fields(message, position)?;
    let role = role(&fields, position)?;
    if let Some(content) = fields.take(intern!(py, "content"))? {
        if let Ok(text) = content.cast::<PyString>() {
            visit(text.clone())?;
        } else {
            for value in items(&content).into_iter().flatten() {
                visit_part(part(&value)?, visit)?;
            }
        }
    }
    if role != Role::Assistant {
        return Ok(());
    }
    visit_assistant(&fields, position, &mut |extra| match extra {
        Extra::Reasoning(text) | Extra::Text(text) => visit(text),
        Extra::Call(_) => Ok(()),
    })
}

fn visit_part<'py>(
    part: Part<'py>,
    visit: &mut dyn FnMut(Bound<'py, PyString>) -> PyResult<()>,
) -> PyResult<()> {
    match part {
        Part::Text(text) | Part::Reasoning(Some(text)) => visit(text),
        Part::Result(result) => {
            result.parts()?.into_iter().try_for_each(|part| visit_part(part, visit))
        }
        Part::Reasoning(None) | Part::Image | Part::Audio | Part::File | Part::Other => Ok(()),
    }
}

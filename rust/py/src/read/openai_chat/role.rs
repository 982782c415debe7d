//! What makes an object a message: fields, and a role among them.

use chatfold_core::Role;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::errors::{bad_message, shown};
use crate::read::fields::Fields;

/// The fields of the message at that position of the list.
pub(super) fn fields<'a, 'py>(
    message: &'a Bound<'py, PyAny>,
    position: usize,
) -> PyResult<Fields<'a, 'py>> {
    Fields::of(message, intern!(message.py(), "role")).ok_or_else(|| {
        let what = format!(
            "{} is not a message; pass a dict with a role, or an object with one",
            shown(message)
        );
        bad_message(position, what)
    })
}

/// The role of the message at that position of the list.
pub(super) fn role(fields: &Fields<'_, '_>, position: usize) -> PyResult<Role> {
    let py = fields.py();
    let Some(value) = fields.take(intern!(py, "role"))? else {
        return Err(bad_message(position, format!("it has no role; {}", known_roles())));
    };
    let known = value.cast::<PyString>().ok().and_then(|role| Role::from_name(role.to_str().ok()?));
    known.ok_or_else(|| {
        bad_message(position, format!("its role is {}; {}", shown(&value), known_roles()))
    })
}

/// The role of a message of which nothing else is read.
pub(crate) fn role_of(message: &Bound<'_, PyAny>, position: usize) -> PyResult<Role> {
    role(&fields(message, position)?, position)
}

fn known_roles() -> String {
    format!("a role is one of {}", Role::NAMES.map(|(_, name)| name).join(", "))
}

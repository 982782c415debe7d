//! Fields of a message or of a part of it, whatever kind of object it is.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyMapping, PyString, PyTuple};

/// A dict, another mapping, or an object with attributes (a pydantic model).
#[derive(Clone)]
pub(crate) enum Fields<'a, 'py> {
    Dict(&'a Bound<'py, PyDict>),
    Mapping(&'a Bound<'py, PyMapping>),
    Object(&'a Bound<'py, PyAny>),
}

impl<'a, 'py> Fields<'a, 'py> {
    /// The fields of an object, unless it is text, a number, a list or another thing without any.
    pub(crate) fn of(object: &'a Bound<'py, PyAny>, marker: &Bound<'py, PyString>) -> Option<Self> {
        if let Ok(dict) = object.cast::<PyDict>() {
            return Some(Self::Dict(dict));
        }
        if object.is_none()
            || object.is_instance_of::<PyString>()
            || object.is_instance_of::<PyList>()
            || object.is_instance_of::<PyTuple>()
        {
            return None;
        }
        if let Ok(mapping) = object.cast::<PyMapping>() {
            return Some(Self::Mapping(mapping));
        }
        object.hasattr(marker).unwrap_or(false).then_some(Self::Object(object))
    }

    pub(crate) fn py(&self) -> Python<'py> {
        match self {
            Self::Dict(dict) => dict.py(),
            Self::Mapping(mapping) => mapping.py(),
            Self::Object(object) => object.py(),
        }
    }

    /// A field; `None` where it is missing or null.
    pub(crate) fn get(&self, name: &Bound<'py, PyString>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let value = match self {
            Self::Dict(dict) => dict.get_item(name)?,
            Self::Mapping(mapping) => {
                let py = mapping.py();
                Some(mapping.call_method1(intern!(py, "get"), (name,))?)
            }
            Self::Object(object) => object.getattr_opt(name)?,
        };
        Ok(value.filter(|value| !value.is_none()))
    }

    /// A field that is a string.
    pub(crate) fn text(
        &self,
        name: &Bound<'py, PyString>,
    ) -> PyResult<Option<Bound<'py, PyString>>> {
        Ok(self.get(name)?.and_then(|value| value.cast_into::<PyString>().ok()))
    }

    /// Whether it is a dict with two fields at most: where those are known, there are no others.
    pub(crate) fn has_two_at_most(&self) -> bool {
        matches!(self, Self::Dict(dict) if dict.len() <= 2)
    }
}

/// The items of a list or a tuple.
pub(crate) fn items<'py>(value: &Bound<'py, PyAny>) -> Option<Vec<Bound<'py, PyAny>>> {
    if let Ok(list) = value.cast::<PyList>() {
        return Some(list.iter().collect());
    }
    value.cast::<PyTuple>().ok().map(|tuple| tuple.iter().collect())
}

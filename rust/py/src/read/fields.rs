//! Fields of a message or of a part of it, whatever kind of object it is.

use std::cell::Cell;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyMapping, PyString, PyTuple};

/// The fields of one object, to be taken once each.
///
/// Where all fields of a dict have been taken there are no others, so that asking for what is rarely
/// there costs nothing.
pub(crate) struct Fields<'a, 'py> {
    object: Object<'a, 'py>,
    left: Cell<usize>,
}

/// A dict, another mapping, or an object with attributes (a pydantic model).
enum Object<'a, 'py> {
    Dict(&'a Bound<'py, PyDict>),
    Mapping(&'a Bound<'py, PyMapping>),
    Attributes(&'a Bound<'py, PyAny>),
}

impl<'a, 'py> Fields<'a, 'py> {
    /// The fields of an object, unless it is text, a number, a list or another thing without any.
    pub(crate) fn of(object: &'a Bound<'py, PyAny>, marker: &Bound<'py, PyString>) -> Option<Self> {
        if let Ok(dict) = object.cast::<PyDict>() {
            return Some(Self { object: Object::Dict(dict), left: Cell::new(dict.len()) });
        }
        if object.is_none()
            || object.is_instance_of::<PyString>()
            || object.is_instance_of::<PyList>()
            || object.is_instance_of::<PyTuple>()
        {
            return None;
        }
        let object = if let Ok(mapping) = object.cast::<PyMapping>() {
            Object::Mapping(mapping)
        } else if object.hasattr(marker).unwrap_or(false) {
            Object::Attributes(object)
        } else {
            return None;
        };
        Some(Self { object, left: Cell::new(usize::MAX) })
    }

    pub(crate) fn py(&self) -> Python<'py> {
        match &self.object {
            Object::Dict(dict) => dict.py(),
            Object::Mapping(mapping) => mapping.py(),
            Object::Attributes(object) => object.py(),
        }
    }

    /// Takes a field; `None` where it is missing or null. Each is taken once.
    pub(crate) fn take(&self, name: &Bound<'py, PyString>) -> PyResult<Option<Bound<'py, PyAny>>> {
        if self.left.get() == 0 {
            return Ok(None);
        }
        let value = match &self.object {
            Object::Dict(dict) => dict.get_item(name)?,
            Object::Mapping(mapping) => {
                Some(mapping.call_method1(intern!(name.py(), "get"), (name,))?)
            }
            Object::Attributes(object) => object.getattr_opt(name)?,
        };
        if value.is_some() {
            self.left.set(self.left.get() - 1);
        }
        Ok(value.filter(|value| !value.is_none()))
    }

    /// Takes a field that is a string.
    pub(crate) fn take_text(
        &self,
        name: &Bound<'py, PyString>,
    ) -> PyResult<Option<Bound<'py, PyString>>> {
        Ok(self.take(name)?.and_then(|value| value.cast_into::<PyString>().ok()))
    }
}

/// The items of a list or a tuple.
///
/// Code of the caller's that reading runs may change a list meanwhile: its length is asked each time.
pub(crate) struct Items<'a, 'py> {
    of: Sequence<'a, 'py>,
    next: usize,
}

enum Sequence<'a, 'py> {
    List(&'a Bound<'py, PyList>),
    Tuple(&'a Bound<'py, PyTuple>),
}

/// The items of a value, where it is a list or a tuple.
pub(crate) fn items<'a, 'py>(value: &'a Bound<'py, PyAny>) -> Option<Items<'a, 'py>> {
    let of = match value.cast::<PyList>() {
        Ok(list) => Sequence::List(list),
        Err(_) => Sequence::Tuple(value.cast::<PyTuple>().ok()?),
    };
    Some(Items { of, next: 0 })
}

impl<'py> Iterator for Items<'_, 'py> {
    type Item = Bound<'py, PyAny>;

    fn next(&mut self) -> Option<Self::Item> {
        let at = self.next;
        self.next += 1;
        match self.of {
            Sequence::List(list) if at < list.len() => list.get_item(at).ok(),
            Sequence::Tuple(tuple) if at < tuple.len() => tuple.get_item(at).ok(),
            _ => None,
        }
    }
}

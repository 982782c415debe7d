//! Groups as Python objects: live views that name a group of an index.

use std::sync::atomic::{AtomicUsize, Ordering};

use chatfold_core::{GroupId, MessageIndex};
use pyo3::exceptions::PyIndexError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyList, PySlice, PyTuple};

use crate::errors::ChatfoldError;
use crate::index::{PyMessageIndex, stand_in};

/// One group of an index; its properties tell its state at the time of asking.
#[pyclass(frozen, module = "chatfold._core", name = "MessageGroup")]
pub(crate) struct PyMessageGroup {
    index: Py<PyMessageIndex>,
    pub(crate) id: GroupId,
    /// The index may have been built anew since; then there is no such group any more.
    epoch: u32,
}

impl PyMessageGroup {
    pub(crate) fn new(index: &Bound<'_, PyMessageIndex>, id: GroupId, epoch: u32) -> Self {
        Self { index: index.clone().unbind(), id, epoch }
    }

    /// Names the group in an index that still has it.
    pub(crate) fn in_epoch(&self, epoch: u32) -> PyResult<GroupId> {
        if self.epoch == epoch {
            return Ok(self.id);
        }
        Err(ChatfoldError::new_err(
            "the list of the index was changed since this group was taken; take the group anew",
        ))
    }

    fn with<T>(
        &self,
        py: Python<'_>,
        with: impl FnOnce(&mut crate::index::State) -> PyResult<T>,
    ) -> PyResult<T> {
        PyMessageIndex::with(self.index.bind(py), |state| {
            self.in_epoch(state.core.epoch())?;
            with(state)
        })
    }

    pub(crate) fn is_of(&self, index: &Bound<'_, PyMessageIndex>) -> bool {
        self.index.is(index)
    }
}

#[pymethods]
impl PyMessageGroup {
    /// What it is: `system`, `user`, `assistant_text`, `tool_call` or `summary`.
    #[getter]
    fn kind(&self, py: Python<'_>) -> PyResult<&'static str> {
        self.with(py, |state| Ok(state.core.group(self.id).kind.name()))
    }

    /// The positions of its messages in the list, ascending; none for a stand-in.
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        self.with(py, |state| PyTuple::new(py, state.core.group(self.id).positions))
    }

    /// Its messages as they are kept: the user's own objects, copies of those that were shortened, or
    /// a new dict for a stand-in.
    #[getter]
    fn messages<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.with(py, |state| {
            if let Some(number) = self.id.stand_in {
                return PyList::new(py, [stand_in(py, &state.core, number)?]);
            }
            let positions = state.core.group(self.id).positions;
            let messages = positions.iter().map(|&at| state.messages.kept(py, &state.core, at));
            PyList::new(py, messages.collect::<PyResult<Vec<_>>>()?)
        })
    }

    /// How many messages it has.
    #[getter]
    fn message_count(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, |state| Ok(state.core.group(self.id).positions.len().max(1)))
    }

    /// UTF-8 bytes of its texts.
    #[getter]
    fn byte_count(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |state| Ok(state.core.group(self.id).byte_count))
    }

    /// Tokens of its messages, without overhead; counted now where they were not known.
    #[getter]
    fn token_count(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |_| Ok(()))?;
        PyMessageIndex::with_host(self.index.bind(py), None, |core, host| {
            core.group_tokens(self.id, host)
        })
    }

    /// Its turn; 0 before the first user message, `None` for system groups.
    #[getter]
    fn turn(&self, py: Python<'_>) -> PyResult<Option<u32>> {
        self.with(py, |state| Ok(state.core.group(self.id).turn))
    }

    /// Whether it has a call that still waits for its result; no strategy of chatfold touches it then.
    #[getter]
    fn pending(&self, py: Python<'_>) -> PyResult<bool> {
        self.with(py, |state| Ok(state.core.is_pending(self.id)))
    }

    /// Whether the caller protects it from every strategy.
    #[getter]
    fn protected(&self, py: Python<'_>) -> PyResult<bool> {
        self.with(py, |state| Ok(state.core.is_protected(self.id)))
    }

    /// Whether it is left out of what is kept.
    #[getter]
    fn excluded(&self, py: Python<'_>) -> PyResult<bool> {
        self.with(py, |state| Ok(state.core.group(self.id).excluded))
    }

    /// Why it is excluded; `None` where it is not.
    #[getter]
    fn exclude_reason(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.with(py, |state| {
            Ok(Some(state.core.group(self.id).exclude_reason).filter(|reason| !reason.is_empty()))
        })
    }

    /// The stand-in that stands for it, if there is one.
    #[getter]
    fn summary(&self, py: Python<'_>) -> PyResult<Option<Self>> {
        self.with(py, |state| {
            let summary = state.core.summary_of(self.id);
            Ok(summary.map(|id| Self::new(self.index.bind(py), id, self.epoch)))
        })
    }

    /// The groups that it stands for, in order; none for groups of the list itself.
    #[getter]
    fn summarizes(&self, py: Python<'_>) -> PyResult<Vec<Self>> {
        self.with(py, |state| {
            let ids = state.core.replaces(self.id).iter();
            Ok(ids.map(|&id| Self::new(self.index.bind(py), id, self.epoch)).collect())
        })
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| {
            let other = other.get();
            other.id == self.id && other.epoch == self.epoch && other.index.is(&self.index)
        })
    }

    fn __hash__(&self) -> u64 {
        u64::from(self.id.slot) << 32 | self.id.stand_in.map_or(0, |number| u64::from(number) + 1)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.index)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |state| {
            let group = state.core.group(self.id);
            let state = if group.excluded { ", excluded" } else { "" };
            Ok(format!("MessageGroup({}, positions={:?}{state})", group.kind, group.positions))
        })
    }
}

/// The groups of an index at one moment, as a sequence.
#[pyclass(frozen, sequence, module = "chatfold._core", name = "GroupList")]
pub(crate) struct PyGroupList {
    index: Py<PyMessageIndex>,
    groups: Numbers,
    epoch: u32,
}

/// Without stand-ins and joined groups the number of a group is its slot.
enum Numbers {
    Slots(u32),
    Listed(Vec<GroupId>),
}

impl PyGroupList {
    pub(crate) fn new(index: &Bound<'_, PyMessageIndex>, core: &MessageIndex) -> Self {
        let groups = if core.groups_are_slots() {
            Numbers::Slots(core.slot_count())
        } else {
            Numbers::Listed(core.group_ids())
        };
        Self { index: index.clone().unbind(), groups, epoch: core.epoch() }
    }

    fn at(&self, py: Python<'_>, number: usize) -> Option<PyMessageGroup> {
        let id = match &self.groups {
            Numbers::Slots(len) => {
                let slot = u32::try_from(number).ok().filter(|slot| slot < len)?;
                GroupId { slot, stand_in: None }
            }
            Numbers::Listed(ids) => *ids.get(number)?,
        };
        Some(PyMessageGroup::new(self.index.bind(py), id, self.epoch))
    }
}

#[pymethods]
impl PyGroupList {
    fn __len__(&self) -> usize {
        match &self.groups {
            Numbers::Slots(len) => *len as usize,
            Numbers::Listed(ids) => ids.len(),
        }
    }

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        number: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let len = self.__len__();
        if let Ok(slice) = number.cast::<PySlice>() {
            let range = slice.indices(isize::try_from(len)?)?;
            let chosen = (0..range.slicelength).map_while(|step| {
                let step = isize::try_from(step).ok()?;
                self.at(py, usize::try_from(range.start + step * range.step).ok()?)
            });
            return Ok(PyList::new(py, chosen.collect::<Vec<_>>())?.into_any());
        }
        let number: isize = number.extract()?;
        let at = if number < 0 { number + isize::try_from(len)? } else { number };
        let group = usize::try_from(at).ok().and_then(|at| self.at(py, at)).ok_or_else(|| {
            PyIndexError::new_err(format!("no group {number}; the index has {len}"))
        })?;
        Ok(Bound::new(py, group)?.into_any())
    }

    fn __iter__(slf: &Bound<'_, Self>) -> PyGroupIterator {
        PyGroupIterator { groups: slf.clone().unbind(), next: AtomicUsize::new(0) }
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.index)
    }

    fn __repr__(&self) -> String {
        format!("<{} message groups>", self.__len__())
    }
}

/// Makes the groups of a list one after the other: a long list never has to exist as objects.
#[pyclass(frozen, module = "chatfold._core", name = "GroupIterator")]
pub(crate) struct PyGroupIterator {
    groups: Py<PyGroupList>,
    next: AtomicUsize,
}

#[pymethods]
impl PyGroupIterator {
    fn __iter__<'a, 'py>(slf: &'a Bound<'py, Self>) -> &'a Bound<'py, Self> {
        slf
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.groups)
    }

    fn __next__(&self, py: Python<'_>) -> Option<PyMessageGroup> {
        self.groups.get().at(py, self.next.fetch_add(1, Ordering::Relaxed))
    }
}

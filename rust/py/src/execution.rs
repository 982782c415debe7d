//! One run of a strategy over an index, driven from Python.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use chatfold_core::{Execution, GroupId, Hold, Origin, Role, Version};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};

use crate::errors::{
    ChatfoldError, IndexBusyError, OptionError, OptionTypeError, shown, to_core, to_python,
};
use crate::group::PyMessageGroup;
use crate::host::PyHost;
use crate::index::PyMessageIndex;
use crate::read;
use crate::report::{PyFigures, PyStrategyStep};
use crate::strategy::{PyStrategy, PyTrigger};
use crate::text::own_text;

/// Figures before and after, steps, whether the target was met, the first changed position.
type Outcome<'py> = (PyFigures, PyFigures, Bound<'py, PyTuple>, bool, Option<u32>);

/// A run that can be left for a strategy of the caller's own and entered again.
#[pyclass(frozen, module = "chatfold._core", name = "Execution")]
pub(crate) struct PyExecution {
    index: Py<PyMessageIndex>,
    callables: Py<PyDict>,
    execution: Mutex<Execution>,
    started: Instant,
    /// For as long as anyone has the run, its figures can be found.
    _hold: Hold,
    /// Given up: a thread that only now gets to it must not go on.
    aborted: AtomicBool,
}

impl PyExecution {
    /// Runs `with` on the run and the index; an error undoes the run.
    fn with<T>(
        &self,
        py: Python<'_>,
        with: impl FnOnce(
            &mut Execution,
            &mut chatfold_core::MessageIndex,
            &mut PyHost<'_, '_>,
        ) -> chatfold_core::Result<T>,
    ) -> PyResult<T> {
        let index = self.index.bind(py);
        PyMessageIndex::with(index, |state| {
            let mut execution = self
                .execution
                .try_lock()
                .map_err(|_| ChatfoldError::new_err("a run can't be entered from within itself"))?;
            let mut host = PyHost {
                index,
                messages: &mut state.messages,
                callables: Some(self.callables.bind(py)),
                started: self.started,
            };
            with(&mut execution, &mut state.core, &mut host).map_err(to_python)
        })
    }

    /// The tokens that were included at a version of the run, before it or after it.
    pub(crate) fn tokens_at(&self, py: Python<'_>, version: Version) -> PyResult<u64> {
        PyMessageIndex::with_host(self.index.bind(py), None, |core, host| {
            core.tokens_at(version, host)
        })
    }
}

#[pymethods]
impl PyExecution {
    #[new]
    fn new(
        index: &Bound<'_, PyMessageIndex>,
        strategy: &Bound<'_, PyStrategy>,
        callables: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        Ok(Self {
            _hold: PyMessageIndex::with(index, |state| Ok(state.core.hold()))?,
            index: index.clone().unbind(),
            callables: callables.clone().unbind(),
            execution: Mutex::new(Execution::new(strategy.get().plan())),
            started: Instant::now(),
            aborted: AtomicBool::new(false),
        })
    }

    /// Runs up to the next strategy of the caller's own and returns its number; `None` at the end.
    ///
    /// `claims` says who has which index, by address. With it a run is refused where somebody has the
    /// index, and claims it where it is left for a strategy. Both happen while others wait for the
    /// index, so that a run that is refused undoes nothing but its own changes.
    #[pyo3(signature = (claims=None))]
    fn advance(&self, py: Python<'_>, claims: Option<&Bound<'_, PyDict>>) -> PyResult<Option<u64>> {
        let number = self.index.as_ptr() as usize;
        let is_free = |claims: &Bound<'_, PyDict>| match claims.contains(number) {
            Ok(false) => Ok(()),
            Ok(true) => Err(to_core(IndexBusyError::new_err(()))),
            Err(error) => Err(to_core(error)),
        };
        self.with(py, |execution, core, host| {
            if self.aborted.load(Ordering::Relaxed) {
                return Ok(None);
            }
            claims.map_or(Ok(()), is_free)?;
            let mut advance = || {
                let custom = execution.advance(core, host)?;
                if let Some(claims) = claims.filter(|_| custom.is_some()) {
                    // Counting and triggers of the caller's own let other threads in.
                    is_free(claims)?;
                    claims.set_item(number, py.None()).map_err(to_core)?;
                }
                Ok(custom.map(|callback| callback.0))
            };
            advance().inspect_err(|_| execution.abort(core))
        })
    }

    /// Undoes the run.
    fn abort(&self, py: Python<'_>) -> PyResult<()> {
        self.aborted.store(true, Ordering::Relaxed);
        self.with(py, |execution, core, _| {
            execution.abort(core);
            Ok(())
        })
    }

    /// What the run did; `own` has the names of the caller's own strategies that ran, in order, and
    /// whether each met its target.
    fn outcome<'py>(
        slf: &Bound<'py, Self>,
        own: Vec<(Bound<'py, PyAny>, bool)>,
    ) -> PyResult<Outcome<'py>> {
        let py = slf.py();
        let own = own.into_iter().map(|(name, met)| Ok((own_text("__name__", &name)?, met)));
        let mut own = own.collect::<PyResult<Vec<_>>>()?.into_iter();
        let (before, after, steps, target_met, first_changed) =
            slf.get().with(py, |execution, core, _| {
                let before = execution.before.unwrap_or_else(|| core.figures());
                let step = |step| PyStrategyStep::of(slf, step, &mut own);
                let steps: Vec<_> = execution.steps.iter().map(step).collect();
                let first_changed = core.first_changed(before.version);
                core.forget_changes();
                Ok((before, core.figures(), steps, execution.target_met, first_changed))
            })?;
        let figures = |figures| PyFigures::of(slf, figures);
        let steps = PyTuple::new(py, steps)?;
        Ok((figures(before), figures(after), steps, target_met, first_changed))
    }
}

fn own(group: &Bound<'_, PyAny>, index: &Bound<'_, PyMessageIndex>) -> PyResult<GroupId> {
    let Ok(group) = group.cast::<PyMessageGroup>() else {
        return Err(OptionTypeError::new_err(format!(
            "group is {}; pass a group of this index, such as index.groups[0]",
            shown(group)
        )));
    };
    if group.get().is_of(index) {
        return PyMessageIndex::with(index, |state| group.get().in_epoch(state.core.epoch()));
    }
    Err(OptionError::new_err("the group belongs to another index; take it from this one"))
}

/// Excludes a group. Says whether it was included.
#[pyfunction]
pub(crate) fn exclude(
    index: &Bound<'_, PyMessageIndex>,
    group: &Bound<'_, PyAny>,
    reason: &Bound<'_, PyAny>,
    by_caller: bool,
) -> PyResult<bool> {
    let id = own(group, index)?;
    let reason = own_text("reason", reason)?;
    let origin = if by_caller { Origin::Caller } else { Origin::Strategy };
    PyMessageIndex::with(index, |state| {
        state.core.forget_changes();
        Ok(state.core.held(id.slot) == Some(id) && state.core.exclude_by(id.slot, &reason, origin))
    })
}

/// Includes a group again. Says whether anything changed.
#[pyfunction]
pub(crate) fn restore(
    index: &Bound<'_, PyMessageIndex>,
    group: &Bound<'_, PyAny>,
) -> PyResult<bool> {
    let id = own(group, index)?;
    PyMessageIndex::with(index, |state| {
        state.core.forget_changes();
        Ok(state.core.restore(id))
    })
}

/// Includes groups again, each with the texts that it held last.
#[pyfunction]
pub(crate) fn include(
    index: &Bound<'_, PyMessageIndex>,
    groups: Vec<Bound<'_, PyMessageGroup>>,
) -> PyResult<()> {
    let ids =
        groups.iter().map(|group| own(group.as_any(), index)).collect::<PyResult<Vec<_>>>()?;
    PyMessageIndex::with(index, |state| {
        state.core.forget_changes();
        for id in ids {
            state.core.include_again(id);
        }
        Ok(())
    })
}

/// Protects a group from every strategy, or no longer. Says whether that is new.
#[pyfunction]
pub(crate) fn protect(
    index: &Bound<'_, PyMessageIndex>,
    group: &Bound<'_, PyAny>,
    protected: bool,
) -> PyResult<bool> {
    let id = own(group, index)?;
    if id.stand_in.is_some() {
        return Err(OptionError::new_err(
            "the group is a stand-in, which a later one may replace; protect the groups of the list \
             that must stay",
        ));
    }
    PyMessageIndex::with(index, |state| Ok(state.core.protect(id, protected)))
}

/// Puts a text in the place of included groups; `None` where it is not shorter than they are.
#[pyfunction]
pub(crate) fn replace(
    index: &Bound<'_, PyMessageIndex>,
    groups: &Bound<'_, PyAny>,
    text: &Bound<'_, PyAny>,
    role: &Bound<'_, PyAny>,
    reason: &Bound<'_, PyAny>,
    by_caller: bool,
) -> PyResult<Option<PyMessageGroup>> {
    if groups.is_instance_of::<PyMessageGroup>()
        || !groups.hasattr(intern!(groups.py(), "__iter__"))?
    {
        return Err(OptionTypeError::new_err(format!(
            "groups is {}; pass a list of groups of this index",
            shown(groups)
        )));
    }
    let ids = groups.try_iter()?.map(|group| own(&group?, index)).collect::<PyResult<Vec<_>>>()?;
    let (text, reason) = (own_text("text", text)?, own_text("reason", reason)?);
    let Some(role @ (Role::Assistant | Role::User)) = Role::from_name(&own_text("role", role)?)
    else {
        return Err(OptionError::new_err(format!(
            "role is {}; a stand-in speaks as \"assistant\" or \"user\"",
            shown(role)
        )));
    };
    PyMessageIndex::with(index, |state| {
        if let Some(id) = ids.iter().find(|id| state.core.held(id.slot) != Some(**id)) {
            let first = state.core.group(*id).positions.first().copied();
            return Err(OptionError::new_err(format!(
                "the group that starts at position {first:?} is excluded; replace included groups"
            )));
        }
        let mut slots: Vec<u32> = ids.iter().map(|id| id.slot).collect();
        slots.sort_unstable();
        slots.dedup();
        let origin = if by_caller { Origin::Caller } else { Origin::Writer };
        let number = state.core.replace_by(&slots, role, text, &reason, origin);
        Ok(number.map(|number| {
            let id = GroupId { slot: slots[0], stand_in: Some(number) };
            PyMessageGroup::new(index, id, state.core.epoch())
        }))
    })
}

/// Whether a trigger holds for an index.
#[pyfunction]
pub(crate) fn ask(
    trigger: &Bound<'_, PyTrigger>,
    index: &Bound<'_, PyMessageIndex>,
    callables: &Bound<'_, PyDict>,
) -> PyResult<bool> {
    PyMessageIndex::with_host(index, Some(callables), |core, host| {
        trigger.get().trigger().holds(core, host)
    })
}

/// Reads as much of a list as the outcome of a strategy depends on, into an empty index.
#[pyfunction]
pub(crate) fn read_newest(
    index: &Bound<'_, PyMessageIndex>,
    messages: &Bound<'_, PyList>,
    strategy: &Bound<'_, PyStrategy>,
) -> PyResult<bool> {
    read::read_newest(index, messages, &strategy.get().plan())
}

/// Reads role and content of each message and nothing else: the floor that benches compare with.
#[pyfunction]
pub(crate) fn read_floor(messages: &Bound<'_, PyList>) -> PyResult<usize> {
    let (role, content) = (intern!(messages.py(), "role"), intern!(messages.py(), "content"));
    let mut bytes = 0;
    for message in messages.iter() {
        let message = message.cast_into::<PyDict>()?;
        for name in [role, content] {
            if let Some(value) = message.get_item(name)?
                && let Ok(text) = value.cast::<PyString>()
            {
                bytes += text.to_str()?.len();
            }
        }
    }
    Ok(bytes)
}

//! `MessageIndex`: the core's index together with the messages that it is about.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use chatfold_core::{Facts, GroupId, Kept, MessageIndex, Overhead, Version};
use parking_lot::ReentrantMutex;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::errors::{ChatfoldError, to_python};
use crate::fingerprint::fingerprint_of;
use crate::group::{PyGroupList, PyMessageGroup};
use crate::host::PyHost;
use crate::read::{self, PartTokens, Reader, with_texts};
use crate::tokenizer::{Counter, PyTokenizer};
use crate::work::WORK;

/// The messages, as the user's own objects, and how they are counted.
pub(crate) struct Messages {
    pub(crate) list: Vec<Py<PyAny>>,
    pub(crate) counter: Counter,
    pub(crate) parts: PartTokens,
    /// Copies of messages that were shortened, each with the stamp of what it holds.
    copies: HashMap<u32, (u64, Py<PyAny>)>,
    /// The position of the message that was the newest when it was read, and its hash then.
    newest: Option<(usize, u128)>,
}

impl Messages {
    pub(crate) fn new(counter: Counter, parts: PartTokens) -> Self {
        Self { list: Vec::new(), counter, parts, copies: HashMap::new(), newest: None }
    }

    /// A message as it is kept: the user's own object, or the one copy of it that was shortened.
    pub(crate) fn kept<'py>(
        &mut self,
        py: Python<'py>,
        core: &MessageIndex,
        message: u32,
    ) -> PyResult<Bound<'py, PyAny>> {
        let own = self.list[message as usize].bind(py);
        let Some(shortened) = core.shortened(message) else { return Ok(own.clone()) };
        if let Some((stamp, copy)) = self.copies.get(&message)
            && *stamp == shortened.stamp
        {
            return Ok(copy.bind(py).clone());
        }
        let copy = with_texts(own, shortened.texts)?;
        self.copies.insert(message, (shortened.stamp, copy.clone().unbind()));
        Ok(copy)
    }

    /// Puts other objects in the place of all from there on; copies are made anew of them.
    pub(crate) fn replace_from(&mut self, at: usize, messages: impl Iterator<Item = Py<PyAny>>) {
        self.list.truncate(at);
        self.list.extend(messages);
        self.copies.retain(|&message, _| (message as usize) < at);
    }

    /// Notes what the newest message holds, since it may be written on in its place.
    pub(crate) fn note_newest(&mut self, py: Python<'_>, facts: &Facts) {
        self.newest = self.list.len().checked_sub(1).and_then(|position| {
            let hash = fingerprint_of(self.list[position].bind(py), position, facts).ok()?;
            Some((position, hash))
        });
    }

    /// Whether a message is another than it was; `None` where that was not noted.
    pub(crate) fn is_rewritten(
        &self,
        py: Python<'_>,
        position: usize,
        facts: &Facts,
    ) -> PyResult<Option<bool>> {
        let Some((_, then)) = self.newest.filter(|&(newest, _)| newest == position) else {
            return Ok(None);
        };
        let now = fingerprint_of(self.list[position].bind(py), position, facts)?;
        Ok(Some(now != then))
    }

    /// Stands in while the real ones are elsewhere.
    pub(crate) fn placeholder() -> Self {
        let parts = PartTokens { image: 0, audio: 0, file: 0, other: 0 };
        let counter = Counter::Estimator(chatfold_core::tokens::Estimator::default());
        Self::new(counter, parts)
    }

    pub(crate) fn reader(&self) -> Reader {
        Reader { parts: self.parts, estimator: self.counter.estimator() }
    }
}

/// What an index is made of.
pub(crate) struct State {
    pub(crate) core: MessageIndex,
    pub(crate) messages: Messages,
}

/// The structured view over a list of messages.
///
/// One lock serves all threads. It is reentrant, since a trigger of the caller's own gets the index
/// while a strategy runs; the state is taken out of the cell for each call, so that code which is
/// called back without having it (a tokenizer, a formatter) finds out.
#[pyclass(frozen, subclass, module = "chatfold._core", name = "MessageIndex")]
pub(crate) struct PyMessageIndex {
    cell: ReentrantMutex<RefCell<Option<Box<State>>>>,
    /// How many triggers of the caller's own are being asked; those who hold the lock are inside one.
    asked: AtomicU32,
}

impl PyMessageIndex {
    pub(crate) fn take_out(&self) -> PyResult<Box<State>> {
        self.cell.lock().borrow_mut().take().ok_or_else(|| {
            ChatfoldError::new_err(
                "the index is in use by the call that runs this code; a tokenizer or a formatter \
                 can't use it",
            )
        })
    }

    pub(crate) fn put_back(&self, state: Box<State>) {
        *self.cell.lock().borrow_mut() = Some(state);
    }

    /// Calls a trigger of the caller's own, which gets the index.
    pub(crate) fn while_asked<T>(&self, ask: impl FnOnce() -> T) -> T {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let answer = ask();
        self.asked.fetch_sub(1, Ordering::Relaxed);
        answer
    }

    /// Whether the code that holds the lock is called by a trigger of the caller's own.
    pub(crate) fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed) > 0
    }

    /// Calls `with` on the state; other threads wait, detached from the interpreter.
    pub(crate) fn with<T>(
        slf: &Bound<'_, Self>,
        with: impl FnOnce(&mut State) -> PyResult<T>,
    ) -> PyResult<T> {
        let own = slf.get();
        let _lock = loop {
            if let Some(lock) = own.cell.try_lock() {
                break lock;
            }
            slf.py().detach(|| drop(own.cell.lock()));
        };
        let mut taken = PutBack { owner: own, state: Some(own.take_out()?) };
        with(taken.state.as_mut().expect("it was just put there"))
    }

    fn groups_of(
        slf: &Bound<'_, Self>,
        choose: impl FnOnce(&MessageIndex) -> Vec<GroupId>,
    ) -> PyResult<Vec<PyMessageGroup>> {
        Self::with(slf, |state| {
            let epoch = state.core.epoch();
            let ids = choose(&state.core).into_iter();
            Ok(ids.map(|id| PyMessageGroup::new(slf, id, epoch)).collect())
        })
    }

    /// Calls `with` on the core and a host for it.
    pub(crate) fn with_host<T>(
        slf: &Bound<'_, Self>,
        callables: Option<&Bound<'_, PyDict>>,
        with: impl FnOnce(&mut MessageIndex, &mut PyHost<'_, '_>) -> chatfold_core::Result<T>,
    ) -> PyResult<T> {
        Self::with(slf, |state| {
            let mut host = PyHost {
                index: slf,
                messages: &mut state.messages,
                callables,
                started: Instant::now(),
            };
            with(&mut state.core, &mut host).map_err(to_python)
        })
    }
}

/// Puts the state back even where a panic unwinds.
struct PutBack<'a> {
    owner: &'a PyMessageIndex,
    state: Option<Box<State>>,
}

impl Drop for PutBack<'_> {
    fn drop(&mut self) {
        if let Some(state) = self.state.take() {
            self.owner.put_back(state);
        }
    }
}

#[pymethods]
impl PyMessageIndex {
    #[new]
    #[pyo3(signature = (tokenizer, overhead, parts))]
    fn new(
        py: Python<'_>,
        tokenizer: &Bound<'_, PyTokenizer>,
        overhead: (u32, u32),
        parts: (u32, u32, u32, u32),
    ) -> Self {
        let counter = tokenizer.get().counter.clone_ref(py);
        let (per_message, per_history) = overhead;
        let core = MessageIndex::new(counter.bounds(), Overhead { per_message, per_history });
        let (image, audio, file, other) = parts;
        let messages = Messages::new(counter, PartTokens { image, audio, file, other });
        let state = Some(Box::new(State { core, messages }));
        Self { cell: ReentrantMutex::new(RefCell::new(state)), asked: AtomicU32::new(0) }
    }

    /// Takes one more message.
    fn append(slf: &Bound<'_, Self>, message: &Bound<'_, PyAny>) -> PyResult<()> {
        Self::with(slf, |state| {
            let facts = state.messages.reader().facts(message, state.messages.list.len())?;
            WORK.read(1);
            state.core.push(&facts).map_err(to_python)?;
            state.messages.list.push(message.clone().unbind());
            state.messages.note_newest(message.py(), &facts);
            Ok(())
        })
    }

    /// Takes more messages; where one of them can't be read, none is taken.
    fn extend(slf: &Bound<'_, Self>, messages: &Bound<'_, PyAny>) -> PyResult<()> {
        let messages = match messages.cast::<PyList>() {
            Ok(list) => list.clone(),
            Err(_) => messages
                .try_iter()?
                .collect::<PyResult<Vec<_>>>()
                .and_then(|items| PyList::new(messages.py(), items))?,
        };
        Self::with(slf, |state| read::extend(state, &messages))
    }

    /// What is kept, in input order: the user's own objects, copies of those that were shortened, and
    /// a new dict for each stand-in.
    fn included_messages<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyList>> {
        let py = slf.py();
        Self::with(slf, |state| {
            let kept = state.core.projection();
            let list = PyList::empty(py);
            for part in kept {
                match part {
                    Kept::Message(at) => {
                        list.append(state.messages.kept(py, &state.core, at)?)?;
                    }
                    Kept::StandIn(number) => list.append(stand_in(py, &state.core, number)?)?,
                }
            }
            Ok(list)
        })
    }

    /// All messages taken so far: the user's own objects.
    #[getter]
    fn messages<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyList>> {
        Self::with(slf, |state| PyList::new(slf.py(), &state.messages.list))
    }

    /// A moment in the life of the index: changes, messages, and how often it was built anew.
    #[getter]
    fn version(slf: &Bound<'_, Self>) -> PyResult<(usize, u32, u32)> {
        Self::with(slf, |state| Ok(state.core.version().into_parts()))
    }

    /// The number of messages taken so far.
    fn __len__(slf: &Bound<'_, Self>) -> PyResult<usize> {
        Self::with(slf, |state| Ok(state.messages.list.len()))
    }

    /// All groups in order, stand-ins among them.
    #[getter]
    fn groups(slf: &Bound<'_, Self>) -> PyResult<PyGroupList> {
        Self::with(slf, |state| Ok(PyGroupList::new(slf, &state.core)))
    }

    /// The groups that are kept, in order; costs as much as there are, however long the history is.
    #[getter]
    fn included_groups(slf: &Bound<'_, Self>) -> PyResult<Vec<PyMessageGroup>> {
        Self::groups_of(slf, MessageIndex::included_ids)
    }

    /// The summaries and digests among them, in order; costs as much as there are.
    #[pyo3(name = "_included_summaries")]
    fn included_summaries(slf: &Bound<'_, Self>) -> PyResult<Vec<PyMessageGroup>> {
        Self::groups_of(slf, MessageIndex::included_summaries)
    }

    /// What every strategy keeps of them beside system messages, in order; costs as much as that is.
    #[pyo3(name = "_included_floor")]
    fn included_floor(slf: &Bound<'_, Self>) -> PyResult<Vec<PyMessageGroup>> {
        Self::groups_of(slf, MessageIndex::included_floor)
    }

    /// The groups that are excluded for a reason and that no stand-in stands for, in order; with a
    /// version, those that changed since, which costs as much as the changes are.
    #[pyo3(name = "_excluded_for", signature = (reason, since=None))]
    fn excluded_for(
        slf: &Bound<'_, Self>,
        reason: &str,
        since: Option<(usize, u32, u32)>,
    ) -> PyResult<Vec<PyMessageGroup>> {
        let since = since.map(Version::from_parts);
        Self::groups_of(slf, |core| core.excluded_for(reason, since))
    }

    /// The groups that are protected from every strategy, in order; excluded ones among them.
    #[getter]
    fn protected_groups(slf: &Bound<'_, Self>) -> PyResult<Vec<PyMessageGroup>> {
        Self::with(slf, |state| {
            let mut slots: Vec<u32> = state.core.protected_slots().collect();
            slots.sort_unstable();
            slots.dedup();
            let epoch = state.core.epoch();
            let ids = slots.into_iter().map(|slot| GroupId { slot, stand_in: None });
            Ok(ids.map(|id| PyMessageGroup::new(slf, id, epoch)).collect())
        })
    }

    /// The group that holds the message at a position of the list.
    fn group_of(slf: &Bound<'_, Self>, position: usize) -> PyResult<PyMessageGroup> {
        Self::with(slf, |state| {
            let message =
                u32::try_from(position).ok().filter(|&at| at < state.core.message_count());
            let Some(message) = message else {
                return Err(pyo3::exceptions::PyIndexError::new_err(format!(
                    "no message at position {position}; the index holds {}",
                    state.core.message_count()
                )));
            };
            let slot = state.core.slot_of_message(message);
            let id = GroupId { slot, stand_in: None };
            Ok(PyMessageGroup::new(slf, id, state.core.epoch()))
        })
    }

    /// Messages, groups, turns and bytes of what is included.
    #[pyo3(name = "_included_counts")]
    fn included_counts(slf: &Bound<'_, Self>) -> PyResult<(u64, u64, u64, u64)> {
        Self::with(slf, |state| Ok(tuple(state.core.included_counts())))
    }

    /// Messages, groups, turns and bytes of everything.
    #[pyo3(name = "_total_counts")]
    fn total_counts(slf: &Bound<'_, Self>) -> PyResult<(u64, u64, u64, u64)> {
        Self::with(slf, |state| Ok(tuple(state.core.total_counts())))
    }

    /// The tokens of what is included.
    #[pyo3(name = "_included_tokens")]
    fn included_tokens(slf: &Bound<'_, Self>) -> PyResult<u64> {
        Self::with_host(slf, None, |core, host| core.included_tokens(host))
    }

    /// UTF-8 bytes of what is included and has not been counted.
    #[pyo3(name = "_uncounted_bytes")]
    fn uncounted_bytes(slf: &Bound<'_, Self>) -> PyResult<u64> {
        Self::with(slf, |state| Ok(state.core.uncounted_bytes()))
    }

    /// The tokens of everything.
    #[pyo3(name = "_total_tokens")]
    fn total_tokens(slf: &Bound<'_, Self>) -> PyResult<u64> {
        Self::with_host(slf, None, |core, host| core.total_tokens(host))
    }

    /// Counts with another tokenizer from now on.
    #[pyo3(name = "_set_tokenizer")]
    fn set_tokenizer(slf: &Bound<'_, Self>, tokenizer: &Bound<'_, PyTokenizer>) -> PyResult<()> {
        Self::with(slf, |state| {
            state.messages.counter = tokenizer.get().counter.clone_ref(slf.py());
            state.core.forget_tokens(state.messages.counter.bounds());
            Ok(())
        })
    }

    /// The collector finds cycles through a tokenizer; a message holds no index as a rule.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        // A call that is under way holds the state: what it needs is alive anyway.
        let Some(cell) = self.cell.try_lock() else { return Ok(()) };
        let Ok(state) = cell.try_borrow() else { return Ok(()) };
        if let Some(state) = state.as_ref() {
            if let Counter::Custom(custom) = &state.messages.counter {
                visit.call(&custom.count_tokens)?;
            }
            for message in &state.messages.list {
                visit.call(message)?;
            }
            for (_, copy) in state.messages.copies.values() {
                visit.call(copy)?;
            }
        }
        Ok(())
    }
}

fn tuple(counts: chatfold_core::Counts) -> (u64, u64, u64, u64) {
    (counts.messages, counts.groups, counts.turns, counts.bytes)
}

/// A stand-in as a plain message.
pub(crate) fn stand_in<'py>(
    py: Python<'py>,
    core: &MessageIndex,
    number: u32,
) -> PyResult<Bound<'py, PyDict>> {
    let (role, text) = core.stand_in(number);
    let message = PyDict::new(py);
    message.set_item(intern!(py, "role"), role.name())?;
    message.set_item(intern!(py, "content"), text)?;
    Ok(message)
}

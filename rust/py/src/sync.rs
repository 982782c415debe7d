//! Makes an index one about another list.

use chatfold_core::Role;
use pyo3::exceptions::PyRecursionError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::errors::{ChatfoldError, to_python};
use crate::index::{PyMessageIndex, State};
use crate::work::WORK;

/// Makes the index one about this list. Returns how many of its messages were known.
///
/// The known messages are recognised by identity, else by content. Where one of them is another now,
/// or missing, the index is built anew, and remembers what it knew about the messages before it, as
/// far as that was decided with no more than those. A system message that took the place of another one is new by itself: nothing else depends on it.
#[pyfunction]
pub(crate) fn sync(
    index: &Bound<'_, PyMessageIndex>,
    messages: &Bound<'_, PyList>,
) -> PyResult<usize> {
    PyMessageIndex::with(index, |state| {
        if index.get().is_asked() {
            return Err(ChatfoldError::new_err(
                "the index is being compacted by the call that asks this trigger; sync before or \
                 after compacting",
            ));
        }
        let Prefix { known, identical, other_systems } = known_prefix(state, messages)?;
        let reader = state.messages.reader();
        let read = |positions: std::ops::Range<usize>| {
            WORK.read(positions.len());
            positions
                .map(|position| reader.facts(&messages.get_item(position)?, position))
                .collect::<PyResult<Vec<_>>>()
        };
        // Everything that can fail comes before anything is changed.
        if known == state.messages.list.len() && other_systems.is_empty() {
            for facts in &read(known..messages.len())? {
                state.core.push(facts).map_err(to_python)?;
            }
        } else {
            let left = u32::try_from(known).unwrap_or(u32::MAX);
            let mut saved = state.core.save(left);
            for position in other_systems {
                saved.forget(u32::try_from(position).unwrap_or(u32::MAX));
            }
            let mut core = state.core.fresh();
            for facts in &read(0..messages.len())? {
                core.push(facts).map_err(to_python)?;
            }
            core.load(&saved, false);
            if known < state.messages.list.len() {
                core.include_floor();
            }
            state.core = core;
        }
        // What is kept is handed out as the caller's own objects: those of this list.
        let held = if identical { known } else { 0 };
        state.messages.replace_from(held, messages.iter().skip(held).map(Bound::unbind));
        if let Some(last) = messages.len().checked_sub(1) {
            let newest = state.messages.reader().facts(&messages.get_item(last)?, last)?;
            state.messages.note_newest(messages.py(), &newest);
        }
        Ok(known)
    })
}

/// Includes again what no strategy may exclude, for a list that lost its end before it was read.
#[pyfunction]
pub(crate) fn include_floor(index: &Bound<'_, PyMessageIndex>) -> PyResult<()> {
    PyMessageIndex::with(index, |state| {
        state.core.include_floor();
        Ok(())
    })
}

/// What a list shares with the index.
struct Prefix {
    /// How many messages at its start the index knows.
    known: usize,
    /// Whether all of them are the very same objects.
    identical: bool,
    /// Which of them are system messages with other content.
    other_systems: Vec<usize>,
}

/// What is nested too deeply to be compared counts as another.
fn is_equal(ours: &Bound<'_, PyAny>, theirs: &Bound<'_, PyAny>) -> PyResult<bool> {
    match ours.eq(theirs) {
        Err(error) if error.is_instance_of::<PyRecursionError>(ours.py()) => Ok(false),
        answer => answer,
    }
}

fn known_prefix(state: &State, messages: &Bound<'_, PyList>) -> PyResult<Prefix> {
    let py = messages.py();
    let reader = state.messages.reader();
    let is_system = |message: &Bound<'_, PyAny>, position| {
        let role = reader.facts(message, position)?.role;
        PyResult::Ok(matches!(role, Role::System | Role::Developer))
    };
    let most = messages.len().min(state.messages.list.len());
    let mut prefix = Prefix { known: 0, identical: true, other_systems: Vec::new() };
    for position in 0..most {
        let (ours, theirs) = (state.messages.list[position].bind(py), messages.get_item(position)?);
        if !ours.is(&theirs) {
            if !is_equal(ours, &theirs)? {
                if !(is_system(ours, position)? && is_system(&theirs, position)?) {
                    break;
                }
                prefix.other_systems.push(position);
            }
            prefix.identical = false;
        }
        prefix.known += 1;
    }
    // A newest message that grows while it is streamed is the same object with other content.
    if let Some(last) = prefix.known.checked_sub(1) {
        let facts = reader.facts(state.messages.list[last].bind(py), last)?;
        let before = state.core.message_bytes(u32::try_from(last).unwrap_or(u32::MAX));
        if state.messages.is_rewritten(py, last, &facts)?.unwrap_or(before != Some(facts.bytes)) {
            prefix.known = last;
            prefix.other_systems.retain(|&position| position < last);
        }
    }
    Ok(prefix)
}

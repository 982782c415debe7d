//! Lists of messages, read whole.

use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::breath::Breath;
use crate::errors::to_python;
use crate::index::State;
use crate::work::WORK;

/// Room is left for a sixteenth more than a list holds: with none, the next message would move all.
const ROOM_FOR_MORE: usize = 16;

/// Reads more messages; where one of them can't be read, none is taken.
pub(crate) fn extend(state: &mut State, messages: &Bound<'_, PyList>) -> PyResult<()> {
    if state.messages.list.is_empty() {
        let fresh = state.core.fresh();
        return read_all(state, messages).inspect_err(|_| {
            state.core = fresh;
            state.messages.list = Vec::new();
        });
    }
    let reader = state.messages.reader();
    let start = state.messages.list.len();
    let mut breath = Breath::new();
    let mut facts = Vec::with_capacity(messages.len());
    for (at, message) in messages.iter().enumerate() {
        facts.push(reader.facts(&message, start + at)?);
        breath.take(messages.py(), at)?;
    }
    WORK.read(facts.len());
    for (message, facts) in messages.iter().zip(&facts) {
        state.core.push(facts).map_err(to_python)?;
        state.messages.list.push(message.unbind());
    }
    if let Some(newest) = facts.last() {
        state.messages.note_newest(messages.py(), newest);
    }
    Ok(())
}

fn read_all(state: &mut State, messages: &Bound<'_, PyList>) -> PyResult<()> {
    let py = messages.py();
    let reader = state.messages.reader();
    let mut breath = Breath::new();
    let room = messages.len() + messages.len() / ROOM_FOR_MORE;
    state.messages.list.reserve_exact(room);
    state.core.reserve(room);
    let mut newest = None;
    for (position, message) in messages.iter().enumerate() {
        let facts = reader.facts(&message, position)?;
        state.core.push(&facts).map_err(to_python)?;
        state.messages.list.push(message.unbind());
        newest = Some(facts);
        breath.take(py, position)?;
    }
    WORK.read(messages.len());
    if let Some(newest) = newest {
        state.messages.note_newest(py, &newest);
    }
    Ok(())
}

//! Saving, loading and syncing an index: its memory in plain Python values.

use chatfold_core::{Role, Saved, SavedGroup, SavedId, SavedStandIn};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyList;
use xxhash_rust::xxh3::Xxh3;

use crate::errors::to_python;
use crate::index::{PyMessageIndex, State};
use crate::read::visit_texts;
use crate::text::with_text;
use crate::work::WORK;

/// First position, number of messages, reason, whether a stand-in stands for it.
type GroupOf = (u32, u32, String, bool);
/// Whether it is a stand-in, and its number or first position.
type IdOf = (bool, u32);
/// Role, text, tokens, what it replaced, included, reason, whether another stands for it.
type StandInOf = (String, String, Option<u32>, Vec<IdOf>, bool, String, bool);
/// Tokens, groups, stand-ins.
type SavedOf = (Vec<Option<u32>>, Vec<GroupOf>, Vec<StandInOf>);

/// The memory of an index.
#[pyfunction]
pub(crate) fn save(index: &Bound<'_, PyMessageIndex>) -> PyResult<SavedOf> {
    PyMessageIndex::with(index, |state| {
        let saved = state.core.save(state.core.message_count());
        let groups = saved.groups.into_iter();
        let stand_ins = saved.stand_ins.into_iter();
        Ok((
            saved.tokens,
            groups.map(|group| (group.first, group.len, group.reason, group.replaced)).collect(),
            stand_ins.map(stand_in_to_python).collect(),
        ))
    })
}

fn stand_in_to_python(stand_in: SavedStandIn) -> StandInOf {
    let replaces = stand_in.replaces.into_iter().map(|id| match id {
        SavedId::Group(first) => (false, first),
        SavedId::StandIn(number) => (true, number),
    });
    (
        stand_in.role.name().to_owned(),
        stand_in.text,
        stand_in.tokens,
        replaces.collect(),
        stand_in.included,
        stand_in.reason,
        stand_in.replaced,
    )
}

/// Takes over a saved memory. Says `false`, and takes nothing over, where it does not fit.
#[pyfunction]
pub(crate) fn load(index: &Bound<'_, PyMessageIndex>, saved: SavedOf) -> PyResult<bool> {
    let (tokens, groups, stand_ins) = saved;
    let stand_ins = stand_ins
        .into_iter()
        .map(|(role, text, tokens, replaces, included, reason, replaced)| {
            let Some(role @ (Role::Assistant | Role::User)) = Role::from_name(&role) else {
                return Err(PyValueError::new_err(format!("a stand-in has the role {role:?}")));
            };
            let replaces = replaces.into_iter().map(|(stand_in, number)| {
                if stand_in { SavedId::StandIn(number) } else { SavedId::Group(number) }
            });
            let replaces = replaces.collect();
            Ok(SavedStandIn { role, text, tokens, replaces, included, reason, replaced })
        })
        .collect::<PyResult<_>>()?;
    let groups = groups.into_iter();
    let groups = groups
        .map(|(first, len, reason, replaced)| SavedGroup { first, len, reason, replaced })
        .collect();
    let saved = Saved { tokens, groups, stand_ins };
    PyMessageIndex::with(index, |state| Ok(state.core.load(&saved, true)))
}

/// A 128-bit hash of the roles and texts of all messages, as hexadecimal digits.
#[pyfunction]
pub(crate) fn fingerprint(index: &Bound<'_, PyMessageIndex>) -> PyResult<String> {
    let py = index.py();
    PyMessageIndex::with(index, |state| {
        let mut hash = Xxh3::new();
        for (position, message) in state.messages.list.iter().enumerate() {
            let message = message.bind(py);
            hash.update(crate::read::role_of(message, position)?.name().as_bytes());
            visit_texts(message, position, &mut |text| {
                with_text(&text, |text| {
                    hash.update(&(text.len() as u64).to_le_bytes());
                    hash.update(text.as_bytes());
                })
            })?;
            hash.update(b"\n");
        }
        Ok(format!("{:032x}", hash.digest128()))
    })
}

/// Makes the index one about this list. Returns how many of its messages were known.
///
/// The known messages are recognised by identity, else by content. Where one of them is another now,
/// or missing, the index is built anew, and remembers what it knew about the groups before it.
#[pyfunction]
pub(crate) fn sync(
    index: &Bound<'_, PyMessageIndex>,
    messages: &Bound<'_, PyList>,
) -> PyResult<usize> {
    PyMessageIndex::with(index, |state| {
        let known = known_prefix(state, messages)?;
        let reader = state.messages.reader();
        if known == state.messages.list.len() {
            let facts = (known..messages.len())
                .map(|position| reader.facts(&messages.get_item(position)?, position))
                .collect::<PyResult<Vec<_>>>()?;
            WORK.read(facts.len());
            for (position, facts) in (known..).zip(&facts) {
                state.core.push(facts).map_err(to_python)?;
                state.messages.list.push(messages.get_item(position)?.unbind());
            }
        } else {
            let saved = state.core.save(u32::try_from(known).unwrap_or(u32::MAX));
            let mut core = state.core.fresh();
            let mut list = Vec::with_capacity(messages.len());
            for (position, message) in messages.iter().enumerate() {
                core.push(&reader.facts(&message, position)?).map_err(to_python)?;
                list.push(message.unbind());
            }
            WORK.read(list.len());
            core.load(&saved, false);
            state.core = core;
            state.messages.list = list;
        }
        Ok(known)
    })
}

/// How many messages at the start of the list are those that the index knows.
fn known_prefix(state: &mut State, messages: &Bound<'_, PyList>) -> PyResult<usize> {
    let py = messages.py();
    let most = messages.len().min(state.messages.list.len());
    let mut known = 0;
    while known < most {
        let (ours, theirs) = (state.messages.list[known].bind(py), messages.get_item(known)?);
        if !ours.is(&theirs) {
            if !ours.eq(&theirs)? {
                break;
            }
            // What is kept is handed out as the caller's own objects: those of this list.
            state.messages.list[known] = theirs.unbind();
        }
        known += 1;
    }
    // A newest message that grows while it is streamed is the same object with other content.
    if let Some(last) = known.checked_sub(1) {
        let facts = state.messages.reader().facts(state.messages.list[last].bind(py), last)?;
        let before = state.core.message_bytes(u32::try_from(last).unwrap_or(u32::MAX));
        if before != Some(facts.bytes) {
            known = last;
        }
    }
    Ok(known)
}

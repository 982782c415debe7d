//! Saving, loading and syncing an index: its memory in plain Python values.

use chatfold_core::{
    CallKey, Place, Role, Saved, SavedGroup, SavedId, SavedSettled, SavedShortened, SavedStandIn,
};
use pyo3::exceptions::{PyRecursionError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyList;
use xxhash_rust::xxh3::Xxh3;

use crate::errors::{ChatfoldError, to_python};
use crate::index::{PyMessageIndex, State};
use crate::read::{PartTokens, Reader, visit_texts};
use crate::text::with_text;
use crate::work::WORK;

/// First position, number of messages, reason, whether a stand-in stands for it.
type GroupOf = (u32, u32, String, bool);
/// Whether it is a stand-in, and its number or first position.
type IdOf = (bool, u32);
/// Role, text, tokens, what it replaced, included, reason, whether another stands for it.
type StandInOf = (String, String, Option<u32>, Vec<IdOf>, bool, String, bool);
/// Position, texts by kind of place and its number, bytes and code points, tokens, reason.
type ShortenedOf = (u32, Vec<(String, u32, String)>, (u32, u32), Option<u32>, String);
/// A number for the strategy, and where runs of messages that it has put aside start and end, by
/// stage.
type SettledOf = (u128, Vec<(u32, u32)>, Vec<(u32, u32)>);
/// Tokens, groups, stand-ins, protected groups, shortened messages, what is settled.
type SavedOf =
    (Vec<Option<u32>>, Vec<GroupOf>, Vec<StandInOf>, Vec<u32>, Vec<ShortenedOf>, Vec<SettledOf>);

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
            saved.protected,
            saved.shortened.into_iter().map(shortened_to_python).collect(),
            saved.settled.into_iter().map(settled_to_python).collect(),
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

fn settled_to_python(settled: SavedSettled) -> SettledOf {
    let [first, second] = settled
        .stages
        .map(|ranges| ranges.into_iter().map(|range| (range.start, range.end)).collect::<Vec<_>>());
    (settled.options, first, second)
}

fn settled_from_python((options, first, second): SettledOf) -> SavedSettled {
    let ranges =
        |ranges: Vec<(u32, u32)>| ranges.into_iter().map(|(start, end)| start..end).collect();
    SavedSettled { options, stages: [ranges(first), ranges(second)] }
}

const CONTENT: &str = "content";
const PART: &str = "part";
const ARGUMENTS: &str = "arguments";

fn shortened_to_python(shortened: SavedShortened) -> ShortenedOf {
    let texts = shortened.texts.into_iter().map(|(place, text)| {
        let (kind, number) = match place {
            Place::Content => (CONTENT, 0),
            Place::Part(number) => (PART, number),
            Place::Arguments(number) => (ARGUMENTS, number),
        };
        (kind.to_owned(), number, text)
    });
    let texts = texts.collect();
    (shortened.message, texts, shortened.size, shortened.tokens, shortened.reason)
}

fn shortened_from_python(shortened: ShortenedOf) -> PyResult<SavedShortened> {
    let (message, texts, size, tokens, reason) = shortened;
    let texts = texts.into_iter().map(|(kind, number, text)| {
        let place = match kind.as_str() {
            CONTENT => Place::Content,
            PART => Place::Part(number),
            ARGUMENTS => Place::Arguments(number),
            _ => return Err(PyValueError::new_err(format!("a text stands in {kind:?}"))),
        };
        Ok((place, text))
    });
    let texts = texts.collect::<PyResult<_>>()?;
    Ok(SavedShortened { message, texts, size, tokens, reason })
}

/// Takes over a saved memory. Says `false`, and takes nothing over, where it does not fit.
#[pyfunction]
pub(crate) fn load(index: &Bound<'_, PyMessageIndex>, saved: SavedOf) -> PyResult<bool> {
    let (tokens, groups, stand_ins, protected, shortened, settled) = saved;
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
    let shortened = shortened.into_iter().map(shortened_from_python).collect::<PyResult<_>>()?;
    let settled = settled.into_iter().map(settled_from_python).collect();
    let saved = Saved { tokens, groups, stand_ins, protected, shortened, settled };
    PyMessageIndex::with(index, |state| Ok(state.core.load(&saved, true)))
}

/// A 128-bit hash of all that the index reads of its messages, as hexadecimal digits.
#[pyfunction]
pub(crate) fn fingerprint(index: &Bound<'_, PyMessageIndex>) -> PyResult<String> {
    let py = index.py();
    PyMessageIndex::with(index, |state| {
        // Prices may change between saving and loading: parts are told apart by kind.
        let parts = PartTokens { image: 1, audio: 1 << 8, file: 1 << 16, other: 1 << 24 };
        let reader = Reader { parts, estimator: None };
        let mut hash = Xxh3::new();
        for (position, message) in state.messages.list.iter().enumerate() {
            let message = message.bind(py);
            let facts = reader.facts(message, position)?;
            hash.update(facts.role.name().as_bytes());
            hash.update(&facts.fixed_tokens.to_le_bytes());
            for key in facts.calls.iter().chain([&facts.answers]) {
                hash.update(&key.map_or(0, CallKey::bits).to_le_bytes());
            }
            for key in &facts.more_answers {
                hash.update(&key.bits().to_le_bytes());
            }
            visit_texts(message, position, &mut |text| {
                with_text(&text, |text| {
                    hash.update(&(text.len() as u64).to_le_bytes());
                    hash.update(text.as_bytes());
                })
            })?;
        }
        Ok(format!("{:032x}", hash.digest128()))
    })
}

/// Makes the index one about this list. Returns how many of its messages were known.
///
/// The known messages are recognised by identity, else by content. Where one of them is another now,
/// or missing, the index is built anew, and remembers what it knew about the groups before it. A
/// system message that took the place of another one is new by itself: nothing else depends on it.
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
            let mut saved = state.core.save(u32::try_from(known).unwrap_or(u32::MAX));
            for position in other_systems {
                saved.forget(u32::try_from(position).unwrap_or(u32::MAX));
            }
            let mut core = state.core.fresh();
            for facts in &read(0..messages.len())? {
                core.push(facts).map_err(to_python)?;
            }
            core.load(&saved, false);
            state.core = core;
        }
        // What is kept is handed out as the caller's own objects: those of this list.
        let held = if identical { known } else { 0 };
        state.messages.replace_from(held, messages.iter().skip(held).map(Bound::unbind));
        Ok(known)
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
        if before != Some(facts.bytes) {
            prefix.known = last;
            prefix.other_systems.retain(|&position| position < last);
        }
    }
    Ok(prefix)
}

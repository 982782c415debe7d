//! Saving and loading an index: its memory in plain Python values.

use chatfold_core::{
    Place, Role, Saved, SavedGroup, SavedId, SavedSettled, SavedShortened, SavedStandIn,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use xxhash_rust::xxh3::Xxh3;

use crate::fingerprint::add;
use crate::index::PyMessageIndex;
use crate::read::{PartTokens, Reader};

/// First position, number of messages, reason, whether a stand-in stands for it, decided at.
type GroupOf = (u32, u32, String, bool, u32);
/// Whether it is a stand-in, and its number or first position.
type IdOf = (bool, u32);
/// Role, text, tokens, what it replaced, included, reason, whether another stands for it, decided at,
/// whether somebody wrote it, excluded at.
type StandInOf = (String, String, Option<u32>, Vec<IdOf>, bool, String, bool, u32, bool, u32);
/// Position, texts by kind of place and its number, bytes and code points, tokens, reason, decided at.
type ShortenedOf = (u32, Vec<(String, u32, String)>, (u32, u32), Option<u32>, String, u32);
/// A number for the strategy, and where runs of messages that it has put aside start and end, by
/// stage.
type SettledOf = (u128, Vec<(u32, u32)>, Vec<(u32, u32)>);
/// Tokens, groups, stand-ins, protected groups, shortened messages, what is settled, and numbers for
/// the strategies that ended with the index as it is.
type SavedOf = (
    Vec<Option<u32>>,
    Vec<GroupOf>,
    Vec<StandInOf>,
    Vec<u32>,
    Vec<ShortenedOf>,
    Vec<SettledOf>,
    Vec<u128>,
);

/// The memory of an index.
#[pyfunction]
pub(crate) fn save(index: &Bound<'_, PyMessageIndex>) -> PyResult<SavedOf> {
    PyMessageIndex::with(index, |state| {
        let saved = state.core.save(state.core.message_count());
        let groups = saved.groups.into_iter();
        let groups = groups
            .map(|group| (group.first, group.len, group.reason, group.replaced, group.decided_at));
        let stand_ins = saved.stand_ins.into_iter();
        Ok((
            saved.tokens,
            groups.collect(),
            stand_ins.map(stand_in_to_python).collect(),
            saved.protected,
            saved.shortened.into_iter().map(shortened_to_python).collect(),
            saved.settled.into_iter().map(settled_to_python).collect(),
            saved.finished,
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
        stand_in.decided_at,
        stand_in.written,
        stand_in.excluded_at,
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
    let SavedShortened { message, size, tokens, reason, decided_at, .. } = shortened;
    (message, texts, size, tokens, reason, decided_at)
}

fn shortened_from_python(shortened: ShortenedOf) -> PyResult<SavedShortened> {
    let (message, texts, size, tokens, reason, decided_at) = shortened;
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
    Ok(SavedShortened { message, texts, size, tokens, reason, decided_at })
}

/// Takes over a saved memory. Says `false`, and takes nothing over, where it does not fit.
#[pyfunction]
pub(crate) fn load(index: &Bound<'_, PyMessageIndex>, saved: SavedOf) -> PyResult<bool> {
    let (tokens, groups, stand_ins, protected, shortened, settled, finished) = saved;
    let stand_ins = stand_ins
        .into_iter()
        .map(|stand_in| {
            let (role, text, counted, replaces, included, reason, hidden, ..) = stand_in;
            let (.., decided_at, written, excluded_at) = stand_in;
            let Some(role @ (Role::Assistant | Role::User)) = Role::from_name(&role) else {
                return Err(PyValueError::new_err(format!("a stand-in has the role {role:?}")));
            };
            let replaces = replaces.into_iter().map(|(stand_in, number)| {
                if stand_in { SavedId::StandIn(number) } else { SavedId::Group(number) }
            });
            let replaces = replaces.collect();
            Ok(SavedStandIn {
                role,
                text,
                tokens: counted,
                replaces,
                included,
                reason,
                replaced: hidden,
                decided_at,
                written,
                excluded_at,
            })
        })
        .collect::<PyResult<_>>()?;
    let groups = groups.into_iter();
    let groups = groups
        .map(|(first, len, reason, replaced, decided_at)| SavedGroup {
            first,
            len,
            reason,
            replaced,
            decided_at,
        })
        .collect();
    let shortened = shortened.into_iter().map(shortened_from_python).collect::<PyResult<_>>()?;
    let settled = settled.into_iter().map(settled_from_python).collect();
    let saved = Saved { tokens, groups, stand_ins, protected, shortened, settled, finished };
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
            add(&mut hash, message, position, &facts)?;
        }
        Ok(format!("{:032x}", hash.digest128()))
    })
}

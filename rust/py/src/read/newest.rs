//! Reads only as much of a list as a strategy's outcome depends on.

use std::collections::{HashMap, HashSet};

use chatfold_core::{CallKey, Facts, KeptOfOlder, Plan, Role};
use pyo3::prelude::*;
use pyo3::types::PyList;

use super::openai_chat::{Reader, is_stand_in, role_of};
use crate::breath::Breath;
use crate::errors::to_python;
use crate::index::{PyMessageIndex, State};
use crate::work::WORK;

/// Below this many messages reading all of them costs less than finding out.
const WORTHWHILE: usize = 512;
/// How many of the newest messages are tried first, and by how much more each further time.
const FIRST_TRY: usize = 128;
const GROWTH: usize = 4;

/// Fills an empty index with the part of the list that decides what `plan` keeps.
///
/// All roles are read. Says whether only a part of the messages was read whole; what of the list is
/// not in the index then, the strategy excludes. `false` leaves the index empty.
pub(crate) fn read_newest(
    index: &Bound<'_, PyMessageIndex>,
    messages: &Bound<'_, PyList>,
    plan: &Plan,
) -> PyResult<bool> {
    let Some(kept) = plan.horizon().filter(|_| messages.len() >= WORTHWHILE) else {
        return Ok(false);
    };
    let reader = PyMessageIndex::with(index, |state| Ok(state.messages.reader()))?;
    let Some(mut history) = History::of(messages, reader, kept)? else { return Ok(false) };
    let mut size = FIRST_TRY;
    while let Some(start) = history.cut(size)? {
        if !history.fill(index, start)? {
            break;
        }
        let older = history.kept_of_older(start);
        if PyMessageIndex::with_host(index, None, |core, host| {
            plan.newest_part_decides(core, older, host)
        })? {
            return Ok(true);
        }
        history.remember_counts(index)?;
        size *= GROWTH;
    }
    PyMessageIndex::with(index, |state| {
        empty(state);
        Ok(false)
    })
}

fn empty(state: &mut State) {
    state.core = state.core.fresh();
    state.messages.list.clear();
}

/// A list of messages of which all roles are known.
struct History<'a, 'py> {
    messages: &'a Bound<'py, PyList>,
    reader: Reader,
    roles: Vec<Role>,
    /// The newest user message that is no stand-in: the current turn is always read.
    last_user: usize,
    /// Older messages that the strategy keeps: positions, ascending.
    kept: Vec<usize>,
    /// What the index holds, as positions of the list.
    held: Vec<usize>,
    counted: HashMap<usize, u32>,
}

impl<'a, 'py> History<'a, 'py> {
    fn of(
        messages: &'a Bound<'py, PyList>,
        reader: Reader,
        kept: KeptOfOlder,
    ) -> PyResult<Option<Self>> {
        let mut breath = Breath::new();
        let mut roles = Vec::with_capacity(messages.len());
        for (position, message) in messages.iter().enumerate() {
            roles.push(role_of(&message, position)?);
            breath.take(messages.py(), position)?;
        }
        WORK.read_roles(messages.len());
        let mut history = Self {
            messages,
            reader,
            roles,
            last_user: 0,
            kept: Vec::new(),
            held: Vec::new(),
            counted: HashMap::new(),
        };
        let Some(last_user) = history.user_at_or_before(history.roles.len() - 1)? else {
            return Ok(None);
        };
        history.last_user = last_user;
        Ok(history.find_kept(kept)?.then_some(history))
    }

    /// Finds what older messages are kept; says whether that can be told from roles.
    fn find_kept(&mut self, kept: KeptOfOlder) -> PyResult<bool> {
        let mut first_user = self.roles.len();
        if kept.first_user || kept.turn_zero {
            first_user = 0;
            while self.roles[first_user] != Role::User || self.is_stand_in(first_user)? {
                first_user += 1;
            }
        }
        for (position, role) in self.roles.iter().enumerate() {
            let system = matches!(role, Role::System | Role::Developer);
            let in_turn_zero = kept.turn_zero && position < first_user;
            if in_turn_zero && !system {
                // A call in turn 0 may have its result anywhere.
                let facts = self.reader.facts(&self.messages.get_item(position)?, position)?;
                if !facts.calls.is_empty() || facts.is_result() || facts.reasoning_only {
                    return Ok(false);
                }
            }
            if system || in_turn_zero || (kept.first_user && position == first_user) {
                self.kept.push(position);
            }
        }
        Ok(true)
    }

    fn is_stand_in(&self, position: usize) -> PyResult<bool> {
        is_stand_in(&self.messages.get_item(position)?)
    }

    /// The nearest user message from there back that is no stand-in: there a turn starts.
    fn user_at_or_before(&self, from: usize) -> PyResult<Option<usize>> {
        for position in (0..=from).rev() {
            if self.roles[position] == Role::User && !self.is_stand_in(position)? {
                return Ok(Some(position));
            }
        }
        Ok(None)
    }

    /// Where to cut so that at least `size` messages are newer; `None` where that gains little.
    fn cut(&self, size: usize) -> PyResult<Option<usize>> {
        let total = self.roles.len();
        let Some(from) = total.checked_sub(size) else { return Ok(None) };
        let start = self.user_at_or_before(from.min(self.last_user))?;
        Ok(start.filter(|&start| start > total / 4))
    }

    fn facts(&self, position: usize) -> PyResult<Facts> {
        let mut facts = self.reader.facts(&self.messages.get_item(position)?, position)?;
        if let Some(&tokens) = self.counted.get(&position) {
            facts.text_tokens = Some(tokens.saturating_sub(facts.fixed_tokens));
        }
        Ok(facts)
    }

    /// Fills the index with what is kept and what is newer than the cut.
    ///
    /// Says `false` where a result in the newest part may have its call in the older part.
    fn fill(&mut self, index: &Bound<'_, PyMessageIndex>, start: usize) -> PyResult<bool> {
        self.held.clear();
        let older = self.kept.iter().copied().take_while(|&position| position < start);
        self.held.extend(older.chain(start..self.roles.len()));
        // How many calls of the newest part wait for a result, by key.
        let mut waiting: HashMap<CallKey, usize> = HashMap::new();
        let mut searching = HashSet::new();
        PyMessageIndex::with(index, |state| {
            empty(state);
            let mut breath = Breath::new();
            for (at, &position) in self.held.iter().enumerate() {
                let facts = self.facts(position)?;
                for key in facts.calls.iter().copied().flatten() {
                    *waiting.entry(key).or_default() += 1;
                }
                for key in facts.answered() {
                    // A result takes the nearest call that waits, which may be one of long ago.
                    match waiting.get_mut(&key).filter(|calls| **calls > 0) {
                        Some(calls) => *calls -= 1,
                        None => {
                            searching.insert(key);
                        }
                    }
                }
                state.core.push(&facts).map_err(to_python)?;
                state.messages.list.push(self.messages.get_item(position)?.unbind());
                breath.take(self.messages.py(), at)?;
            }
            WORK.read(self.held.len());
            Ok(())
        })?;
        Ok(searching.is_empty() || !self.has_call(start, &searching)?)
    }

    /// How many messages before the cut are in the index and are no system messages.
    fn kept_of_older(&self, start: usize) -> u32 {
        let older = self.held.iter().take_while(|&&position| position < start);
        let spoken =
            older.filter(|&&at| !matches!(self.roles[at], Role::System | Role::Developer)).count();
        u32::try_from(spoken).unwrap_or(u32::MAX)
    }

    /// Whether one of these calls is made before the cut.
    fn has_call(&self, start: usize, searching: &HashSet<CallKey>) -> PyResult<bool> {
        let mut breath = Breath::new();
        for position in (0..start).rev().filter(|&at| self.roles[at] == Role::Assistant) {
            breath.take(self.messages.py(), position)?;
            let facts = self.reader.facts(&self.messages.get_item(position)?, position)?;
            if facts.calls.iter().flatten().any(|key| searching.contains(key)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Keeps the counts that the index has, so that no text is counted twice.
    fn remember_counts(&mut self, index: &Bound<'_, PyMessageIndex>) -> PyResult<()> {
        PyMessageIndex::with(index, |state| {
            for (at, &position) in (0..).zip(&self.held) {
                if let Some(tokens) = state.core.known_tokens(at) {
                    self.counted.insert(position, tokens);
                }
            }
            Ok(())
        })
    }
}

//! The surroundings that the core asks: the messages, the tokenizer, the caller's own code.

use std::time::Instant;

use chatfold_core::{Callback, Host, MessageIndex, Place, Result, Texts, ToolExchange, VisitText};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::errors::{OptionTypeError, shown, to_core};
use crate::index::{Messages, PyMessageIndex, State};
use crate::read::{tool_exchange, tool_name, visit_places, visit_texts, with_texts};
use crate::text::Text;

/// How many bytes of text beyond ASCII are encoded at a time, to be counted and dropped.
const COPIED_AT_A_TIME: usize = 16 << 20;

/// Python, as the core sees it, for the length of one call.
pub(crate) struct PyHost<'py, 'a> {
    pub(crate) index: &'a Bound<'py, PyMessageIndex>,
    pub(crate) messages: &'a mut Messages,
    /// The caller's triggers and formatters by number.
    pub(crate) callables: Option<&'a Bound<'py, PyDict>>,
    pub(crate) started: Instant,
}

/// The texts of a message, borrowed.
pub(crate) fn texts(py: Python<'_>, messages: &Messages, message: u32) -> PyResult<Vec<Text>> {
    let position = message as usize;
    let mut texts = Vec::with_capacity(1);
    visit_texts(messages.list[position].bind(py), position, &mut |text| {
        texts.push(Text::of(&text)?);
        Ok(())
    })?;
    Ok(texts)
}

/// The texts of the next of these messages: of so many that what is copied for them stays small.
pub(crate) fn batch(
    py: Python<'_>,
    messages: &Messages,
    left: &mut std::slice::Iter<'_, u32>,
) -> PyResult<Vec<Vec<Text>>> {
    let mut lists = Vec::with_capacity(left.len());
    let mut copied = 0;
    for &message in left {
        let texts = texts(py, messages, message)?;
        copied += texts.iter().map(Text::copied).sum::<usize>();
        lists.push(texts);
        if copied >= COPIED_AT_A_TIME {
            break;
        }
    }
    Ok(lists)
}

/// The texts of messages with those that stand in the places of some of them.
pub(crate) fn shortened_texts(
    py: Python<'_>,
    messages: &Messages,
    shortened: &[(u32, &[(Place, String)])],
) -> PyResult<Vec<Vec<Text>>> {
    let texts_of = |&(message, texts): &(u32, &[(Place, String)])| {
        let position = message as usize;
        let copy = with_texts(messages.list[position].bind(py), texts)?;
        let mut texts = Vec::with_capacity(1);
        visit_texts(&copy, position, &mut |text| {
            texts.push(Text::of(&text)?);
            Ok(())
        })?;
        Ok(texts)
    };
    shortened.iter().map(texts_of).collect()
}

/// The texts of a message that may be shortened, borrowed.
pub(crate) fn places(
    py: Python<'_>,
    messages: &Messages,
    message: u32,
    which: Texts,
) -> PyResult<Vec<(Place, Text)>> {
    let position = message as usize;
    let mut places = Vec::with_capacity(1);
    visit_places(messages.list[position].bind(py), position, which, &mut |place, text| {
        places.push((place, Text::of(&text)?));
        Ok(())
    })?;
    Ok(places)
}

/// The name of the tool whose result a message of a group is.
pub(crate) fn name_of(
    py: Python<'_>,
    messages: &Messages,
    group: &[u32],
    result: u32,
) -> PyResult<String> {
    let position = result as usize;
    tool_name(&bound(py, messages, group), messages.list[position].bind(py), position)
}

fn bound<'py>(
    py: Python<'py>,
    messages: &Messages,
    group: &[u32],
) -> Vec<(usize, Bound<'py, PyAny>)> {
    let each = group.iter().map(|&at| at as usize);
    each.map(|at| (at, messages.list[at].bind(py).clone())).collect()
}

/// The calls and results of messages that are one group.
pub(crate) fn exchange(
    py: Python<'_>,
    messages: &Messages,
    group: &[u32],
    limit: Option<usize>,
) -> PyResult<ToolExchange> {
    tool_exchange(&bound(py, messages, group), limit)
}

impl<'py> PyHost<'py, '_> {
    fn callable(&self, callback: Callback) -> PyResult<Bound<'py, PyAny>> {
        let found = self.callables.map(|table| table.get_item(callback.0)).transpose()?.flatten();
        found.ok_or_else(|| PyTypeError::new_err("the strategy came without its callables"))
    }

    fn count(&self, messages: &[u32]) -> PyResult<Vec<u32>> {
        let py = self.index.py();
        let mut left = messages.iter();
        let mut counts = Vec::with_capacity(messages.len());
        while left.len() > 0 {
            let lists = batch(py, self.messages, &mut left)?;
            counts.extend(self.messages.counter.count_texts(py, &lists)?);
        }
        Ok(counts)
    }
}

impl Host for PyHost<'_, '_> {
    fn count_messages(&mut self, messages: &[u32]) -> Result<Vec<u32>> {
        self.count(messages).map_err(to_core)
    }

    fn count_text(&mut self, text: &str) -> Result<u32> {
        let text = Text::Repaired(text.to_owned());
        let counts = self.messages.counter.count_texts(self.index.py(), &[vec![text]]);
        counts.map(|counts| counts[0]).map_err(to_core)
    }

    fn count_shortened(&mut self, messages: &[(u32, &[(Place, String)])]) -> Result<Vec<u32>> {
        let py = self.index.py();
        let texts = shortened_texts(py, self.messages, messages);
        texts.and_then(|texts| self.messages.counter.count_texts(py, &texts)).map_err(to_core)
    }

    fn visit_texts(&mut self, message: u32, which: Texts, visit: VisitText<'_>) -> Result<()> {
        let texts = places(self.index.py(), self.messages, message, which).map_err(to_core)?;
        texts.iter().try_for_each(|(place, text)| visit(self, *place, text.as_str()))
    }

    fn tool_name(&mut self, group: &[u32], result: u32) -> Result<String> {
        name_of(self.index.py(), self.messages, group, result).map_err(to_core)
    }

    fn tool_exchange(&mut self, group: &[u32], limit: Option<usize>) -> Result<ToolExchange> {
        exchange(self.index.py(), self.messages, group, limit).map_err(to_core)
    }

    fn format_digest(&mut self, formatter: Callback, exchange: &ToolExchange) -> Result<String> {
        let format = || {
            let results: Vec<_> =
                exchange.results.iter().map(|result| (&result.name, &result.text)).collect();
            let text = self.callable(formatter)?.call1((results, &exchange.names))?;
            match text.cast::<PyString>() {
                Ok(text) => Ok(Text::of(text)?.as_str().to_owned()),
                Err(_) => Err(OptionTypeError::new_err(format!(
                    "formatter returned {}; it must return the digest as text",
                    shown(&text)
                ))),
            }
        };
        format().map_err(to_core)
    }

    /// The trigger gets the real index: everything is put back for as long as it runs.
    fn ask(&mut self, trigger: Callback, index: &mut MessageIndex) -> Result<bool> {
        let callable = self.callable(trigger).map_err(to_core)?;
        let state = State {
            core: std::mem::take(index),
            messages: std::mem::replace(self.messages, Messages::placeholder()),
        };
        let owner = self.index.get();
        owner.put_back(Box::new(state));
        let answer = owner.while_asked(|| callable.call1((self.index,))).and_then(|answer| {
            if answer.hasattr(intern!(answer.py(), "__await__"))? {
                return Err(OptionTypeError::new_err(format!(
                    "trigger {} must be awaited; a trigger is a plain function that answers at once",
                    shown(&callable)
                )));
            }
            answer.is_truthy()
        });
        let state = owner.take_out().map_err(to_core)?;
        (*index, *self.messages) = (state.core, state.messages);
        answer.map_err(to_core)
    }

    fn now(&mut self) -> u64 {
        u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}

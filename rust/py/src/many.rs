//! Many indexes at once, in threads that need the interpreter only to borrow texts.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use chatfold_core::{
    Callback, Execution, Host, MessageIndex, Place, Plan, Result, Texts, ToolExchange, VisitText,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::errors::{to_core, to_python};
use crate::host::{batch, exchange, name_of, places, shortened_texts};
use crate::index::{Messages, PyMessageIndex, State};
use crate::strategy::PyStrategy;
use crate::text::Text;

/// The surroundings of an index on a thread of ours, without code of the caller's.
struct WorkerHost<'a> {
    messages: &'a Messages,
    started: Instant,
}

fn no_callbacks() -> chatfold_core::Error {
    to_core(PyTypeError::new_err("a strategy with functions of the caller's runs one at a time"))
}

impl Host for WorkerHost<'_> {
    fn count_messages(&mut self, messages: &[u32]) -> Result<Vec<u32>> {
        let mut left = messages.iter();
        let mut all = Vec::with_capacity(messages.len());
        while left.len() > 0 {
            let lists =
                Python::attach(|py| batch(py, self.messages, &mut left)).map_err(to_core)?;
            let counts = self.messages.counter.count_natively(&lists);
            // Borrowed texts are given back while attached.
            Python::attach(|_| drop(lists));
            all.extend(counts.ok_or_else(no_callbacks)?);
        }
        Ok(all)
    }

    fn count_text(&mut self, text: &str) -> Result<u32> {
        let lists = [vec![Text::Repaired(text.to_owned())]];
        let counts = self.messages.counter.count_natively(&lists).ok_or_else(no_callbacks)?;
        Ok(counts[0])
    }

    fn count_shortened(&mut self, messages: &[(u32, &[(Place, String)])]) -> Result<Vec<u32>> {
        let lists = Python::attach(|py| shortened_texts(py, self.messages, messages));
        let lists = lists.map_err(to_core)?;
        let counts = self.messages.counter.count_natively(&lists);
        let counted = counts.ok_or_else(no_callbacks);
        Python::attach(|_| drop(lists));
        counted
    }

    fn visit_texts(&mut self, message: u32, which: Texts, visit: VisitText<'_>) -> Result<()> {
        let texts = Python::attach(|py| places(py, self.messages, message, which));
        let texts = texts.map_err(to_core)?;
        let visited = texts.iter().try_for_each(|(place, text)| visit(self, *place, text.as_str()));
        Python::attach(|_| drop(texts));
        visited
    }

    fn tool_name(&mut self, group: &[u32], result: u32) -> Result<String> {
        Python::attach(|py| name_of(py, self.messages, group, result)).map_err(to_core)
    }

    fn tool_exchange(&mut self, group: &[u32], limit: Option<usize>) -> Result<ToolExchange> {
        Python::attach(|py| exchange(py, self.messages, group, limit)).map_err(to_core)
    }

    fn format_digest(&mut self, _: Callback, _: &ToolExchange) -> Result<String> {
        Err(no_callbacks())
    }

    fn ask(&mut self, _: Callback, _: &mut MessageIndex) -> Result<bool> {
        Err(no_callbacks())
    }

    fn now(&mut self) -> u64 {
        u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}

/// Runs a strategy without functions of the caller's over indexes that count natively.
///
/// Returns an exception or `None` for each, in order; an index whose run failed is as it was.
#[pyfunction]
pub(crate) fn compact_all(
    py: Python<'_>,
    indexes: Vec<Bound<'_, PyMessageIndex>>,
    strategy: &Bound<'_, PyStrategy>,
    threads: usize,
) -> PyResult<Vec<Option<PyErr>>> {
    let plan = strategy.get().plan();
    let mut states = Vec::with_capacity(indexes.len());
    for index in &indexes {
        match index.get().take_out() {
            Ok(state) => states.push(Mutex::new((state, None))),
            Err(error) => {
                put_back(&indexes, states);
                return Err(error);
            }
        }
    }
    let next = AtomicUsize::new(0);
    let threads = threads.clamp(1, states.len().max(1));
    py.detach(|| {
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while let Some(slot) = states.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
                        slot.1 = run(&plan, &mut slot.0).err();
                    }
                });
            }
        });
    });
    Ok(put_back(&indexes, states).into_iter().map(|error| error.map(to_python)).collect())
}

type Slot = Mutex<(Box<State>, Option<chatfold_core::Error>)>;

fn put_back(
    indexes: &[Bound<'_, PyMessageIndex>],
    states: Vec<Slot>,
) -> Vec<Option<chatfold_core::Error>> {
    indexes
        .iter()
        .zip(states)
        .map(|(index, slot)| {
            let (state, error) = slot.into_inner().unwrap_or_else(PoisonError::into_inner);
            index.get().put_back(state);
            error
        })
        .collect()
}

fn run(plan: &Plan, state: &mut State) -> Result<()> {
    let State { core, messages } = state;
    let mut host = WorkerHost { messages, started: Instant::now() };
    let mut execution = Execution::new(plan.clone());
    match execution.advance(core, &mut host) {
        Ok(None) => Ok(()),
        Ok(Some(_)) => {
            execution.abort(core);
            Err(no_callbacks())
        }
        Err(error) => {
            execution.abort(core);
            Err(error)
        }
    }
}

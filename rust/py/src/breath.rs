//! Lets other threads and signals in while much is read.

use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// How many messages are read between two looks at the clock.
const STRIDE: usize = 1024;

/// How long the interpreter is held at a stretch.
///
/// Longer than the interpreter's switch interval (5 ms by default): a thread that waits asks for its
/// turn once it has waited that long, and one that is woken before sees the interpreter taken again
/// and starts to wait anew.
const STRETCH: Duration = Duration::from_millis(6);

pub(crate) struct Breath {
    last: Instant,
}

impl Breath {
    pub(crate) fn new() -> Self {
        Self { last: Instant::now() }
    }

    /// Lets others in where it is time; `position` counts what has been read.
    pub(crate) fn take(&mut self, py: Python<'_>, position: usize) -> PyResult<()> {
        if position % STRIDE == STRIDE - 1 && self.last.elapsed() >= STRETCH {
            py.check_signals()?;
            py.detach(|| ());
            self.last = Instant::now();
        }
        Ok(())
    }
}

//! Reports: what a run did, in exact figures. They are made here, since most turns of a long-lived index
//! take not much longer than making objects in Python does.

use std::borrow::Cow;
use std::sync::OnceLock;

use chatfold_core::{Counts, Figures, Step, Version};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::execution::PyExecution;

type CountsOf = (u64, u64, u64, u64);

/// What was included at one moment.
#[pyclass(frozen, module = "chatfold.report", name = "Figures")]
pub(crate) struct PyFigures {
    counts: Counts,
    tokens: OnceLock<u64>,
    /// Who can count the tokens where they are not known, and of when.
    moment: Option<(Py<PyExecution>, Version)>,
}

impl PyFigures {
    pub(crate) fn of(run: &Bound<'_, PyExecution>, figures: Figures) -> Self {
        let moment = match figures.tokens {
            Some(_) => None,
            None => Some((run.clone().unbind(), figures.version)),
        };
        let tokens = figures.tokens.map_or_else(OnceLock::new, OnceLock::from);
        Self { counts: figures.counts, tokens, moment }
    }

    fn counts(&self) -> CountsOf {
        let Counts { messages, groups, turns, bytes } = self.counts;
        (messages, groups, turns, bytes)
    }
}

#[pymethods]
impl PyFigures {
    #[new]
    fn new(counts: CountsOf, tokens: u64) -> Self {
        let (messages, groups, turns, bytes) = counts;
        let counts = Counts { messages, groups, turns, bytes };
        Self { counts, tokens: OnceLock::from(tokens), moment: None }
    }

    /// How many messages.
    #[getter]
    fn messages(&self) -> u64 {
        self.counts.messages
    }

    /// How many groups.
    #[getter]
    fn groups(&self) -> u64 {
        self.counts.groups
    }

    /// How many turns, without turn 0.
    #[getter]
    fn turns(&self) -> u64 {
        self.counts.turns
    }

    /// UTF-8 bytes of text.
    #[getter]
    fn bytes(&self) -> u64 {
        self.counts.bytes
    }

    /// Exact tokens; counted when first read where no decision needed them.
    #[getter]
    fn tokens(&self, py: Python<'_>) -> PyResult<u64> {
        if let (None, Some((run, version))) = (self.tokens.get(), &self.moment) {
            // Another thread may be first, with the same number.
            let _ = self.tokens.set(run.get().tokens_at(py, *version)?);
        }
        Ok(self.tokens.get().copied().unwrap_or_default())
    }

    /// The tokens where they are known already, else None; never counts.
    #[getter]
    fn known_tokens(&self) -> Option<u64> {
        self.tokens.get().copied()
    }

    /// Pickle the figures, tokens too: they are counted for it where they were not known.
    fn __getnewargs__(&self, py: Python<'_>) -> PyResult<(CountsOf, u64)> {
        Ok((self.counts(), self.tokens(py)?))
    }

    /// Compare everything, tokens too. There is no hash: equal figures may still be counting.
    fn __eq__(&self, py: Python<'_>, other: &Self) -> PyResult<bool> {
        Ok(self.counts == other.counts && self.tokens(py)? == other.tokens(py)?)
    }

    /// Show what is known.
    fn __repr__(&self) -> String {
        let (messages, groups, turns, bytes) = self.counts();
        let tokens = self.known_tokens().map_or("not counted".to_owned(), |n| n.to_string());
        format!(
            "Figures(messages={messages}, groups={groups}, turns={turns}, bytes={bytes}, \
             tokens={tokens})"
        )
    }
}

/// What one strategy of a run did.
#[pyclass(frozen, module = "chatfold.report", name = "StrategyStep")]
pub(crate) struct PyStrategyStep {
    strategy: Cow<'static, str>,
    reason: Cow<'static, str>,
    /// How many groups it excluded or replaced, or shortened messages of.
    #[pyo3(get)]
    groups: u64,
    /// How many messages it shortened in place.
    #[pyo3(get)]
    shortened: u64,
    /// Whether its target was true at the end.
    #[pyo3(get)]
    target_met: bool,
    /// How long it took.
    #[pyo3(get)]
    seconds: f64,
    freed: OnceLock<i64>,
    /// Who can count what was freed where it is not known, and of when.
    moments: Option<(Py<PyExecution>, (Version, Version))>,
}

impl PyStrategyStep {
    /// Of the caller's own strategies the core knows neither name nor target; `own` has them in order.
    pub(crate) fn of(
        run: &Bound<'_, PyExecution>,
        step: &Step,
        own: &mut impl Iterator<Item = (String, bool)>,
    ) -> Self {
        let (strategy, target_met) = if step.strategy.is_empty() {
            own.next().map_or_else(Default::default, |(name, met)| (Cow::Owned(name), met))
        } else {
            (Cow::Borrowed(step.strategy), step.target_met)
        };
        Self {
            strategy,
            reason: Cow::Borrowed(step.reason),
            groups: step.groups,
            shortened: step.shortened,
            target_met,
            #[expect(clippy::cast_precision_loss, reason = "104 days have more nanoseconds")]
            seconds: step.nanoseconds as f64 / 1e9,
            freed: OnceLock::new(),
            moments: Some((run.clone().unbind(), step.versions)),
        }
    }
}

#[pymethods]
impl PyStrategyStep {
    #[new]
    #[pyo3(signature = (strategy, *, reason, groups, shortened = 0, target_met, seconds, freed))]
    fn new(
        strategy: String,
        reason: String,
        groups: u64,
        shortened: u64,
        target_met: bool,
        seconds: f64,
        freed: i64,
    ) -> Self {
        Self {
            strategy: Cow::Owned(strategy),
            reason: Cow::Owned(reason),
            groups,
            shortened,
            target_met,
            seconds,
            freed: OnceLock::from(freed),
            moments: None,
        }
    }

    /// Its name.
    #[getter]
    fn strategy(&self) -> &str {
        &self.strategy
    }

    /// Why it excluded what it excluded.
    #[getter]
    fn reason(&self) -> &str {
        &self.reason
    }

    /// Exact tokens that it freed; counted when first read.
    #[getter]
    fn tokens_freed(&self, py: Python<'_>) -> PyResult<i64> {
        if let (None, Some((run, (before, after)))) = (self.freed.get(), &self.moments) {
            let freed = run.get().tokens_at(py, *before)?.cast_signed()
                - run.get().tokens_at(py, *after)?.cast_signed();
            // Another thread may be first, with the same number.
            let _ = self.freed.set(freed);
        }
        Ok(self.freed.get().copied().unwrap_or_default())
    }

    /// Pickle the figures; tokens are counted for it where they were not known.
    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<((&str,), Bound<'py, PyDict>)> {
        let named = PyDict::new(py);
        named.set_item("reason", self.reason())?;
        named.set_item("groups", self.groups)?;
        named.set_item("shortened", self.shortened)?;
        named.set_item("target_met", self.target_met)?;
        named.set_item("seconds", self.seconds)?;
        named.set_item("freed", self.tokens_freed(py)?)?;
        Ok(((self.strategy(),), named))
    }

    /// Show what is known.
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let shown = |text| PyString::new(py, text).repr().map(|text| text.to_string());
        Ok(format!(
            "StrategyStep({}, reason={}, groups={}, shortened={}, target_met={}, seconds={:.6})",
            shown(&self.strategy)?,
            shown(&self.reason)?,
            self.groups,
            self.shortened,
            if self.target_met { "True" } else { "False" },
            self.seconds
        ))
    }
}

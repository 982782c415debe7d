//! Tokenizers: the built-in ones, and any of the caller's.

use std::convert::Infallible;
use std::thread;

use chatfold_core::Bounds;
use chatfold_core::tokens::{self, Bpe, ENCODING_NAMES, Estimator};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyInt, PyString};

use crate::errors::{OptionTypeError, shown};
use crate::text::{Text, with_text};
use crate::work::{COUNTS, WORK};

/// Below this many bytes a count is over before another thread could have been let in.
const DETACH_FROM_BYTES: usize = 32 * 1024;
/// What a second thread must have to count before it is worth starting.
const THREAD_FROM_BYTES: usize = 512 * 1024;

/// How an index counts.
pub(crate) enum Counter {
    Estimator(Estimator),
    Encoding(&'static Bpe),
    /// A tokenizer of the caller's.
    Custom(Custom),
}

/// A count that needs no interpreter.
type Native<'a> = Box<dyn Fn(&str) -> usize + Sync + 'a>;

/// A callable from text to a number.
pub(crate) struct Custom {
    pub(crate) count_tokens: Py<PyAny>,
    /// How it is called in messages.
    name: String,
    /// Its seed in the cache of counts.
    number: u64,
}

/// A tokenizer as Python hands it to the core.
#[pyclass(frozen, module = "chatfold._core", name = "Tokenizer")]
pub(crate) struct PyTokenizer {
    pub(crate) counter: Counter,
}

#[pymethods]
impl PyTokenizer {
    /// The estimator.
    #[staticmethod]
    fn estimator(chars_per_token: u32, cjk_aware: bool) -> Self {
        Self { counter: Counter::Estimator(Estimator { chars_per_token, cjk_aware }) }
    }

    /// A built-in encoding.
    #[staticmethod]
    fn encoding(py: Python<'_>, name: &str) -> PyResult<Self> {
        // The first use builds the tables; other threads go on meanwhile.
        let bpe = py.detach(|| tokens::encoding(name)).ok_or_else(|| {
            PyValueError::new_err(format!(
                "no encoding {name:?} is built in; there are {}",
                ENCODING_NAMES.join(" and ")
            ))
        })?;
        Ok(Self { counter: Counter::Encoding(bpe) })
    }

    /// A callable from text to a number of tokens; `number` is its own in the cache of counts.
    #[staticmethod]
    fn custom(count_tokens: Py<PyAny>, name: String, number: u64) -> Self {
        Self { counter: Counter::Custom(Custom { count_tokens, name, number }) }
    }

    /// The tokens of a text.
    fn count_tokens(&self, text: &Bound<'_, PyString>) -> PyResult<u64> {
        let counts = self.counter.count_texts(text.py(), &[vec![Text::of(text)?]])?;
        Ok(u64::from(counts[0]))
    }

    /// The vocabulary of a built-in encoding, as pairs of bytes and rank.
    fn vocabulary<'py>(&self, py: Python<'py>) -> PyResult<Vec<(Bound<'py, PyBytes>, u32)>> {
        match &self.counter {
            Counter::Encoding(bpe) => {
                Ok(bpe.vocabulary().map(|(bytes, rank)| (PyBytes::new(py, bytes), rank)).collect())
            }
            Counter::Estimator(_) | Counter::Custom(..) => {
                Err(PyTypeError::new_err("only a built-in encoding has a vocabulary"))
            }
        }
    }

    /// The token ids of a text under a built-in encoding.
    fn encode(&self, text: &Bound<'_, PyString>) -> PyResult<Vec<u32>> {
        match &self.counter {
            Counter::Encoding(bpe) => with_text(text, |text| bpe.encode(text)),
            Counter::Estimator(_) | Counter::Custom(..) => {
                Err(PyTypeError::new_err("only a built-in encoding has token ids"))
            }
        }
    }
}

impl Counter {
    pub(crate) fn clone_ref(&self, py: Python<'_>) -> Self {
        match self {
            Self::Estimator(estimator) => Self::Estimator(*estimator),
            Self::Encoding(bpe) => Self::Encoding(bpe),
            Self::Custom(custom) => Self::Custom(Custom {
                count_tokens: custom.count_tokens.clone_ref(py),
                name: custom.name.clone(),
                number: custom.number,
            }),
        }
    }

    pub(crate) fn estimator(&self) -> Option<Estimator> {
        match self {
            Self::Estimator(estimator) => Some(*estimator),
            Self::Encoding(_) | Self::Custom(..) => None,
        }
    }

    pub(crate) fn bounds(&self) -> Bounds {
        match self {
            // A character has at most four bytes.
            Self::Estimator(estimator) => {
                Bounds::ByteLevel { longest: estimator.chars_per_token.saturating_mul(4) }
            }
            Self::Encoding(bpe) => Bounds::ByteLevel {
                longest: u32::try_from(bpe.longest_token()).unwrap_or(u32::MAX),
            },
            Self::Custom(..) => Bounds::Unbounded,
        }
    }

    /// The tokens of each list of texts. Long native counts run detached and in parallel.
    pub(crate) fn count_texts(&self, py: Python<'_>, lists: &[Vec<Text>]) -> PyResult<Vec<u32>> {
        match (self.native(), self) {
            (Some(count), _) => Ok(natively(py, lists, &*count)),
            (None, Self::Custom(custom)) => {
                let of = |texts: &Vec<Text>| {
                    texts.iter().try_fold(0u32, |sum, text| {
                        Ok(sum.saturating_add(custom.remembered(py, text.as_str())?))
                    })
                };
                lists.iter().map(of).collect()
            }
            (None, _) => Ok(Vec::new()),
        }
    }

    /// The same without the interpreter; `None` for a tokenizer of the caller's.
    pub(crate) fn count_natively(&self, lists: &[Vec<Text>]) -> Option<Vec<u32>> {
        let count = self.native()?;
        Some(lists.iter().map(|texts| sum(texts, &*count)).collect())
    }

    /// The function that counts a text without the interpreter.
    fn native(&self) -> Option<Native<'_>> {
        match self {
            Self::Estimator(estimator) => Some(Box::new(|text| estimator.count(text))),
            Self::Encoding(bpe) => {
                let number = ENCODING_NAMES.iter().position(|name| *name == bpe.name());
                let number = number.map_or(0, |number| number as u64);
                Some(Box::new(move |text| remembered(bpe, number, text)))
            }
            Self::Custom(_) => None,
        }
    }
}

fn natively(
    py: Python<'_>,
    lists: &[Vec<Text>],
    count: &(dyn Fn(&str) -> usize + Sync),
) -> Vec<u32> {
    let bytes: usize = lists.iter().flatten().map(|text| text.as_str().len()).sum();
    if bytes < DETACH_FROM_BYTES {
        return lists.iter().map(|texts| sum(texts, count)).collect();
    }
    py.detach(|| in_parallel(lists, bytes, count))
}

fn sum(texts: &[Text], count: &(dyn Fn(&str) -> usize + Sync)) -> u32 {
    let tokens: usize = texts.iter().map(|text| count(text.as_str())).sum();
    u32::try_from(tokens).unwrap_or(u32::MAX)
}

/// Cuts the lists into runs of about equal bytes, one for each thread.
fn in_parallel(
    lists: &[Vec<Text>],
    bytes: usize,
    count: &(dyn Fn(&str) -> usize + Sync),
) -> Vec<u32> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let threads = threads.min(bytes / THREAD_FROM_BYTES).max(1);
    if threads == 1 {
        return lists.iter().map(|texts| sum(texts, count)).collect();
    }
    let share = bytes.div_ceil(threads);
    let mut runs = Vec::with_capacity(threads);
    let (mut start, mut held) = (0, 0);
    for (end, texts) in lists.iter().enumerate() {
        held += texts.iter().map(|text| text.as_str().len()).sum::<usize>();
        if held >= share {
            runs.push(&lists[start..=end]);
            (start, held) = (end + 1, 0);
        }
    }
    runs.push(&lists[start..]);
    thread::scope(|scope| {
        let workers: Vec<_> = runs
            .into_iter()
            .map(|run| {
                scope.spawn(move || run.iter().map(|texts| sum(texts, count)).collect::<Vec<_>>())
            })
            .collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().expect("counting does not panic"))
            .collect()
    })
}

fn remembered(bpe: &Bpe, number: u64, text: &str) -> usize {
    let count = || {
        WORK.counted(text);
        Ok::<_, Infallible>(u32::try_from(bpe.count(text)).unwrap_or(u32::MAX))
    };
    match COUNTS.get_or_count(number, text, count) {
        Ok(count) => count as usize,
    }
}

impl Custom {
    fn remembered(&self, py: Python<'_>, text: &str) -> PyResult<u32> {
        if text.is_empty() {
            return Ok(0);
        }
        COUNTS.get_or_count(self.number, text, || {
            WORK.counted(text);
            ask(py, &self.count_tokens, &self.name, text)
        })
    }
}

/// One count from the caller's tokenizer, which may raise and must return a number.
fn ask(py: Python<'_>, callable: &Py<PyAny>, name: &str, text: &str) -> PyResult<u32> {
    let count = callable.bind(py).call1((PyString::new(py, text),))?;
    let number = if count.is_instance_of::<PyBool>() {
        None
    } else {
        match count.cast::<PyInt>() {
            Ok(number) => number.extract::<u32>().ok(),
            Err(_) => {
                count.call_method0(intern!(py, "__index__")).ok().and_then(|n| n.extract().ok())
            }
        }
    };
    number.filter(|&number| number < u32::MAX).ok_or_else(|| {
        OptionTypeError::new_err(format!(
            "tokenizer {name} returned {} for a text of {} characters; count_tokens must return an \
             integer of at least 0",
            shown(&count),
            text.chars().count()
        ))
    })
}

/// The names of the built-in encodings.
#[pyfunction]
pub(crate) fn encoding_names() -> Vec<&'static str> {
    ENCODING_NAMES.to_vec()
}

/// The built-in encoding of an `OpenAI` model.
#[pyfunction]
pub(crate) fn encoding_for_model(model: &str) -> Option<&'static str> {
    tokens::encoding_for_model(model)
}

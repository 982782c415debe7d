//! `chatfold._core`: reads Python messages, runs the core, builds results.

#![expect(clippy::needless_pass_by_value, reason = "PyO3 extracts arguments by value")]

mod breath;
mod errors;
mod execution;
mod fingerprint;
mod group;
mod host;
mod index;
mod many;
mod read;
mod report;
mod saved;
mod strategy;
mod sync;
mod text;
mod tokenizer;
mod unicode;
mod work;

#[pyo3::pymodule]
mod _core {
    #[pymodule_export]
    use super::execution::{
        PyExecution, ask, exclude, include, protect, read_floor, read_newest, replace, restore,
    };
    #[pymodule_export]
    use super::group::{PyGroupList, PyMessageGroup};
    #[pymodule_export]
    use super::index::PyMessageIndex;
    #[pymodule_export]
    use super::report::{PyFigures, PyStrategyStep};
    #[pymodule_export]
    use super::strategy::{PyStrategy, PyTrigger};
    #[pymodule_export]
    use super::tokenizer::PyTokenizer;

    #[pymodule_export]
    use super::tokenizer::{encoding_for_model, encoding_names};

    #[pymodule_export]
    use super::work::{count_cache_clear, count_cache_info, count_cache_resize, work_done};

    #[pymodule_export]
    use super::saved::{fingerprint, load, save};

    #[pymodule_export]
    use super::sync::{include_floor, sync};

    #[pymodule_export]
    use super::many::compact_all;

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    #[pymodule_export]
    const DEBUG: bool = cfg!(debug_assertions);
}

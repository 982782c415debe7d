//! Strategies: what is excluded or replaced, and in which order.
//!
//! A strategy decides over slots and figures. It walks its candidates once, oldest first, and asks
//! its target before the first step and after each.

mod arguments;
mod compose;
mod context_pruning;
mod digest;
mod horizon;
mod observation_masking;
mod oversize_clamping;
mod protection;
mod shares;
mod sliding_window;
mod sweep;
mod tool_calls;
mod tool_names;
mod trim;
mod truncation;

pub use compose::{Execution, Plan, Step};
pub use context_pruning::{Basis, ContextPruning, PruningLimits};
pub use digest::{Digest, DigestStyle};
pub use horizon::KeptOfOlder;
pub use observation_masking::ObservationMasking;
pub use oversize_clamping::{Clampable, OversizeClamping};
pub use protection::Protection;
pub use sliding_window::{SlidingWindow, Window};
pub use sweep::Gate;
pub use tool_calls::{ToolCalls, ToolCallsAction};
pub use tool_names::{ToolPattern, Tools};
pub use trim::{TextUnit, Trim};
pub use truncation::Truncation;

use crate::error::Result;
use crate::host::{Callback, Host};
use crate::index::MessageIndex;

/// A strategy, or a composition of strategies.
#[derive(Clone, Debug)]
pub enum Strategy {
    /// Excludes the oldest groups.
    Truncation(Truncation),
    /// Keeps the newest groups or turns.
    SlidingWindow(SlidingWindow),
    /// Excludes old tool-call groups, or replaces them by a digest.
    ToolCalls(ToolCalls),
    /// Shortens old tool results in place.
    ContextPruning(ContextPruning),
    /// Shortens tool results that the assistant has answered.
    ObservationMasking(ObservationMasking),
    /// Shortens every text that is longer than a limit.
    OversizeClamping(OversizeClamping),
    /// Runs strategies in order; each asks its own trigger.
    Pipeline(Vec<Self>),
    /// Runs strategies in order until a token budget is met, then excludes the oldest groups.
    TokenBudget {
        /// The most tokens that may be included.
        budget: u64,
        /// The most tokens that may be included afterwards, where there were more than that.
        compact_to: u64,
        /// What is tried first.
        strategies: Vec<Self>,
        /// Stop as soon as no more than `compact_to` are included.
        early_stop: bool,
        /// What the last step, which excludes the oldest groups, keeps.
        protection: Protection,
    },
    /// The caller's own, run outside the core.
    Custom(Callback),
}

/// What one strategy did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Whether its trigger was true.
    pub triggered: bool,
    /// How many groups it excluded or replaced, or has messages of that it shortened.
    pub groups: u64,
    /// Whether its target was true at the end; true where it has none or was not triggered.
    pub target_met: bool,
}

impl Outcome {
    /// The outcome of a strategy whose trigger was not true.
    pub const NOT_TRIGGERED: Self = Self { triggered: false, groups: 0, target_met: true };
}

/// A strategy that the core runs by itself.
#[derive(Clone, Debug)]
pub(crate) enum Leaf {
    Truncation(Truncation),
    SlidingWindow(SlidingWindow),
    ToolCalls(ToolCalls),
    ContextPruning(ContextPruning),
    ObservationMasking(ObservationMasking),
    OversizeClamping(OversizeClamping),
}

impl Leaf {
    fn run(&self, index: &mut MessageIndex, host: &mut dyn Host) -> Result<Outcome> {
        match self {
            Self::Truncation(strategy) => strategy.run(index, host),
            Self::SlidingWindow(strategy) => strategy.run(index, host),
            Self::ToolCalls(strategy) => strategy.run(index, host),
            Self::ContextPruning(strategy) => strategy.run(index, host),
            Self::ObservationMasking(strategy) => strategy.run(index, host),
            Self::OversizeClamping(strategy) => strategy.run(index, host),
        }
    }

    fn gate(&self) -> &Gate {
        match self {
            Self::Truncation(strategy) => &strategy.gate,
            Self::SlidingWindow(strategy) => &strategy.gate,
            Self::ToolCalls(strategy) => &strategy.gate,
            Self::ContextPruning(strategy) => &strategy.gate,
            Self::ObservationMasking(strategy) => &strategy.gate,
            Self::OversizeClamping(strategy) => &strategy.gate,
        }
    }

    /// Whether it asks something of the caller's own, which may answer otherwise at any time.
    fn asks_caller(&self) -> bool {
        let formats = match self {
            Self::ToolCalls(strategy) => strategy.asks_caller(),
            _ => false,
        };
        formats || self.gate().asks_caller()
    }

    /// Its public name and the reason that it gives for what it excludes.
    fn names(&self) -> (&'static str, &'static str) {
        match self {
            Self::Truncation(strategy) => (strategy.name, strategy.reason),
            Self::SlidingWindow(_) => ("SlidingWindowStrategy", sliding_window::REASON),
            Self::ToolCalls(strategy) => strategy.names(),
            Self::ContextPruning(_) => ("ContextPruningStrategy", context_pruning::REASON),
            Self::ObservationMasking(_) => {
                ("ObservationMaskingStrategy", observation_masking::REASON)
            }
            Self::OversizeClamping(_) => ("OversizeClampingStrategy", oversize_clamping::REASON),
        }
    }
}

//! chatfold-core keeps very long LLM chat histories inside a budget.
//!
//! The core decides over positions and facts. It never holds a message: a [`Host`] does, and is
//! asked for a text only when that text must be counted or written into a digest.
//!
//! * [`MessageIndex`] takes the [`Facts`] of each message and keeps groups, turns, what is included
//!   and all figures up to date.
//! * [`Trigger`] is a question about it; [`Strategy`] says what to exclude or replace.
//! * [`Execution`] runs the [`Plan`] of a strategy, and can be undone.

mod error;
mod group;
mod grouping;
mod hashed;
mod host;
mod index;
mod message;
mod ordered_set;
mod strategy;
mod trigger;

pub mod tokens;

pub use error::{Error, Result};
pub use group::GroupKind;
pub use host::{Callback, Host, ToolExchange, ToolResult};
pub use index::{
    Bounds, Counts, Figures, GroupId, GroupView, Kept, MessageIndex, Metric, Overhead, Saved,
    SavedGroup, SavedId, SavedStandIn, StandIn, Version,
};
pub use message::{CallKey, Facts, Role, STAND_IN_OPENINGS, opens_like_stand_in};
pub use strategy::{
    Digest, DigestStyle, Execution, Gate, KeptOfOlder, Outcome, Plan, Protection, SlidingWindow,
    Step, Strategy, ToolCalls, ToolCallsAction, Truncation, Window,
};
pub use trigger::Trigger;

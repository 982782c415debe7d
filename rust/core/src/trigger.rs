//! Triggers: questions about what is included. A target is a trigger too.

use crate::error::Result;
use crate::host::{Callback, Host};
use crate::index::{MessageIndex, Metric};

/// A condition on the included groups.
#[derive(Clone, Debug)]
pub enum Trigger {
    /// Always true.
    Always,
    /// Never true.
    Never,
    /// The metric is greater than the limit.
    Exceeds(Metric, u64),
    /// The metric is less than the limit.
    Below(Metric, u64),
    /// Some included group is a tool-call group.
    HasToolCalls,
    /// All of these are true; asked in order, up to the first that is not.
    All(Vec<Self>),
    /// One of these is true; asked in order, up to the first that is.
    Any(Vec<Self>),
    /// This one is not true.
    Not(Box<Self>),
    /// The caller's own.
    Custom(Callback),
}

impl Trigger {
    /// Whether it asks something of the caller's own.
    pub(crate) fn asks_caller(&self) -> bool {
        match self {
            Self::Custom(_) => true,
            Self::All(triggers) | Self::Any(triggers) => triggers.iter().any(Self::asks_caller),
            Self::Not(trigger) => trigger.asks_caller(),
            _ => false,
        }
    }

    /// Whether the condition holds now. Tokens are counted only until that is decided.
    ///
    /// # Errors
    /// Whatever the tokenizer or the caller's own trigger raises.
    pub fn holds(&self, index: &mut MessageIndex, host: &mut dyn Host) -> Result<bool> {
        Ok(match self {
            Self::Always => true,
            Self::Exceeds(metric, limit) => exceeds(*metric, *limit, index, host)?,
            Self::Never | Self::Below(_, 0) => false,
            Self::Below(metric, limit) => !exceeds(*metric, limit - 1, index, host)?,
            Self::HasToolCalls => index.has_tool_calls(),
            Self::All(triggers) => {
                for trigger in triggers {
                    if !trigger.holds(index, host)? {
                        return Ok(false);
                    }
                }
                true
            }
            Self::Any(triggers) => {
                for trigger in triggers {
                    if trigger.holds(index, host)? {
                        return Ok(true);
                    }
                }
                false
            }
            Self::Not(trigger) => !trigger.holds(index, host)?,
            Self::Custom(callback) => host.ask(*callback, index)?,
        })
    }
}

fn exceeds(
    metric: Metric,
    limit: u64,
    index: &mut MessageIndex,
    host: &mut dyn Host,
) -> Result<bool> {
    let counts = index.included_counts();
    Ok(match metric {
        Metric::Tokens => return index.tokens_exceed(limit, host),
        Metric::Messages => counts.messages,
        Metric::Turns => counts.turns,
        Metric::Groups => counts.groups,
        Metric::Bytes => counts.bytes,
    } > limit)
}

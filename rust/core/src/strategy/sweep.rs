//! One pass over candidates, from trigger to target.

use super::Outcome;
use crate::error::Result;
use crate::host::Host;
use crate::index::{MessageIndex, Metric};
use crate::trigger::Trigger;

/// When a strategy starts and when it stops.
#[derive(Clone, Debug)]
pub struct Gate {
    /// Nothing happens unless this is true.
    pub trigger: Trigger,
    /// The strategy stops as soon as this is true; by default, once the trigger is not.
    pub target: Option<Trigger>,
}

impl Default for Gate {
    /// Starts always and stops when there is nothing left to do.
    fn default() -> Self {
        Self { trigger: Trigger::Always, target: None }
    }
}

impl Gate {
    /// Starts where the tokens exceed a budget, and stops within it.
    pub(super) fn within(budget: u64) -> Self {
        Self { trigger: Trigger::Exceeds(Metric::Tokens, budget), target: None }
    }

    /// Whether it asks something of the caller's own.
    pub(super) fn asks_caller(&self) -> bool {
        self.trigger.asks_caller() || self.target.as_ref().is_some_and(Trigger::asks_caller)
    }

    /// Whether there is a target that could ever be true.
    fn has_target(&self) -> bool {
        self.target.is_some() || !matches!(self.trigger, Trigger::Always)
    }

    pub(super) fn target_met(&self, index: &mut MessageIndex, host: &mut dyn Host) -> Result<bool> {
        match &self.target {
            Some(target) => target.holds(index, host),
            None => Ok(!self.trigger.holds(index, host)?),
        }
    }

    /// What a strategy comes to that has nothing left to do.
    pub(super) fn at_rest(&self, index: &mut MessageIndex, host: &mut dyn Host) -> Result<Outcome> {
        if !self.trigger.holds(index, host)? {
            return Ok(Outcome::NOT_TRIGGERED);
        }
        self.untouched(index, host)
    }

    /// The outcome of a strategy whose trigger was true and that left everything as it was.
    pub(super) fn untouched(
        &self,
        index: &mut MessageIndex,
        host: &mut dyn Host,
    ) -> Result<Outcome> {
        let target_met = !self.has_target() || self.target_met(index, host)?;
        Ok(Outcome { triggered: true, groups: 0, target_met })
    }

    /// Takes step after step until the target is true or no step is left.
    ///
    /// `step` says how many groups it touched; `None` means that there is nothing left.
    pub(super) fn sweep(
        &self,
        index: &mut MessageIndex,
        host: &mut dyn Host,
        mut step: impl FnMut(&mut MessageIndex, &mut dyn Host) -> Result<Option<u64>>,
    ) -> Result<Outcome> {
        let aims = self.has_target();
        let mut groups = 0;
        loop {
            if aims && self.target_met(index, host)? {
                return Ok(Outcome { triggered: true, groups, target_met: true });
            }
            match step(index, host)? {
                Some(touched) => groups += touched,
                None => return Ok(Outcome { triggered: true, groups, target_met: !aims }),
            }
        }
    }
}

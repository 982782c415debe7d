//! Strategies that had their say, for as long as nothing has changed since.
//!
//! What comes first in a composition decides before what comes later has changed figures and texts,
//! and so might decide otherwise the next time. A run of the same strategy over what its last run left
//! is no next time: nothing has happened that would ask for one.

use super::MessageIndex;
use super::changes::Version;

/// How many strategies an index remembers.
const MOST: usize = 16;

/// Strategies that ran to the end, and what they left.
#[derive(Clone, Debug, Default)]
pub(super) struct Finished {
    /// The version that their runs ended with.
    version: Option<Version>,
    /// The strategies; the latest last.
    plans: Vec<u128>,
}

impl MessageIndex {
    /// Whether a run of that strategy ended with the index as it is.
    pub(crate) fn is_finished(&self, plan: u128) -> bool {
        self.finished.plans.contains(&plan) && self.finished.version == Some(self.version())
    }

    /// Notes that a run of that strategy ended here.
    pub(crate) fn finish(&mut self, plan: u128) {
        let mut plans = self.finished_plans();
        plans.retain(|own| *own != plan);
        if plans.len() == MOST {
            plans.remove(0);
        }
        plans.push(plan);
        self.load_finished(plans);
    }

    /// The strategies whose runs ended with the index as it is.
    pub(super) fn finished_plans(&self) -> Vec<u128> {
        let now = self.finished.version == Some(self.version());
        if now { self.finished.plans.clone() } else { Vec::new() }
    }

    pub(super) fn load_finished(&mut self, plans: Vec<u128>) {
        self.finished = Finished { version: Some(self.version()), plans };
    }

    /// Forgets them where the index goes back to an earlier version than the one that they left: the
    /// number of that may come again.
    pub(super) fn unfinish_after(&mut self, version: Version) {
        if self.finished.version.is_some_and(|own| own.log > version.log) {
            self.unfinish();
        }
    }

    /// Forgets them: what they asked for may have another answer now.
    pub(super) fn unfinish(&mut self) {
        self.finished = Finished::default();
    }
}

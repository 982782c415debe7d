//! Strategies that had their say, for as long as nothing has changed since.
//!
//! What comes first in a composition decides before what comes later has changed figures and texts,
//! and so might decide otherwise the next time. A run of the same strategy over what its last run left
//! is no next time: nothing has happened that would ask for one.

use super::MessageIndex;
use super::changes::Version;

/// How many strategies an index remembers.
const MOST: usize = 16;

/// Strategies that ran to the end, by the version that their runs ended with; the latest last.
///
/// As far back as changes can be undone, one version for each number of changes: a run that is undone
/// leaves what was known before it.
#[derive(Clone, Debug, Default)]
pub(super) struct Finished {
    runs: Vec<(Version, Vec<u128>)>,
}

impl MessageIndex {
    /// Whether a run of that strategy ended with the index as it is.
    pub(crate) fn is_finished(&self, plan: u128) -> bool {
        self.finished_now().is_some_and(|plans| plans.contains(&plan))
    }

    /// Notes that a run of that strategy ended here.
    pub(crate) fn finish(&mut self, plan: u128) {
        let mut plans = self.finished_plans();
        plans.retain(|own| *own != plan);
        if plans.len() == MOST {
            plans.remove(0);
        }
        plans.push(plan);
        let now = self.version();
        let runs = &mut self.finished.runs;
        runs.pop_if(|(version, _)| version.log == now.log);
        let gone = runs.partition_point(|(version, _)| !self.log.reaches(version.log));
        runs.drain(..gone);
        runs.push((now, plans));
    }

    /// The strategies whose runs ended with the index as it is.
    pub(super) fn finished_plans(&self) -> Vec<u128> {
        self.finished_now().cloned().unwrap_or_default()
    }

    fn finished_now(&self) -> Option<&Vec<u128>> {
        let (version, plans) = self.finished.runs.last()?;
        (*version == self.version()).then_some(plans)
    }

    pub(super) fn load_finished(&mut self, plans: Vec<u128>) {
        self.finished = Finished { runs: vec![(self.version(), plans)] };
    }

    /// Forgets those that ended with a later version than the one that the index goes back to: the
    /// number of that may come again.
    pub(super) fn unfinish_after(&mut self, version: Version) {
        while self.finished.runs.pop_if(|(own, _)| own.log > version.log).is_some() {}
    }

    /// Forgets them: what they asked for may have another answer now.
    pub(super) fn unfinish(&mut self) {
        self.finished = Finished::default();
    }
}

//! When the newest part of a history decides alone.
//!
//! Say that a history is cut in front of a user message, and that the newest part is put into an
//! index together with what a strategy keeps of the older part anyway. Excluding a group never
//! makes a figure larger, so a condition such as "more than n tokens" that holds for the newest
//! part holds for every state in which some older group is still included. Where the trigger holds
//! for the newest part, the target does not, and the newest part has all groups that are protected
//! for being new, the strategy excludes every older group, and goes on as it would have without
//! them. Then nothing of the older part has to be read but its roles.

use super::compose::{Operation, Plan};
use super::{Gate, Leaf, Protection, Window};
use crate::error::Result;
use crate::host::Host;
use crate::index::{MessageIndex, Metric};
use crate::trigger::Trigger;

/// What of the older part must be in the index besides system messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeptOfOlder {
    /// The first user message.
    pub first_user: bool,
    /// All that precedes the first user message.
    pub turn_zero: bool,
}

impl Trigger {
    /// Whether more included groups can only make it true.
    fn rises(&self) -> bool {
        match self {
            Self::Always | Self::Never | Self::Exceeds(..) | Self::HasToolCalls => true,
            Self::All(triggers) | Self::Any(triggers) => triggers.iter().all(Self::rises),
            Self::Not(trigger) => trigger.falls(),
            Self::Below(..) | Self::Custom(_) => false,
        }
    }

    /// Whether more included groups can only make it false.
    fn falls(&self) -> bool {
        match self {
            Self::Always | Self::Never | Self::Below(..) => true,
            Self::All(triggers) | Self::Any(triggers) => triggers.iter().all(Self::falls),
            Self::Not(trigger) => trigger.rises(),
            Self::Exceeds(..) | Self::HasToolCalls | Self::Custom(_) => false,
        }
    }

    fn asks_the_caller(&self) -> bool {
        match self {
            Self::Custom(_) => true,
            Self::All(triggers) | Self::Any(triggers) => triggers.iter().any(Self::asks_the_caller),
            Self::Not(trigger) => trigger.asks_the_caller(),
            Self::Always
            | Self::Never
            | Self::Exceeds(..)
            | Self::Below(..)
            | Self::HasToolCalls => false,
        }
    }
}

impl Gate {
    fn is_monotone(&self) -> bool {
        self.trigger.rises() && self.target.as_ref().is_none_or(Trigger::falls)
    }

    fn asks_the_caller(&self) -> bool {
        self.trigger.asks_the_caller() || self.target.as_ref().is_some_and(Trigger::asks_the_caller)
    }

    /// Whether the strategy would go on removing with nothing older left.
    fn goes_on(&self, index: &mut MessageIndex, host: &mut dyn Host) -> Result<bool> {
        Ok(self.trigger.holds(index, host)?
            && match &self.target {
                Some(target) => !target.holds(index, host)?,
                None => true,
            })
    }
}

impl Leaf {
    fn parts(&self) -> (&Gate, Protection, Option<Window>) {
        match self {
            Self::Truncation(leaf) => (&leaf.gate, leaf.protection, None),
            Self::SlidingWindow(leaf) => (&leaf.gate, leaf.protection, Some(leaf.window)),
            Self::ToolCalls(leaf) => (&leaf.gate, leaf.protection, None),
            Self::ContextPruning(leaf) => (&leaf.gate, Protection::default(), None),
            Self::ObservationMasking(leaf) => (&leaf.gate, Protection::default(), None),
            Self::OversizeClamping(leaf) => (&leaf.gate, Protection::default(), None),
        }
    }

    /// Whether it goes by places in the whole list, or touches texts all over it: the newest part
    /// alone does not tell.
    fn needs_the_list(&self) -> bool {
        matches!(
            self,
            Self::ContextPruning(_) | Self::ObservationMasking(_) | Self::OversizeClamping(_)
        )
    }
}

impl Plan {
    /// Whether the newest part can decide alone, and what of the older part it needs then.
    pub fn horizon(&self) -> Option<KeptOfOlder> {
        let mut leaves = self.operations.iter().filter_map(|operation| match operation {
            Operation::Run(leaf) => Some(leaf.as_ref()),
            _ => None,
        });
        let no_callers = self.operations.iter().all(|operation| match operation {
            Operation::Custom(_) => false,
            Operation::Run(leaf) => !leaf.parts().0.asks_the_caller() && !leaf.needs_the_list(),
            Operation::Enter | Operation::IfOver { .. } | Operation::Judge { .. } => true,
        });
        let first = leaves.next().filter(|_| no_callers)?;
        let (gate, protection, window) = first.parts();
        // A first user message that is gone already protects nothing, but would here.
        let later = leaves.any(|leaf| leaf.parts().1.preserve_first_user_group);
        let eligible = !matches!(first, Leaf::ToolCalls(_))
            && gate.is_monotone()
            && protection.preserve_system
            && (!later || protection.preserve_first_user_group);
        eligible.then_some(KeptOfOlder {
            first_user: protection.preserve_first_user_group,
            turn_zero: matches!(window, Some(Window::Turns(_))),
        })
    }

    /// Whether this index, which holds the newest part, decides alone. See [`Plan::horizon`].
    ///
    /// `older` says how many groups of the older part it holds that are no system groups: they are
    /// none of the newest.
    ///
    /// # Errors
    /// Whatever the tokenizer raises.
    pub fn newest_part_decides(
        &self,
        index: &mut MessageIndex,
        older: u32,
        host: &mut dyn Host,
    ) -> Result<bool> {
        for operation in self.operations.iter() {
            match operation {
                Operation::Enter => {}
                Operation::IfOver { budget, .. } => {
                    let over = Trigger::Exceeds(Metric::Tokens, *budget);
                    if !over.holds(index, host)? {
                        return Ok(false);
                    }
                }
                Operation::Run(leaf) => {
                    let (gate, protection, window) = leaf.parts();
                    let newest = protection.minimum_preserved.max(1) as usize;
                    let has = |index: &MessageIndex, groups: usize| {
                        index.newest_non_system().nth(groups - 1 + older as usize).is_some()
                    };
                    let enough = match window {
                        // A kept first user message makes one turn more, however old it is.
                        Some(Window::Turns(turns)) => {
                            let turns = turns.max(1).saturating_add(older.min(1));
                            index.nth_newest_turn(turns) > 0 && has(index, newest)
                        }
                        Some(Window::Groups(groups)) => has(index, newest.max(groups as usize)),
                        None => has(index, newest),
                    };
                    return Ok(enough && gate.goes_on(index, host)?);
                }
                Operation::Custom(_) | Operation::Judge { .. } => return Ok(false),
            }
        }
        Ok(false)
    }
}

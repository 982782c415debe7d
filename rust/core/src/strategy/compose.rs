//! Compositions as a plan of steps that can be left and entered again.
//!
//! A strategy of the caller's own may be asynchronous, which the core can't wait for. So a
//! composition is laid out flat, and [`Execution::advance`] runs up to the next strategy that is
//! not the core's, hands it out, and goes on from there when it is called again.

use std::sync::Arc;

use super::{Gate, Leaf, Outcome, Strategy, Truncation};
use crate::error::Result;
use crate::host::{Callback, Host};
use crate::index::{Figures, MessageIndex, Version};

/// A strategy laid out as a list of operations.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(super) operations: Arc<[Operation]>,
    /// Tells strategies with different options apart; `None` where all of it is the caller's own, of
    /// which nothing is remembered.
    options: Option<u128>,
}

#[derive(Clone, Debug)]
pub(super) enum Operation {
    Run(Box<Leaf>),
    Custom(Callback),
    /// Goes to `otherwise` unless the tokens exceed the budget.
    IfOver {
        budget: u64,
        otherwise: usize,
    },
    /// Remembers which targets were missed so far.
    Enter,
    /// Notes whether the tokens are within the budget at the end: only that counts, not what the
    /// strategies since [`Operation::Enter`] aimed at.
    Judge {
        budget: u64,
    },
}

impl Operation {
    /// Whether it leaves what it left the last time, where nothing has happened since.
    fn rests(&self) -> bool {
        matches!(self, Self::Run(leaf) if !leaf.asks_caller())
    }
}

impl Plan {
    /// Lays a strategy out.
    pub fn new(strategy: &Strategy) -> Self {
        let mut operations = Vec::new();
        lay_out(strategy, &mut operations);
        let rests = operations.iter().any(Operation::rests);
        let options =
            rests.then(|| xxhash_rust::xxh3::xxh3_128(format!("{operations:?}").as_bytes()));
        Self { operations: operations.into(), options }
    }
}

fn lay_out(strategy: &Strategy, operations: &mut Vec<Operation>) {
    let mut leaf = |leaf| operations.push(Operation::Run(Box::new(leaf)));
    match strategy {
        Strategy::Truncation(own) => leaf(Leaf::Truncation(own.clone())),
        Strategy::SlidingWindow(own) => leaf(Leaf::SlidingWindow(own.clone())),
        Strategy::ToolCalls(own) => leaf(Leaf::ToolCalls(own.clone())),
        Strategy::ContextPruning(own) => leaf(Leaf::ContextPruning(own.clone())),
        Strategy::ObservationMasking(own) => leaf(Leaf::ObservationMasking(own.clone())),
        Strategy::OversizeClamping(own) => leaf(Leaf::OversizeClamping(own.clone())),
        Strategy::Custom(callback) => operations.push(Operation::Custom(*callback)),
        Strategy::Pipeline(strategies) => {
            for strategy in strategies {
                lay_out(strategy, operations);
            }
        }
        Strategy::TokenBudget { budget, compact_to, strategies, early_stop, protection } => {
            let start = operations.len();
            operations.push(Operation::IfOver { budget: *budget, otherwise: 0 });
            operations.push(Operation::Enter);
            let mut checks = Vec::new();
            for strategy in strategies {
                lay_out(strategy, operations);
                if *early_stop {
                    checks.push(operations.len());
                    operations.push(Operation::IfOver { budget: *compact_to, otherwise: 0 });
                }
            }
            operations.push(Operation::Run(Box::new(Leaf::Truncation(Truncation {
                name: "TokenBudgetComposedStrategy",
                reason: "token_budget",
                ..Truncation::new(Gate::within(*compact_to), *protection)
            }))));
            let judge = operations.len();
            for check in checks {
                operations[check] = Operation::IfOver { budget: *compact_to, otherwise: judge };
            }
            operations.push(Operation::Judge { budget: *compact_to });
            operations[start] = Operation::IfOver { budget: *budget, otherwise: operations.len() };
        }
    }
}

/// What one strategy of a run did.
#[derive(Clone, Debug)]
pub struct Step {
    /// The public name of the strategy; empty for the caller's own.
    pub strategy: &'static str,
    /// Why it excluded what it excluded; empty for the caller's own.
    pub reason: &'static str,
    /// How many groups it excluded or replaced, or has messages of that it shortened.
    pub groups: u64,
    /// How many messages it shortened in place.
    pub shortened: u64,
    /// Whether its target was met.
    pub target_met: bool,
    /// What the index was before and after it.
    pub versions: (Version, Version),
    /// How long it took.
    pub nanoseconds: u64,
}

/// One run of a plan over an index.
#[derive(Debug)]
pub struct Execution {
    plan: Plan,
    next: usize,
    /// The state before the run, once it has started.
    pub before: Option<Figures>,
    /// What the strategies did whose trigger was true, in order.
    pub steps: Vec<Step>,
    /// Whether every target was met at the end of its strategy, or at the end of the run.
    pub target_met: bool,
    /// The targets that were missed so far, and when; what comes later may meet them.
    missed: Vec<(Gate, Version)>,
    /// How many they were before each budget that the run is in.
    set_aside: Vec<usize>,
    waiting: Option<(Version, u64)>,
}

impl Execution {
    /// A run that [`Execution::advance`] starts.
    pub fn new(plan: Plan) -> Self {
        Self {
            plan,
            next: 0,
            before: None,
            steps: Vec::new(),
            target_met: true,
            missed: Vec::new(),
            set_aside: Vec::new(),
            waiting: None,
        }
    }

    /// Runs up to the next strategy that is the caller's own and returns it; `None` at the end.
    ///
    /// # Errors
    /// Whatever the tokenizer, a trigger or a formatter raises. The caller then undoes the run:
    /// [`Execution::abort`].
    pub fn advance(
        &mut self,
        index: &mut MessageIndex,
        host: &mut dyn Host,
    ) -> Result<Option<Callback>> {
        self.before.get_or_insert_with(|| index.figures());
        self.finish_custom(index, host);
        let operations = Arc::clone(&self.plan.operations);
        while let Some(operation) = operations.get(self.next) {
            self.next += 1;
            match operation {
                Operation::Run(leaf) => self.run(leaf, index, host)?,
                Operation::Custom(callback) => {
                    self.waiting = Some((index.version(), host.now()));
                    return Ok(Some(*callback));
                }
                Operation::IfOver { budget, otherwise } => {
                    if !index.tokens_exceed(*budget, host)? {
                        self.next = *otherwise;
                    }
                }
                Operation::Enter => self.set_aside.push(self.missed.len()),
                Operation::Judge { budget } => {
                    self.missed.truncate(self.set_aside.pop().unwrap_or_default());
                    let within = Gate::within(*budget);
                    if !within.target_met(index, host)? {
                        self.missed.push((within, index.version()));
                    }
                }
            }
        }
        for (target, at) in &self.missed {
            self.target_met &= *at != index.version() && target.target_met(index, host)?;
        }
        if let Some(plan) = self.plan.options {
            index.finish(plan);
        }
        Ok(None)
    }

    fn run(&mut self, leaf: &Leaf, index: &mut MessageIndex, host: &mut dyn Host) -> Result<()> {
        let (before, started) = (index.version(), host.now());
        // What the last run of the same strategy left, it leaves.
        let finished = self.plan.options.is_some_and(|plan| index.is_finished(plan));
        let rests = finished && !leaf.asks_caller();
        let outcome = if rests { leaf.gate().at_rest(index, host) } else { leaf.run(index, host) };
        let Outcome { triggered, groups, target_met } = outcome?;
        if triggered {
            if !target_met {
                self.missed.push((leaf.gate().clone(), index.version()));
            }
            let (strategy, reason) = leaf.names();
            self.steps.push(Step {
                strategy,
                reason,
                groups,
                shortened: index.messages_shortened(before),
                target_met,
                versions: (before, index.version()),
                nanoseconds: host.now().saturating_sub(started),
            });
        }
        Ok(())
    }

    fn finish_custom(&mut self, index: &MessageIndex, host: &mut dyn Host) {
        if let Some((before, started)) = self.waiting.take() {
            self.steps.push(Step {
                strategy: "",
                reason: "",
                groups: index.slots_changed(before),
                shortened: index.messages_shortened(before),
                target_met: true,
                versions: (before, index.version()),
                nanoseconds: host.now().saturating_sub(started),
            });
        }
    }

    /// Undoes what the run did.
    pub fn abort(&self, index: &mut MessageIndex) {
        if let Some(before) = self.before {
            index.undo_to(before.version);
        }
    }
}

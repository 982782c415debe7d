//! Triggers and strategies as the core knows them, built by the Python layer.

use chatfold_core::{
    Basis, Callback, Clampable, ContextPruning, Digest, DigestStyle, Gate, Metric,
    ObservationMasking, OversizeClamping, Plan, Protection, PruningLimits, SlidingWindow, Strategy,
    TextUnit, ToolCalls, ToolCallsAction, ToolPattern, Tools, Trigger, Trim, Truncation, Window,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::group::PyMessageGroup;

/// A condition on the included groups.
#[pyclass(frozen, module = "chatfold._core", name = "Trigger")]
pub(crate) struct PyTrigger {
    trigger: Trigger,
}

fn all(triggers: &[Bound<'_, PyTrigger>]) -> Vec<Trigger> {
    triggers.iter().map(|trigger| trigger.get().trigger.clone()).collect()
}

fn metric(name: &str) -> PyResult<Metric> {
    Ok(match name {
        "tokens" => Metric::Tokens,
        "messages" => Metric::Messages,
        "turns" => Metric::Turns,
        "groups" => Metric::Groups,
        "bytes" => Metric::Bytes,
        _ => return Err(PyValueError::new_err(format!("no metric {name:?}"))),
    })
}

#[pymethods]
impl PyTrigger {
    #[staticmethod]
    fn constant(value: bool) -> Self {
        Self { trigger: if value { Trigger::Always } else { Trigger::Never } }
    }

    #[staticmethod]
    fn exceeds(metric_name: &str, limit: u64) -> PyResult<Self> {
        Ok(Self { trigger: Trigger::Exceeds(metric(metric_name)?, limit) })
    }

    #[staticmethod]
    fn below(metric_name: &str, limit: u64) -> PyResult<Self> {
        Ok(Self { trigger: Trigger::Below(metric(metric_name)?, limit) })
    }

    #[staticmethod]
    fn has_tool_calls() -> Self {
        Self { trigger: Trigger::HasToolCalls }
    }

    #[staticmethod]
    fn all_of(triggers: Vec<Bound<'_, Self>>) -> Self {
        Self { trigger: Trigger::All(all(&triggers)) }
    }

    #[staticmethod]
    fn any_of(triggers: Vec<Bound<'_, Self>>) -> Self {
        Self { trigger: Trigger::Any(all(&triggers)) }
    }

    #[staticmethod]
    fn negated(trigger: &Bound<'_, Self>) -> Self {
        Self { trigger: Trigger::Not(Box::new(trigger.get().trigger.clone())) }
    }

    #[staticmethod]
    fn custom(number: u64) -> Self {
        Self { trigger: Trigger::Custom(Callback(number)) }
    }
}

impl PyTrigger {
    pub(crate) fn trigger(&self) -> &Trigger {
        &self.trigger
    }
}

/// Trigger and target.
type GateOf<'py> = (Bound<'py, PyTrigger>, Option<Bound<'py, PyTrigger>>);
/// What is kept: system, first user, last user, minimum.
type ProtectionOf = (bool, bool, bool, u32);

fn gate(gate: &GateOf<'_>) -> Gate {
    Gate {
        trigger: gate.0.get().trigger.clone(),
        target: gate.1.as_ref().map(|target| target.get().trigger.clone()),
    }
}

fn protection((system, first, last, minimum): ProtectionOf) -> Protection {
    Protection {
        preserve_system: system,
        preserve_first_user_group: first,
        preserve_last_user_group: last,
        minimum_preserved: minimum,
    }
}

/// The window where it counts by utilisation, and the ratios of trimming and of clearing.
type BasisOf = (Option<u64>, f64, f64);
/// The least that is pruned; most, head and tail of a trim; the placeholder.
type LimitsOf = (u64, Option<(usize, usize, usize)>, Option<String>);
/// Patterns of tools that are allowed, of those denied, and limits by pattern.
type ToolsOf = (Vec<String>, Vec<String>, Vec<(String, LimitsOf)>);

fn pruning_limits((min_prunable, trim, placeholder): LimitsOf) -> PruningLimits {
    let soft_trim = trim.map(|(max, head, tail)| Trim { max, head, tail });
    PruningLimits { min_prunable, soft_trim, placeholder }
}

fn unit(by_tokens: bool) -> TextUnit {
    if by_tokens { TextUnit::Tokens } else { TextUnit::Characters }
}

/// A strategy, laid out to be run.
#[pyclass(frozen, module = "chatfold._core", name = "Strategy")]
pub(crate) struct PyStrategy {
    strategy: Strategy,
    plan: Plan,
}

impl PyStrategy {
    fn of(strategy: Strategy) -> Self {
        let plan = Plan::new(&strategy);
        Self { strategy, plan }
    }

    pub(crate) fn plan(&self) -> Plan {
        self.plan.clone()
    }
}

#[pymethods]
impl PyStrategy {
    #[staticmethod]
    #[pyo3(signature = (when, keep, spared=None))]
    fn truncation(
        when: GateOf<'_>,
        keep: ProtectionOf,
        spared: Option<&Bound<'_, PyMessageGroup>>,
    ) -> Self {
        let spared = spared.map(|group| group.get().id);
        let own = Truncation::new(gate(&when), protection(keep));
        Self::of(Strategy::Truncation(Truncation { spared, ..own }))
    }

    #[staticmethod]
    fn sliding_window(when: GateOf<'_>, keep: ProtectionOf, turns: bool, window: u32) -> Self {
        let window = if turns { Window::Turns(window) } else { Window::Groups(window) };
        let (gate, protection) = (gate(&when), protection(keep));
        Self::of(Strategy::SlidingWindow(SlidingWindow { gate, window, protection }))
    }

    #[staticmethod]
    fn selective_tool_calls(when: GateOf<'_>, keep: ProtectionOf, keep_last: u32) -> Self {
        Self::of(Strategy::ToolCalls(ToolCalls {
            gate: gate(&when),
            keep_last_tool_call_groups: keep_last,
            protection: protection(keep),
            action: ToolCallsAction::Exclude,
        }))
    }

    #[staticmethod]
    #[pyo3(signature = (when, keep, keep_last, style, formatter, max_chars))]
    fn tool_results(
        when: GateOf<'_>,
        keep: ProtectionOf,
        keep_last: u32,
        style: &str,
        formatter: Option<u64>,
        max_chars: usize,
    ) -> PyResult<Self> {
        let style = match (style, formatter) {
            (_, Some(number)) => DigestStyle::Custom(Callback(number)),
            ("results", None) => DigestStyle::Results,
            ("names", None) => DigestStyle::Names,
            _ => return Err(PyValueError::new_err(format!("no style {style:?}"))),
        };
        Ok(Self::of(Strategy::ToolCalls(ToolCalls {
            gate: gate(&when),
            keep_last_tool_call_groups: keep_last,
            protection: protection(keep),
            action: ToolCallsAction::Digest(Digest { style, max_chars }),
        })))
    }

    #[staticmethod]
    fn context_pruning(
        when: GateOf<'_>,
        basis: BasisOf,
        keep_last_assistants: u32,
        limits: LimitsOf,
        tools: ToolsOf,
        by_tokens: bool,
        min_tokens_freed: u64,
    ) -> Self {
        let (window, soft_trim_ratio, hard_clear_ratio) = basis;
        let (allow, deny, tool_limits) = tools;
        let patterns = |all: Vec<String>| all.iter().map(|text| ToolPattern::new(text)).collect();
        let own = tool_limits.into_iter();
        Self::of(Strategy::ContextPruning(ContextPruning {
            gate: gate(&when),
            basis: window.map_or(Basis::Age, |window| Basis::Utilisation { window }),
            soft_trim_ratio,
            hard_clear_ratio,
            keep_last_assistants,
            limits: pruning_limits(limits),
            tool_limits: own
                .map(|(pattern, limits)| (ToolPattern::new(&pattern), pruning_limits(limits)))
                .collect(),
            tools: Tools { allow: patterns(allow), deny: patterns(deny) },
            unit: unit(by_tokens),
            min_tokens_freed,
        }))
    }

    #[staticmethod]
    fn observation_masking(when: GateOf<'_>, budget: Option<u64>, min_chars: u64) -> Self {
        let gate = gate(&when);
        Self::of(Strategy::ObservationMasking(ObservationMasking { gate, budget, min_chars }))
    }

    #[staticmethod]
    fn oversize_clamping(
        when: GateOf<'_>,
        max_chars: usize,
        results: bool,
        arguments: bool,
        speakers: (bool, bool, bool),
    ) -> Self {
        let (assistant, user, system) = speakers;
        let clamp = [
            (results, Clampable::Results),
            (arguments, Clampable::Arguments),
            (assistant, Clampable::Assistant),
            (user, Clampable::User),
            (system, Clampable::System),
        ];
        let clamp = clamp.into_iter().filter(|(chosen, _)| *chosen).map(|(_, what)| what);
        Self::of(Strategy::OversizeClamping(OversizeClamping {
            gate: gate(&when),
            max_chars,
            clamp: clamp.collect(),
        }))
    }

    #[staticmethod]
    fn pipeline(strategies: Vec<Bound<'_, Self>>) -> Self {
        Self::of(Strategy::Pipeline(each(&strategies)))
    }

    #[staticmethod]
    fn token_budget(
        budget: u64,
        compact_to: u64,
        strategies: Vec<Bound<'_, Self>>,
        early_stop: bool,
        keep: ProtectionOf,
    ) -> Self {
        let (strategies, protection) = (each(&strategies), protection(keep));
        Self::of(Strategy::TokenBudget { budget, compact_to, strategies, early_stop, protection })
    }

    #[staticmethod]
    fn custom(number: u64) -> Self {
        Self::of(Strategy::Custom(Callback(number)))
    }
}

fn each(strategies: &[Bound<'_, PyStrategy>]) -> Vec<Strategy> {
    strategies.iter().map(|strategy| strategy.get().strategy.clone()).collect()
}

//! Context pruning: old tool results fade in place, first to their start and end, then to a
//! placeholder.

use std::collections::BTreeSet;

use super::tool_names::{ToolPattern, Tools};
use super::trim::{TextUnit, Trim};
use super::{Gate, Outcome};
use crate::error::Result;
use crate::host::{Host, Texts};
use crate::index::MessageIndex;

pub(super) const REASON: &str = "context_pruning";

/// What makes a result old enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Basis {
    /// The distance of the result from the end of the list, as a share of all messages.
    Age,
    /// The share of the context window that is in use; the oldest results go first.
    Utilisation {
        /// Tokens of the window.
        window: u64,
    },
}

/// What may become of a result.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PruningLimits {
    /// By age, how long a result must have been to be touched. By utilisation, how much all results
    /// that may be touched must hold together; there only the strategy's own limits count.
    pub min_prunable: u64,
    /// How it is trimmed; `None` for not at all.
    pub soft_trim: Option<Trim>,
    /// What takes the place of its text in the end; `None` for nothing. `{tool}` is the tool's name.
    pub placeholder: Option<String>,
}

/// Shortens old tool results in place.
#[derive(Clone, Debug)]
pub struct ContextPruning {
    /// When it starts and stops.
    pub gate: Gate,
    /// What makes a result old enough.
    pub basis: Basis,
    /// Results are trimmed from this age or utilisation on.
    pub soft_trim_ratio: f64,
    /// Results are cleared from this age or utilisation on.
    pub hard_clear_ratio: f64,
    /// How many of the newest assistant turns are left alone.
    pub keep_last_assistants: u32,
    /// What may become of results.
    pub limits: PruningLimits,
    /// The same for tools of their own; the first pattern that fits counts.
    pub tool_limits: Vec<(ToolPattern, PruningLimits)>,
    /// Whose results are touched at all.
    pub tools: Tools,
    /// What limits are counted in.
    pub unit: TextUnit,
    /// Nothing is shortened unless it frees so many tokens together.
    pub min_tokens_freed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Trim = 0,
    Clear = 1,
}

/// What is the same for one whole run.
struct Zone {
    first: u32,
    end: u32,
    /// Slots with a call that waits for its result, and those that the caller protects.
    left_alone: BTreeSet<u32>,
    options: u128,
}

impl ContextPruning {
    pub(super) fn run(&self, index: &mut MessageIndex, host: &mut dyn Host) -> Result<Outcome> {
        if !self.gate.trigger.holds(index, host)? {
            return Ok(Outcome::NOT_TRIGGERED);
        }
        let version = index.version();
        let zone = Zone {
            first: index.first_user_message(),
            end: index.newest_assistant_turns(self.keep_last_assistants),
            left_alone: index.pending_slots().chain(index.protected_slots()).collect(),
            options: self.options(),
        };
        let (mut from, mut enough) = ([0; 2], None);
        let outcome = self.gate.sweep(index, host, |index, host| {
            for stage in self.stages() {
                if !self.is_due(stage, index, host)? {
                    continue;
                }
                // Asked once a run, when something is due for the first time.
                let enough = match enough {
                    Some(enough) => enough,
                    None => *enough.insert(self.enough_prunable(&zone, index, host)?),
                };
                if !enough {
                    return Ok(None);
                }
                let end = self.end_of(stage, index.message_count()).min(zone.end);
                let from = &mut from[stage as usize];
                while let Some(message) = zone.next(stage, *from, index).filter(|&at| at < end) {
                    *from = message + 1;
                    if self.settle(stage, message, &zone, index, host)? {
                        return Ok(Some(1));
                    }
                }
            }
            Ok(None)
        })?;
        let pays = self.min_tokens_freed == 0
            || index.tokens_freed_in_place(version, host)? >= self.min_tokens_freed;
        if !pays {
            index.undo_to(version);
            return self.gate.untouched(index, host);
        }
        Ok(Outcome { groups: index.slots_changed(version), ..outcome })
    }

    /// By age the oldest results come first; by utilisation nothing is cleared while trimming helps.
    fn stages(&self) -> [Stage; 2] {
        match self.basis {
            Basis::Age => [Stage::Clear, Stage::Trim],
            Basis::Utilisation { .. } => [Stage::Trim, Stage::Clear],
        }
    }

    fn ratio(&self, stage: Stage) -> f64 {
        match stage {
            Stage::Trim => self.soft_trim_ratio,
            Stage::Clear => self.hard_clear_ratio,
        }
    }

    /// Up to where results are old enough.
    fn end_of(&self, stage: Stage, messages: u32) -> u32 {
        if self.basis != Basis::Age {
            return messages;
        }
        let old =
            |message: u32| f64::from(messages - message) / f64::from(messages) >= self.ratio(stage);
        // Older messages are at least as old: the edge is found by halving.
        let (mut low, mut high) = (0, messages);
        while low < high {
            let middle = low + (high - low) / 2;
            if old(middle) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Whether so much of the window is in use.
    fn is_due(&self, stage: Stage, index: &mut MessageIndex, host: &mut dyn Host) -> Result<bool> {
        let Basis::Utilisation { window } = self.basis else { return Ok(true) };
        let limit = at_least(self.ratio(stage), window);
        Ok(limit == 0 || index.tokens_exceed(limit - 1, host)?)
    }

    /// Whether the results that may be pruned hold enough together; looks no further than that.
    fn enough_prunable(
        &self,
        zone: &Zone,
        index: &mut MessageIndex,
        host: &mut dyn Host,
    ) -> Result<bool> {
        if self.basis == Basis::Age {
            return Ok(true);
        }
        let (mut sum, mut from) = (0, 0);
        // What is cleared can't be trimmed, so that trimming is the last thing to be asked for.
        let stage = if self.limits.placeholder.is_some() { Stage::Clear } else { Stage::Trim };
        while sum < self.limits.min_prunable {
            let Some(message) = zone.next(stage, from, index).filter(|&at| at < zone.end) else {
                return Ok(false);
            };
            from = message + 1;
            let Some(limits) = self.limits_for(message, zone, index, host)? else { continue };
            let mut gains = false;
            let placeholder = match &limits.placeholder {
                Some(placeholder) => Some(named(placeholder, message, index, host)?),
                None => None,
            };
            index.visit_texts(message, Texts::Content, host, &mut |_, _, text| {
                gains |= match stage {
                    Stage::Clear => placeholder.as_ref().is_some_and(|new| text.len() > new.len()),
                    Stage::Trim => limits.soft_trim.is_some_and(|trim| text.len() > trim.limit()),
                };
                Ok(())
            })?;
            if gains {
                sum += match self.unit {
                    TextUnit::Characters => u64::from(index.chars_now(message)),
                    TextUnit::Tokens => index.tokens_held(message, host)?,
                };
            }
        }
        Ok(true)
    }

    /// What may become of a message; `None`, and it is put aside, where nothing may.
    fn limits_for(
        &self,
        message: u32,
        zone: &Zone,
        index: &mut MessageIndex,
        host: &mut dyn Host,
    ) -> Result<Option<&PruningLimits>> {
        let prunable = message > zone.first
            && index.is_result(message)
            && !index.has_binary_parts(message)
            && index.is_held_raw(message);
        if !prunable {
            zone.close_all(message, index);
            return Ok(None);
        }
        let slot = index.slot_of_message(message);
        if zone.left_alone.contains(&slot) {
            return Ok(None);
        }
        if !self.tools.choose() && self.tool_limits.is_empty() {
            return Ok(Some(&self.limits));
        }
        let name = host.tool_name(&index.slot_messages(slot), message)?;
        if !self.tools.allow(&name) {
            zone.close_all(message, index);
            return Ok(None);
        }
        let own = self.tool_limits.iter().find(|(pattern, _)| pattern.fits(&name));
        Ok(Some(own.map_or(&self.limits, |(_, limits)| limits)))
    }

    /// Does to a message what is due at its age. Says whether it was shortened.
    fn settle(
        &self,
        stage: Stage,
        message: u32,
        zone: &Zone,
        index: &mut MessageIndex,
        host: &mut dyn Host,
    ) -> Result<bool> {
        let Some(limits) = self.limits_for(message, zone, index, host)? else { return Ok(false) };
        if self.basis == Basis::Age {
            let size = match self.unit {
                TextUnit::Characters => u64::from(index.chars_at_first(message)),
                TextUnit::Tokens => index.tokens_at_first(message, host)?,
            };
            if size < limits.min_prunable {
                zone.close_all(message, index);
                return Ok(false);
            }
        }
        let shortened = match stage {
            Stage::Trim => match limits.soft_trim {
                None => false,
                Some(trim) => {
                    index.shorten(message, Texts::Content, REASON, host, &mut |host, _, text| {
                        trim.apply(text, self.unit, host)
                    })?
                }
            },
            Stage::Clear => match &limits.placeholder {
                None => false,
                Some(placeholder) => {
                    let placeholder = named(placeholder, message, index, host)?;
                    let clear = index.shorten(
                        message,
                        Texts::Content,
                        REASON,
                        host,
                        &mut |_, _, text| {
                            Ok((text.len() > placeholder.len()).then(|| placeholder.clone()))
                        },
                    )?;
                    zone.close(Stage::Trim, message, index);
                    clear
                }
            },
        };
        zone.close(stage, message, index);
        Ok(shortened)
    }

    /// Tells strategies apart that may settle a message in different ways.
    fn options(&self) -> u128 {
        let Self { basis, limits, tool_limits, tools, unit, .. } = self;
        let by_age = *basis == Basis::Age;
        let text = format!("pruning {by_age} {limits:?} {tool_limits:?} {tools:?} {unit:?}");
        xxhash_rust::xxh3::xxh3_128(text.as_bytes())
    }
}

/// The placeholder with the name of the tool in it, where it asks for that.
fn named(
    placeholder: &str,
    message: u32,
    index: &mut MessageIndex,
    host: &mut dyn Host,
) -> Result<String> {
    if !placeholder.contains(TOOL) {
        return Ok(placeholder.to_owned());
    }
    let slot = index.slot_of_message(message);
    let name = host.tool_name(&index.slot_messages(slot), message)?;
    Ok(placeholder.replace(TOOL, &name))
}

const TOOL: &str = "{tool}";

/// The least whole number of tokens that is such a share of the window.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a window of 2^53 tokens is far away, and a share is positive"
)]
fn at_least(ratio: f64, window: u64) -> u64 {
    (ratio * window as f64).ceil() as u64
}

impl Zone {
    fn next(&self, stage: Stage, from: u32, index: &mut MessageIndex) -> Option<u32> {
        // A trigger of the caller's may have run other strategies meanwhile.
        let open = index.open_number(self.options);
        index.next_open(open, stage as usize, from)
    }

    fn close(&self, stage: Stage, message: u32, index: &mut MessageIndex) {
        let open = index.open_number(self.options);
        index.close(open, stage as usize, message);
    }

    fn close_all(&self, message: u32, index: &mut MessageIndex) {
        self.close(Stage::Trim, message, index);
        self.close(Stage::Clear, message, index);
    }
}

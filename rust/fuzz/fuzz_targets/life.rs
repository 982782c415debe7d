//! The life of an index, read from bytes: messages of every kind arrive, groups are excluded,
//! replaced and restored, strategies run and are undone. After every event the groups are those of
//! the whole list at once, no group is split, and the figures are those of counting plainly.
//!
//! `TELL=1 cargo run --release --bin life -- INPUT` writes down the events of one input.

#![no_main]

use arbitrary::{Arbitrary, Unstructured};
use chatfold_core::{Basis, Clampable, ContextPruning, Digest, DigestStyle, Gate, GroupId, MessageIndex, Metric, ObservationMasking, Overhead, OversizeClamping, Protection, PruningLimits, Role, SlidingWindow, Strategy, TextUnit, ToolCalls, ToolCallsAction, Tools, Trigger, Trim, Truncation, Window};
use libfuzzer_sys::fuzz_target;

#[path = "../../core/tests/promises/common/mod.rs"]
#[allow(dead_code, reason = "the tests use all of it")]
mod common;

use common::Setup;
use common::chats::Message;
use common::grouping_twin;
use common::host::{Counter, FakeHost};
use common::observed::{assert_consistent, assert_tokens, observe};
use common::strategies::run;

/// Past this many messages an input shows nothing that a shorter one doesn't.
const MOST_MESSAGES: usize = 64;

#[derive(Arbitrary, Clone, Copy, Debug)]
enum Id {
    A,
    B,
    C,
    None,
}

impl Id {
    fn text(self) -> &'static str {
        match self {
            Self::A => "a",
            Self::B => "b",
            Self::C => "c",
            Self::None => "",
        }
    }
}

#[derive(Arbitrary, Debug)]
enum Kind {
    System,
    Developer,
    User,
    Text,
    Reasoning,
    OneCall(Id),
    TwoCalls(Id, Id),
    Result(Id),
    LegacyResult,
    Summary,
}

#[derive(Arbitrary, Debug)]
enum Event {
    Push { kind: Kind, bytes: u8, counted: bool },
    Exclude(u8),
    Replace { from: u8, groups: u8, bytes: u8 },
    Restore(u8),
    Run { strategy: Which, limit: u8, undo: bool },
    Count,
    SaveAndLoad,
}

#[derive(Arbitrary, Debug)]
enum Which {
    Truncation { tokens: bool, protect: bool },
    Groups,
    Turns,
    ToolCalls,
    Digests,
    Pruning { utilisation: bool, keep: u8, clear: bool },
    Masking,
    Clamping,
    Budget,
}

fn message(kind: &Kind, bytes: u8, counted: bool) -> Message {
    let text = "t".repeat(usize::from(bytes));
    let mut message = match kind {
        Kind::System => Message::new(Role::System, text),
        Kind::Developer => Message::new(Role::Developer, text),
        Kind::User => Message::new(Role::User, text),
        Kind::Text => Message::new(Role::Assistant, text),
        Kind::Reasoning => Message::reasoning(text),
        Kind::OneCall(id) => Message::calls(text, &[id.text()]),
        Kind::TwoCalls(id, other) => Message::calls(text, &[id.text(), other.text()]),
        Kind::Result(id) => Message::result(text, id.text()),
        Kind::LegacyResult => Message::new(Role::Function, text),
        Kind::Summary => Message::stand_in(Role::User, text),
    };
    message.counted_before = counted;
    message
}

fn strategy(which: &Which, limit: u8) -> Strategy {
    let gate = |metric| Gate { trigger: Trigger::Exceeds(metric, u64::from(limit)), target: None };
    let keep = Protection { minimum_preserved: 1, ..Protection::default() };
    match which {
        Which::Truncation { tokens, protect } => {
            let metric = if *tokens { Metric::Tokens } else { Metric::Messages };
            let keep = Protection {
                preserve_system: *protect,
                preserve_first_user_group: *protect,
                ..keep
            };
            Strategy::Truncation(Truncation::new(gate(metric), keep))
        }
        Which::Groups | Which::Turns => {
            let window = match which {
                Which::Groups => Window::Groups(u32::from(limit)),
                _ => Window::Turns(u32::from(limit)),
            };
            Strategy::SlidingWindow(SlidingWindow { gate: Gate::default(), window, protection: keep })
        }
        Which::ToolCalls | Which::Digests => Strategy::ToolCalls(ToolCalls {
            gate: gate(Metric::Bytes),
            keep_last_tool_call_groups: u32::from(limit % 4),
            protection: keep,
            action: match which {
                Which::ToolCalls => ToolCallsAction::Exclude,
                _ => ToolCallsAction::Digest(Digest { style: DigestStyle::Results, max_chars: 64 }),
            },
        }),
        Which::Pruning { utilisation, keep, clear } => Strategy::ContextPruning(ContextPruning {
            gate: Gate::default(),
            basis: if *utilisation {
                Basis::Utilisation { window: u64::from(limit) }
            } else {
                Basis::Age
            },
            soft_trim_ratio: 0.3,
            hard_clear_ratio: 0.5,
            keep_last_assistants: u32::from(keep % 3),
            limits: PruningLimits {
                min_prunable: u64::from(limit / 4),
                soft_trim: Some(Trim { max: 64, head: 10, tail: 5 }),
                placeholder: clear.then(|| "[{tool}]".to_owned()),
            },
            tool_limits: Vec::new(),
            tools: Tools::default(),
            unit: TextUnit::Characters,
            min_tokens_freed: 0,
        }),
        Which::Masking => Strategy::ObservationMasking(ObservationMasking {
            gate: Gate::default(),
            budget: Some(u64::from(limit)),
            min_chars: 64,
        }),
        Which::Clamping => Strategy::OversizeClamping(OversizeClamping {
            gate: Gate::default(),
            max_chars: limit as usize,
            clamp: vec![Clampable::Results, Clampable::Assistant, Clampable::User],
        }),
        Which::Budget => Strategy::TokenBudget {
            budget: u64::from(limit),
            compact_to: u64::from(limit / 2),
            strategies: vec![strategy(&Which::Digests, limit / 2)],
            early_stop: true,
            protection: keep,
        },
    }
}

struct Life {
    setup: Setup,
    index: MessageIndex,
    host: FakeHost,
}

impl Life {
    fn new() -> Self {
        let overhead = Overhead { per_message: 3, per_history: 3 };
        let setup = Setup { messages: Vec::new(), counter: Counter::FourBytes, overhead };
        let (index, host) = setup.empty();
        Self { setup, index, host }
    }

    fn push(&mut self, message: Message) {
        self.setup.messages.push(message.clone());
        self.host.messages.push(message);
        let facts = self.setup.facts(self.setup.messages.len() - 1);
        self.index.push(&facts).expect("there is room");
        self.check_groups();
    }

    /// The groups are those of the whole list at once: of the rules, and of another index.
    fn check_groups(&self) {
        let (at_once, _) = self.setup.full();
        let raw = |index: &MessageIndex| -> Vec<(GroupId, Vec<u32>, Option<u32>, bool)> {
            let ids = index.group_ids().into_iter().filter(|id| id.stand_in.is_none());
            let group = |id| {
                let view = index.group(id);
                (id, view.positions, view.turn, index.is_pending(id))
            };
            ids.map(group).collect()
        };
        assert_eq!(raw(&self.index), raw(&at_once), "one by one is as at once");
        let twin = grouping_twin::groups(&self.setup.messages).into_iter();
        let twin = twin.map(|group| (group.positions, group.turn, group.pending));
        let own = raw(&self.index).into_iter().map(|(_, positions, turn, waits)| (positions, turn, waits));
        assert!(own.eq(twin), "the groups are those of the rules");
    }

    fn run(&mut self, strategy: &Strategy, undo: bool) {
        let (before, version) = (observe(&self.index), self.index.version());
        run(strategy, &mut self.index, &mut self.host).expect("the host does not fail");
        if undo {
            self.index.undo_to(version);
            assert_eq!(observe(&self.index), before, "undone is as it was");
            return;
        }
        let after = observe(&self.index);
        assert!(after.included.bytes <= before.included.bytes, "nothing gets longer");
        run(strategy, &mut self.index, &mut self.host).expect("the host does not fail");
        assert_eq!(observe(&self.index), after, "a second run changes nothing");
    }

    fn save_and_load(&mut self) {
        let saved = self.index.save(self.index.message_count());
        let (mut loaded, _) = self.setup.full();
        assert!(loaded.load(&saved, true), "what was saved can be loaded");
        assert_eq!(observe(&loaded), observe(&self.index), "what is loaded is what was saved");
        self.index = loaded;
    }

    fn live(&mut self, event: Event) {
        let slots = self.index.slot_count();
        let slot = |chosen: u8| u32::from(chosen) % slots.max(1);
        match event {
            Event::Push { kind, bytes, counted } => self.push(message(&kind, bytes, counted)),
            Event::Run { strategy: which, limit, undo } => self.run(&strategy(&which, limit), undo),
            Event::Count => assert_tokens(&mut self.index, &self.setup, &mut self.host),
            Event::SaveAndLoad => self.save_and_load(),
            _ if slots == 0 => {}
            Event::Exclude(chosen) => {
                self.index.exclude(slot(chosen), "excluded");
            }
            Event::Replace { from, groups, bytes } => {
                let from = slot(from);
                let slots: Vec<u32> = (from..slots.min(from + u32::from(groups))).collect();
                let text = "s".repeat(usize::from(bytes));
                self.index.replace(&slots, Role::Assistant, &text, "replaced");
            }
            Event::Restore(chosen) => {
                let ids = self.index.group_ids();
                self.index.restore(ids[usize::from(chosen) % ids.len()]);
            }
        }
        assert_consistent(&self.index, &self.setup, &self.host);
    }
}

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = Unstructured::new(bytes);
    let mut life = Life::new();
    let told = std::env::var_os("TELL").is_some();
    while !bytes.is_empty() && life.setup.messages.len() < MOST_MESSAGES {
        let Ok(event) = Event::arbitrary(&mut bytes) else { break };
        if told {
            eprintln!("{event:?}");
        }
        life.live(event);
    }
});

//! A random life of an index: figures, links and the projection agree after every change, what is
//! undone is undone, and what was true at an earlier version can still be asked.

use chatfold_core::{Bounds, Error, MessageIndex, Overhead, Role, Version};
use proptest::prelude::*;
use proptest::sample::Index;

use super::common::chats::Message;
use super::common::host::{Counter, FakeHost, counters};
use super::common::observed::{
    Observed, Part, Seen, assert_consistent, assert_nothing_is_lost, assert_tokens, observe,
    overhead, plain_tokens,
};
use super::common::strategies::{self, Kinds};
use super::common::{Setup, setups};

#[derive(Clone, Debug)]
enum Change {
    Push(usize),
    Exclude(Index),
    Replace(Vec<Index>, usize),
    Restore(Index),
    Include(Index),
    Prune(Box<chatfold_core::Strategy>),
    Mark,
    Undo(Index),
    Forget(Counter),
    Count,
    CountGroup(Index),
    Exceed(u64),
}

fn changes() -> BoxedStrategy<Vec<Change>> {
    let chosen = any::<Index>;
    let change = prop_oneof![
        6 => (1..5usize).prop_map(Change::Push),
        4 => chosen().prop_map(Change::Exclude),
        4 => (prop::collection::vec(chosen(), 1..4), 0..20usize)
            .prop_map(|(groups, length)| Change::Replace(groups, length)),
        2 => chosen().prop_map(Change::Restore),
        2 => chosen().prop_map(Change::Include),
        4 => strategies::prunings(Kinds::default()).prop_map(|own| Change::Prune(Box::new(own))),
        2 => Just(Change::Mark),
        1 => chosen().prop_map(Change::Undo),
        1 => counters().prop_map(Change::Forget),
        1 => Just(Change::Count),
        1 => chosen().prop_map(Change::CountGroup),
        1 => (0..200u64).prop_map(Change::Exceed),
    ];
    prop::collection::vec(change, 0..25).boxed()
}

struct Life {
    setup: Setup,
    index: MessageIndex,
    host: FakeHost,
    marks: Vec<(Version, Observed)>,
}

impl Life {
    fn new(setup: Setup) -> Self {
        let (index, host) = setup.empty();
        Self { setup, index, host, marks: Vec::new() }
    }

    fn apply(&mut self, change: &Change) {
        let (index, host) = (&mut self.index, &mut self.host);
        let slots = index.slot_count() as usize;
        let groups = index.group_ids();
        let slot = |chosen: &Index| u32::try_from(chosen.index(slots)).unwrap();
        match change {
            Change::Push(messages) => {
                let from = index.message_count() as usize;
                let to = self.setup.messages.len().min(from + messages);
                for position in from..to {
                    index.push(&self.setup.facts(position)).unwrap();
                }
            }
            Change::Mark => self.marks.push((index.version(), observe(index))),
            Change::Undo(_) if self.marks.is_empty() => {}
            Change::Undo(chosen) => self.undo(chosen.index(self.marks.len())),
            Change::Forget(counter) => {
                self.setup.counter = *counter;
                host.counter = *counter;
                host.work.counted.clear();
                for message in &mut self.setup.messages {
                    message.counted_before = false;
                }
                index.forget_tokens(counter.bounds());
            }
            Change::Count => assert_tokens(index, &self.setup, host),
            Change::Exceed(limit) => {
                let plain = plain_tokens(index, &self.setup, host);
                assert_eq!(index.tokens_exceed(*limit, host).unwrap(), plain > *limit);
            }
            _ if groups.is_empty() => {}
            Change::Exclude(chosen) => {
                let held = index.held(slot(chosen)).is_some();
                assert_eq!(index.exclude(slot(chosen), "excluded"), held);
            }
            Change::Replace(chosen, length) => {
                let mut slots: Vec<u32> = chosen.iter().map(slot).collect();
                slots.sort_unstable();
                slots.dedup();
                let before = index.included_counts().bytes;
                if index.replace(&slots, Role::User, "s".repeat(*length), "replaced").is_some() {
                    assert!(index.included_counts().bytes < before);
                }
            }
            Change::Prune(strategy) => {
                let before = index.included_counts().bytes;
                strategies::run(strategy, index, host).unwrap();
                assert!(index.included_counts().bytes <= before, "nothing gets longer");
            }
            Change::Restore(chosen) => {
                let id = groups[chosen.index(groups.len())];
                index.restore(id);
                let view = index.group(id);
                assert!(!view.excluded);
                assert!(view.positions.iter().all(|&at| index.shortened(at).is_none()));
            }
            Change::Include(chosen) => {
                let id = groups[chosen.index(groups.len())];
                let held = |index: &MessageIndex| observe(index).shortened;
                let before = held(index);
                assert!(index.include_again(id));
                assert!(!index.group(id).excluded);
                assert_eq!(held(index), before, "it holds what it held last");
            }
            Change::CountGroup(chosen) => {
                let id = groups[chosen.index(groups.len())];
                let view = index.group(id);
                let plain: u64 = match &view.stand_in {
                    Some((_, text)) => u64::from(host.counter.count(text)),
                    None => view.positions.iter().map(|&at| host.tokens_held(index, at)).sum(),
                };
                assert_eq!(index.group_tokens(id, host).unwrap(), plain);
            }
        }
    }

    fn undo(&mut self, mark: usize) {
        self.marks.truncate(mark + 1);
        let (version, before) = &self.marks[mark];
        let (_, messages, _) = version.into_parts();
        self.index.undo_to(*version);
        let after = observe(&self.index);
        if messages == self.index.message_count() {
            assert_eq!(&after, before, "undone is as it was");
            return;
        }
        for message in messages..self.index.message_count() {
            assert!(after.projection.contains(&Part::Message(message)), "{message} came since");
        }
        for part in &before.projection {
            let message = matches!(part, Part::Message(_));
            assert!(!message || after.projection.contains(part), "{part:?} was included");
        }
    }

    fn check(&self) {
        assert_consistent(&self.index, &self.setup, &self.host);
        assert_nothing_is_lost(&self.index);
        let mut counted = self.host.work.counted.clone();
        counted.sort_unstable();
        assert!(counted.windows(2).all(|pair| pair[0] != pair[1]), "a text is counted once");
    }

    /// What was excluded since a mark is a part of all that is excluded, and the part that was not
    /// excluded then.
    fn check_excluded_since(&self) {
        let all = self.index.excluded_for("excluded", None);
        let (ids, groups) = (self.index.group_ids(), observe(&self.index).groups);
        for (version, seen) in &self.marks {
            let since = self.index.excluded_for("excluded", Some(*version));
            assert!(since.iter().all(|id| all.contains(id)));
            for (id, now) in ids.iter().zip(&groups).filter(|(id, _)| all.contains(id)) {
                let same =
                    |then: &&Seen| then.positions == now.positions && then.stand_in == now.stand_in;
                let mut then = seen.groups.iter().filter(same);
                let alone = then.next().filter(|_| then.next().is_none());
                assert!(alone.is_none_or(|then| then.excluded) || since.contains(id));
            }
        }
    }

    /// Asks for the tokens at every mark.
    fn check_marks(&mut self) {
        for (version, seen) in &self.marks {
            let tokens = |part: &Part| match part {
                Part::Message(position) => {
                    let held = seen.shortened.iter().find(|(message, ..)| message == position);
                    held.map_or_else(
                        || self.host.tokens_of(*position),
                        |(_, text, _)| {
                            let fixed = self.setup.messages[*position as usize].facts.fixed_tokens;
                            u64::from(self.host.counter.count(text)) + u64::from(fixed)
                        },
                    )
                }
                Part::StandIn(_, text) => u64::from(self.host.counter.count(text)),
            };
            let plain = seen.projection.iter().map(tokens).sum::<u64>()
                + overhead(&self.setup, seen.projection.len());
            assert_eq!(self.index.tokens_at(*version, &mut self.host).unwrap(), plain);
        }
        for (version, seen) in &self.marks {
            let (_, messages, _) = version.into_parts();
            if messages == self.index.message_count() {
                let first = self.index.first_changed(*version);
                assert_first_changed(first, seen, &observe(&self.index));
            }
        }
    }
}

/// What is before the first change reads as it did, and without a change all does.
fn assert_first_changed(first: Option<u32>, before: &Observed, now: &Observed) {
    let read = |observed: &Observed, end: u32| -> Vec<(u32, Option<String>)> {
        let held = |at: u32| {
            observed.shortened.iter().find(|(own, ..)| *own == at).map(|(_, text, _)| text.clone())
        };
        let parts = observed.projection.iter().filter_map(|part| match part {
            Part::Message(at) if *at < end => Some((*at, held(*at))),
            _ => None,
        });
        parts.collect()
    };
    let end = first.unwrap_or(u32::MAX);
    assert_eq!(read(before, end), read(now, end));
    if first.is_none() {
        assert_eq!(before.projection, now.projection);
    }
    // The same text may stand for other groups.
    let stand_in = |part: &Part| matches!(part, Part::StandIn(..));
    if !before.projection.iter().chain(&now.projection).any(stand_in) {
        let same = read(before, u32::MAX) == read(now, u32::MAX);
        assert_eq!(first.is_none(), same, "{before:?} {now:?}");
    }
}

proptest! {
    #[test]
    fn figures_links_and_projection_agree_after_every_change(
        setup in setups(20),
        changes in changes(),
    ) {
        let mut life = Life::new(setup);
        for change in &changes {
            life.apply(change);
            life.check();
        }
        life.check_marks();
        life.check_excluded_since();
        life.check();
        let plain = plain_tokens(&life.index, &life.setup, &life.host);
        prop_assert_eq!(life.index.included_tokens(&mut life.host).unwrap(), plain);
    }

    #[test]
    fn a_copy_of_an_index_lives_its_own_life(setup in setups(12), changes in changes()) {
        let mut life = Life::new(setup);
        life.apply(&Change::Push(usize::MAX / 2));
        let (copy, before) = (life.index.clone(), observe(&life.index));
        for change in &changes {
            life.apply(change);
        }
        prop_assert_eq!(observe(&copy), before);
    }
}

#[test]
fn a_version_of_an_index_that_was_built_anew_is_refused() {
    let index = MessageIndex::new(Bounds::Unbounded, Default::default());
    let (mut fresh, mut host) = (index.fresh(), FakeHost::new(Vec::new(), Counter::Wild));
    assert!(matches!(fresh.tokens_at(index.version(), &mut host), Err(Error::Rebuilt)));
    let version = Version::from_parts(fresh.version().into_parts());
    assert_eq!(fresh.tokens_at(version, &mut host).unwrap(), 0);
}

/// An index of the first messages of a chat, which the rest may follow.
fn begun(messages: Vec<Message>, first: usize) -> Life {
    let setup = Setup { messages, counter: Counter::FourBytes, overhead: Overhead::default() };
    let mut life = Life::new(setup);
    life.apply(&Change::Push(first));
    life
}

#[test]
fn figures_of_a_replaced_group_are_found_after_a_result_tied_it_to_another() {
    let messages = vec![
        Message::calls("", &["a"]),
        Message::calls("", &["b"]),
        Message::result("a long result", "x"),
        Message::result("", "a"),
    ];
    let mut life = begun(messages, 3);
    life.index.replace(&[1], Role::Assistant, "[]", "digest").unwrap();
    life.apply(&Change::Mark);
    life.apply(&Change::Push(1));
    assert_eq!(life.index.group_ids().len(), 1);
    life.check_marks();
}

#[test]
fn figures_of_an_excluded_group_are_found_after_it_was_tied_to_another_and_that_undone() {
    let messages = vec![
        Message::calls("kept", &["a"]),
        Message::calls("", &["b"]),
        Message::result("a long result", "x"),
        Message::result("", "a"),
    ];
    let mut life = begun(messages, 3);
    life.index.exclude(1, "excluded");
    life.apply(&Change::Mark);
    life.apply(&Change::Push(1));
    life.undo(0);
    life.check();
    assert_eq!(life.index.projection().len(), 4);
    life.check_marks();
}

#[test]
fn undoing_never_brings_a_stand_in_back_for_what_new_messages_tied_together() {
    let messages = vec![
        Message::new(Role::User, "a question"),
        Message::reasoning("one thought"),
        Message::reasoning("another thought"),
        Message::calls("", &["a"]),
    ];
    let mut life = begun(messages, 3);
    life.index.replace(&[0, 2], Role::User, "[Summary]", "summary").unwrap();
    life.index.exclude(1, "excluded");
    life.apply(&Change::Mark);
    life.apply(&Change::Push(1));
    life.undo(0);
    life.check();
    assert_eq!(life.index.projection().len(), 4);
}

#[test]
fn what_goes_and_comes_back_is_no_change() {
    let messages = vec![Message::new(Role::User, "one"), Message::new(Role::User, "another one")];
    let mut index = begun(messages, 2).index;
    index.replace(&[1], Role::User, "[S]", "summary").unwrap();
    let version = index.version();
    index.exclude(0, "excluded");
    assert_eq!(index.first_changed(version), Some(0));
    let group = index.group_ids()[0];
    index.restore(group);
    assert_ne!(index.version(), version);
    assert_eq!(index.first_changed(version), None);
    let inner = index.replaces(index.held(1).unwrap())[0];
    index.restore(inner);
    assert_eq!(index.first_changed(version), Some(1));
    index.replace(&[1], Role::User, "[S]", "summary").unwrap();
    assert_eq!(index.first_changed(version), None, "the same text as before");
}

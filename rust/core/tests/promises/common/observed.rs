//! All that can be seen of an index, and what of it must agree.

use chatfold_core::{Counts, GroupId, GroupKind, GroupView, Host, Kept, MessageIndex, Role};

use super::Setup;
use super::host::FakeHost;

/// A group with its links, as places in the list of groups.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Seen {
    pub(crate) kind: GroupKind,
    pub(crate) positions: Vec<u32>,
    bytes: u64,
    turn: Option<u32>,
    pub(crate) excluded: bool,
    reason: String,
    pub(crate) stand_in: Option<(Role, String)>,
    pub(crate) summary: Option<usize>,
    pub(crate) replaces: Vec<usize>,
}

/// A part of the projection: a message, or the role and text of a stand-in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Message(u32),
    StandIn(Role, String),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Observed {
    pub(crate) groups: Vec<Seen>,
    pub(crate) projection: Vec<Part>,
    /// What shortened messages hold, and why.
    pub(crate) shortened: Vec<(u32, String, String)>,
    pub(crate) included: Counts,
    pub(crate) total: Counts,
}

pub(crate) fn observe(index: &MessageIndex) -> Observed {
    let ids = index.group_ids();
    let place = |id: &GroupId| ids.iter().position(|other| other == id).unwrap();
    let groups = ids.iter().map(|&id| {
        let view = index.group(id);
        Seen {
            kind: view.kind,
            positions: view.positions,
            bytes: view.byte_count,
            turn: view.turn,
            excluded: view.excluded,
            reason: view.exclude_reason,
            stand_in: view.stand_in,
            summary: index.summary_of(id).as_ref().map(place),
            replaces: index.replaces(id).iter().map(place).collect(),
        }
    });
    Observed {
        groups: groups.collect(),
        projection: projection(index),
        shortened: shortened(index),
        included: index.included_counts(),
        total: index.total_counts(),
    }
}

fn shortened(index: &MessageIndex) -> Vec<(u32, String, String)> {
    let held = |message| {
        let now = index.shortened(message)?;
        Some((message, now.texts[0].1.clone(), index.shorten_reason(message)))
    };
    (0..index.message_count()).filter_map(held).collect()
}

pub(crate) fn projection(index: &MessageIndex) -> Vec<Part> {
    let part = |kept| match kept {
        Kept::Message(position) => Part::Message(position),
        Kept::StandIn(number) => {
            let (role, text) = index.stand_in(number);
            Part::StandIn(role, text.to_owned())
        }
    };
    index.projection().into_iter().map(part).collect()
}

/// The messages that are kept.
pub(crate) fn kept_messages(index: &MessageIndex) -> Vec<u32> {
    let message = |kept| match kept {
        Kept::Message(position) => Some(position),
        Kept::StandIn(_) => None,
    };
    index.projection().into_iter().filter_map(message).collect()
}

fn views(index: &MessageIndex) -> Vec<(GroupId, GroupView)> {
    index.group_ids().into_iter().map(|id| (id, index.group(id))).collect()
}

fn counts<'a>(views: impl Iterator<Item = &'a GroupView>) -> Counts {
    let mut counts = Counts::default();
    let mut turns: Vec<u32> = Vec::new();
    for view in views {
        counts.groups += 1;
        counts.messages += if view.stand_in.is_some() { 1 } else { view.positions.len() as u64 };
        counts.bytes += view.byte_count;
        turns.extend(view.turn.filter(|&turn| turn > 0 && !turns.contains(&turn)));
    }
    Counts { turns: turns.len() as u64, ..counts }
}

/// The tokens of what is included, counted plainly.
pub(crate) fn plain_tokens(index: &MessageIndex, setup: &Setup, host: &FakeHost) -> u64 {
    let parts = projection(index);
    let tokens = |part: &Part| match part {
        Part::Message(position) => host.tokens_held(index, *position),
        Part::StandIn(_, text) => u64::from(host.counter.count(text)),
    };
    parts.iter().map(tokens).sum::<u64>() + overhead(setup, parts.len())
}

pub(crate) fn overhead(setup: &Setup, parts: usize) -> u64 {
    let whole = if parts > 0 { u64::from(setup.overhead.per_history) } else { 0 };
    parts as u64 * u64::from(setup.overhead.per_message) + whole
}

/// Recomputes everything from the groups, one by one, and compares.
pub(crate) fn assert_consistent(index: &MessageIndex, setup: &Setup, host: &FakeHost) {
    let views = views(index);
    let ids = views.iter().filter(|(_, view)| !view.excluded).map(|(id, _)| *id);
    assert!(index.included_ids().into_iter().eq(ids), "included groups are those not excluded");
    let included = counts(views.iter().map(|(_, view)| view).filter(|view| !view.excluded));
    assert_eq!(index.included_counts(), included, "included figures are those of the groups");
    let users = setup.messages[..index.message_count() as usize].iter();
    let turns = users.filter(|message| message.is_user()).count() as u64;
    let total = Counts { turns, ..counts(views.iter().map(|(_, view)| view)) };
    assert_eq!(index.total_counts(), total, "total figures are those of all groups");
    if let Some(known) = index.known_included_tokens() {
        assert_eq!(known, plain_tokens(index, setup, host), "known tokens are the tokens");
    }
    assert_links(index, &views);
    assert_lists(index, setup, &views);
    assert_projection(index, &views);
}

fn assert_links(index: &MessageIndex, views: &[(GroupId, GroupView)]) {
    let mut positions: Vec<u32> = Vec::new();
    for (id, view) in views {
        positions.extend(&view.positions);
        assert!(view.excluded || view.exclude_reason.is_empty(), "an included group has no reason");
        assert_eq!(id.stand_in.is_some(), view.stand_in.is_some());
        if let Some(summary) = index.summary_of(*id) {
            assert!(view.excluded, "a group and its stand-in are both included: {id:?}");
            assert!(views.iter().any(|(other, _)| *other == summary), "{id:?} has a lost stand-in");
            assert!(index.replaces(summary).contains(id), "{summary:?} does not know {id:?}");
        }
        for inner in index.replaces(*id) {
            assert!(views.iter().any(|(other, _)| other == inner), "{id:?} is for a lost group");
            assert_eq!(index.summary_of(*inner), Some(*id), "{inner:?} does not know {id:?}");
        }
    }
    positions.sort_unstable();
    assert!(positions.into_iter().eq(0..index.message_count()), "each message is in one group");
}

/// The lists that are kept up to date are those of the groups.
fn assert_lists(index: &MessageIndex, setup: &Setup, views: &[(GroupId, GroupView)]) {
    let included = || views.iter().filter(|(_, view)| !view.excluded);
    let summaries = included().filter(|(_, view)| view.kind == GroupKind::Summary);
    assert!(index.included_summaries().into_iter().eq(summaries.map(|(id, _)| *id)));
    let spoken = || included().filter(|(_, view)| view.kind != GroupKind::System);
    let mut floor: Vec<GroupId> = spoken().next_back().map(|(id, _)| *id).into_iter().collect();
    floor.extend(spoken().rfind(|(_, view)| view.kind == GroupKind::User).map(|(id, _)| *id));
    let said =
        (0..index.message_count()).rev().find(|&at| setup.facts(at as usize).role == Role::User);
    floor.extend(
        spoken()
            .filter(|(id, view)| {
                let doubtful =
                    view.kind == GroupKind::Summary && view.positions.last().copied() == said;
                let own = index.is_pending(*id) || index.is_protected(*id);
                own || (doubtful && said.is_some())
            })
            .map(|(id, _)| *id),
    );
    floor.sort_unstable();
    floor.dedup();
    assert_eq!(index.included_floor(), floor, "the floor is what no strategy takes");
    for reason in views.iter().map(|(_, view)| &view.exclude_reason).filter(|text| !text.is_empty())
    {
        let all = views
            .iter()
            .filter(|(id, view)| view.exclude_reason == *reason && index.summary_of(*id).is_none());
        assert!(index.excluded_for(reason, None).into_iter().eq(all.map(|(id, _)| *id)));
    }
}

/// Where a group stands: a stand-in at the first message that it replaces.
fn place(index: &MessageIndex, id: GroupId) -> u32 {
    let of_inner = index.replaces(id).iter().map(|&inner| place(index, inner)).min();
    of_inner.unwrap_or_else(|| index.group(id).positions[0])
}

fn assert_projection(index: &MessageIndex, views: &[(GroupId, GroupView)]) {
    let mut expected = Vec::new();
    for (id, _) in views.iter().filter(|(_, view)| !view.excluded) {
        match id.stand_in {
            Some(number) => expected.push((place(index, *id), Kept::StandIn(number))),
            None => {
                let messages = index.group(*id).positions.into_iter();
                expected.extend(messages.map(|position| (position, Kept::Message(position))));
            }
        }
    }
    expected.sort_by_key(|(place, _)| *place);
    let expected: Vec<Kept> = expected.into_iter().map(|(_, kept)| kept).collect();
    assert_eq!(index.projection(), expected, "the projection is what is included, in order");
}

/// Counts everything that is included, and compares with the plain count.
pub(crate) fn assert_tokens(index: &mut MessageIndex, setup: &Setup, host: &mut FakeHost) {
    let plain = plain_tokens(index, setup, host);
    assert_eq!(index.included_tokens(host as &mut dyn Host).unwrap(), plain);
    assert_eq!(index.known_included_tokens(), Some(plain));
}

/// Whatever is excluded was excluded for a reason, or something else stands for it.
pub(crate) fn assert_nothing_is_lost(index: &MessageIndex) {
    for (id, view) in views(index) {
        let reason = !view.exclude_reason.is_empty() || index.summary_of(id).is_some();
        assert!(!view.excluded || reason, "{id:?} is lost: {view:?}");
    }
}

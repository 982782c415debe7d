//! Saving and loading: nothing is lost, nothing is believed that does not fit together.

use chatfold_core::{
    GroupId, GroupKind, MessageIndex, Overhead, Role, Saved, SavedGroup, SavedId, SavedStandIn,
};
use proptest::prelude::*;
use proptest::sample::Index;

use super::common::host::{Counter, FakeHost};
use super::common::observed::{
    Observed, Part, assert_consistent, assert_nothing_is_lost, assert_tokens, kept_messages,
    observe, projection,
};
use super::common::strategies::{self, Kinds};
use super::common::{Setup, chats, setups};

const CUSTOM: Kinds =
    Kinds { custom_triggers: true, custom_strategies: true, monotone: false, floor: false };

/// An index over the first messages that some strategies have worked on.
fn lived(
    setup: &Setup,
    messages: usize,
    strategies: &[chatfold_core::Strategy],
) -> (MessageIndex, FakeHost) {
    let (mut index, mut host) = setup.empty();
    for part in 0..strategies.len() {
        let end = messages * (part + 1) / strategies.len();
        push(setup, &mut index, end);
        strategies::run(&strategies[part], &mut index, &mut host).unwrap();
    }
    (index, host)
}

fn push(setup: &Setup, index: &mut MessageIndex, end: usize) {
    for position in index.message_count() as usize..end {
        index.push(&setup.facts(position)).unwrap();
    }
}

/// A fresh index over the same messages.
fn anew(setup: &Setup, index: &MessageIndex, end: usize) -> MessageIndex {
    let mut fresh = index.fresh();
    push(setup, &mut fresh, end);
    fresh
}

fn some_strategies() -> BoxedStrategy<Vec<chatfold_core::Strategy>> {
    prop::collection::vec(strategies::composed(CUSTOM), 1..4).boxed()
}

/// The messages that no strategy excludes by default, but for system messages.
fn floor(index: &MessageIndex) -> Vec<u32> {
    let groups: Vec<GroupId> =
        index.group_ids().into_iter().filter(|id| id.stand_in.is_none()).collect();
    let of = |kind: fn(GroupKind) -> bool| {
        groups.iter().rev().find(|&&id| kind(index.group(id).kind)).copied()
    };
    let newest = of(|kind| kind != GroupKind::System).or(groups.last().copied());
    let user = of(|kind| kind == GroupKind::User);
    let pending = groups.iter().copied().filter(|&id| index.is_pending(id));
    let floor = newest.into_iter().chain(user).chain(pending);
    floor.flat_map(|id| index.group(id).positions).collect()
}

/// Any state, most of it nonsense.
fn garbage() -> BoxedStrategy<Saved> {
    let ids =
        prop_oneof![(0..12u32).prop_map(SavedId::Group), (0..4u32).prop_map(SavedId::StandIn),];
    let group = (0..12u32, 0..4u32, any::<bool>()).prop_map(|(first, len, replaced)| SavedGroup {
        first,
        len,
        reason: "garbage".to_owned(),
        replaced,
        decided_at: first,
    });
    let stand_in = (prop::collection::vec(ids, 0..4), any::<[bool; 3]>()).prop_map(
        |(replaces, [included, replaced, counted])| SavedStandIn {
            role: Role::User,
            text: "[Summary]".to_owned(),
            tokens: counted.then_some(3),
            replaces,
            included,
            reason: if included { String::new() } else { "garbage".to_owned() },
            replaced,
            decided_at: 3,
            written: counted,
            excluded_at: if included { 0 } else { 7 },
        },
    );
    let tokens = prop::collection::vec(prop::option::of(0..9u32), 0..14);
    let (groups, stand_ins) =
        (prop::collection::vec(group, 0..5), prop::collection::vec(stand_in, 0..4));
    (tokens, groups, stand_ins, prop::collection::vec(0..12u32, 0..2))
        .prop_map(|(tokens, groups, stand_ins, protected)| Saved {
            tokens,
            groups,
            stand_ins,
            protected,
            shortened: Vec::new(),
            settled: Vec::new(),
            finished: vec![3],
        })
        .boxed()
}

/// What may have happened to a state on its way.
#[derive(Clone, Copy, Debug)]
enum Damage {
    DropGroup,
    DropStandIn,
    RepeatStandIn,
    FlipReplacedGroup,
    FlipReplaced,
    FlipIncluded,
    DropReplaced,
    Lengthen,
}

fn damages() -> BoxedStrategy<Damage> {
    use Damage::{
        DropGroup, DropReplaced, DropStandIn, FlipIncluded, FlipReplaced, FlipReplacedGroup,
        Lengthen, RepeatStandIn,
    };
    let all = [
        DropGroup,
        DropStandIn,
        RepeatStandIn,
        FlipReplacedGroup,
        FlipReplaced,
        FlipIncluded,
        DropReplaced,
        Lengthen,
    ];
    prop::sample::select(all.to_vec()).boxed()
}

fn damaged(saved: &Saved, damage: Damage, at: Index) -> Saved {
    let mut saved = saved.clone();
    // Nobody can check counts.
    saved.stand_ins.iter_mut().for_each(|stand_in| stand_in.tokens = None);
    let (groups, stand_ins) = (&mut saved.groups, &mut saved.stand_ins);
    let group = (!groups.is_empty()).then(|| at.index(groups.len()));
    let stand_in = (!stand_ins.is_empty()).then(|| at.index(stand_ins.len()));
    match (damage, group, stand_in) {
        (Damage::DropGroup, Some(group), _) => drop(groups.remove(group)),
        (Damage::FlipReplacedGroup, Some(group), _) => groups[group].replaced ^= true,
        (Damage::Lengthen, Some(group), _) => groups[group].len += 1,
        (Damage::DropStandIn, _, Some(number)) => drop(stand_ins.remove(number)),
        (Damage::RepeatStandIn, _, Some(number)) => stand_ins.push(stand_ins[number].clone()),
        (Damage::FlipReplaced, _, Some(number)) => stand_ins[number].replaced ^= true,
        (Damage::FlipIncluded, _, Some(number)) => stand_ins[number].included ^= true,
        (Damage::DropReplaced, _, Some(number)) => drop(stand_ins[number].replaces.pop()),
        _ => {}
    }
    saved
}

/// Loads a state that may be nonsense: without tokens, which nobody can check.
fn load_garbage(setup: &Setup, saved: &Saved, strict: bool) -> (bool, MessageIndex, Observed) {
    let (mut index, host) = setup.full();
    let before = observe(&index);
    let complete = index.load(saved, strict);
    index.forget_tokens(setup.counter.bounds());
    assert_consistent(&index, setup, &host);
    (complete, index, before)
}

proptest! {
    #[test]
    fn a_loaded_index_is_and_behaves_as_the_saved_one(
        setup in setups(24),
        cut in any::<Index>(),
        past in some_strategies(),
        future in strategies::composed(CUSTOM),
    ) {
        let cut = cut.index(setup.messages.len() + 1);
        let (mut index, mut host) = lived(&setup, cut, &past);
        let saved = index.save(index.message_count());
        let mut loaded = anew(&setup, &index, cut);
        prop_assert!(loaded.load(&saved, true));
        prop_assert_eq!(observe(&loaded), observe(&index));
        prop_assert_eq!(loaded.known_included_tokens(), index.known_included_tokens());
        prop_assert_eq!(loaded.save(loaded.message_count()), saved);
        assert_consistent(&loaded, &setup, &host);
        for index in [&mut loaded, &mut index] {
            push(&setup, index, setup.messages.len());
            // What the same strategy settled before is settled still.
            for strategy in [past.last().unwrap(), &future] {
                strategies::run(strategy, index, &mut host).unwrap();
            }
        }
        prop_assert_eq!(observe(&loaded), observe(&index));
        assert_tokens(&mut loaded, &setup, &mut host);
    }

    #[test]
    fn a_list_that_goes_back_takes_back_what_was_decided_since(
        setup in setups(24),
        cut in any::<Index>(),
        other_end in chats::histories(6),
        past in some_strategies(),
    ) {
        let (index, _) = lived(&setup, setup.messages.len(), &past);
        let cut = cut.index(setup.messages.len() + 1);
        let before = u32::try_from(cut).unwrap();
        let (saved, all) = (index.save(before), index.save(index.message_count()));
        let mut changed = setup.clone();
        changed.messages.truncate(cut);
        changed.messages.extend(other_end);
        let mut loaded = anew(&changed, &index, changed.messages.len());
        loaded.load(&saved, false);
        let (_, mut host) = changed.empty();
        assert_consistent(&loaded, &changed, &host);
        assert_nothing_is_lost(&loaded);
        for id in index.group_ids().into_iter().filter(|id| id.stand_in.is_none()) {
            let positions = index.group(id).positions;
            let slot = positions.first().filter(|&&at| at < before).map(|&at| loaded.slot_of_message(at));
            let Some(slot) = slot else { continue };
            let found_id = GroupId { slot, stand_in: None };
            let found = loaded.group(found_id);
            if found.positions != positions || positions.iter().any(|&at| at >= before) {
                continue;
            }
            let first = positions[0];
            let said = all.groups.iter().find(|group| group.first == first);
            let stays = match said {
                None => false,
                Some(group) if group.replaced => {
                    // Its stand-in may have been for what is no more.
                    prop_assert!(!found.excluded || loaded.summary_of(found_id).is_some());
                    continue;
                }
                Some(group) => group.decided_at <= before,
            };
            prop_assert_eq!(found.excluded, stays);
            let reason = if stays { index.group(id).exclude_reason } else { String::new() };
            prop_assert_eq!(found.exclude_reason, reason);
        }
        let kept = kept_messages(&loaded);
        prop_assert!((before..loaded.message_count()).all(|at| kept.contains(&at)));
        loaded.include_floor();
        assert_consistent(&loaded, &changed, &host);
        assert_nothing_is_lost(&loaded);
        let kept = kept_messages(&loaded);
        prop_assert!(floor(&loaded).iter().all(|at| kept.contains(at)));
        assert_tokens(&mut loaded, &changed, &mut host);
    }

    #[test]
    fn garbage_is_refused_as_a_whole_or_is_a_state_that_can_be_saved(
        setup in setups(10),
        saved in garbage(),
    ) {
        let (accepted, index, before) = load_garbage(&setup, &saved, true);
        if accepted {
            let (mut saved, again) = (saved, index.save(index.message_count()));
            saved.groups.sort_by_key(|group| group.first);
            prop_assert_eq!((again.groups, again.stand_ins), (saved.groups, saved.stand_ins));
        } else {
            prop_assert_eq!(observe(&index), before);
        }
    }

    #[test]
    fn garbage_that_is_taken_as_far_as_it_goes_is_a_valid_state(
        setup in setups(10),
        saved in garbage(),
    ) {
        let (_, mut index, _) = load_garbage(&setup, &saved, false);
        let (_, mut host) = setup.empty();
        for id in index.group_ids() {
            index.restore(id);
            assert_consistent(&index, &setup, &host);
        }
        assert_tokens(&mut index, &setup, &mut host);
    }

    #[test]
    fn a_damaged_state_is_refused_as_a_whole_or_is_a_state_that_can_be_saved(
        setup in setups(16),
        past in some_strategies(),
        damage in damages(),
        at in any::<Index>(),
    ) {
        let (index, _) = lived(&setup, setup.messages.len(), &past);
        let saved = damaged(&index.save(index.message_count()), damage, at);
        let (accepted, index, before) = load_garbage(&setup, &saved, true);
        if accepted {
            let again = index.save(index.message_count());
            prop_assert_eq!((&again.groups, &again.stand_ins), (&saved.groups, &saved.stand_ins));
        } else {
            prop_assert_eq!(observe(&index), before);
        }
        load_garbage(&setup, &saved, false);
    }
}

#[test]
fn a_stand_in_comes_back_where_the_one_that_replaced_it_is_for_a_group_that_grew() {
    let messages = vec![
        chats::Message::new(Role::User, "a long question"),
        chats::Message::calls("a call", &["a"]),
        chats::Message::new(Role::User, "another question"),
        chats::Message::result("a late result", "a"),
    ];
    let setup = Setup { messages, counter: Counter::FourBytes, overhead: Overhead::default() };
    let (mut index, _) = setup.empty();
    push(&setup, &mut index, 3);
    index.replace(&[0], Role::User, "[Summary] 1", "summary").unwrap();
    index.replace(&[0, 1], Role::User, "[Summary] 2", "summary").unwrap();
    let mut loaded = anew(&setup, &index, 4);
    assert!(!loaded.load(&index.save(3), false));
    assert_nothing_is_lost(&loaded);
    let summary = Part::StandIn(Role::User, "[Summary] 1".to_owned());
    assert_eq!(
        projection(&loaded),
        [summary, Part::Message(1), Part::Message(2), Part::Message(3)]
    );
}

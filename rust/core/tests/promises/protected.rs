//! What the caller protects stays, through strategies, undoing and saving.

use chatfold_core::{Gate, GroupId, Metric, Protection, Role, Strategy, Trigger, Truncation};
use proptest::prelude::*;
use proptest::sample::Index;

use super::common::strategies::Kinds;
use super::common::{setups, strategies};

/// The caller's own strategies take no notice of what is protected.
const OWN_RULES: Kinds =
    Kinds { custom_triggers: true, custom_strategies: false, monotone: false, floor: false };

fn raw(slot: u32) -> GroupId {
    GroupId { slot, stand_in: None }
}

proptest! {
    #[test]
    fn promise_3_protected_groups_survive_every_strategy(
        setup in setups(24),
        strategy in strategies::composed(OWN_RULES),
        chosen in prop::collection::vec(any::<bool>(), 24),
    ) {
        let (mut index, mut host) = setup.full();
        let included = |index: &chatfold_core::MessageIndex, slot| index.held(slot) == Some(raw(slot));
        let chosen: Vec<u32> = (0..index.slot_count())
            .filter(|&slot| included(&index, slot))
            .filter(|&slot| chosen.get(slot as usize) == Some(&true))
            .collect();
        for &slot in &chosen {
            prop_assert!(index.protect(raw(slot), true));
        }
        strategies::run(&strategy, &mut index, &mut host).unwrap();
        for &slot in &chosen {
            prop_assert!(included(&index, slot), "{slot} is gone");
        }
        let mut loaded = setup.full().0;
        prop_assert!(loaded.load(&index.save(index.message_count()), true));
        prop_assert_eq!(loaded.protected_slots().collect::<Vec<_>>(), chosen);
    }

    #[test]
    fn a_truncation_spares_a_group_as_if_it_were_protected(
        setup in setups(24),
        chosen in any::<Index>(),
        most in 0..200u64,
    ) {
        let (mut index, mut host) = setup.full();
        let included = index.included_ids();
        prop_assume!(!included.is_empty());
        let spared = included[chosen.index(included.len())];
        let trigger = Trigger::Exceeds(Metric::Tokens, most);
        let own = Truncation::new(Gate { trigger, target: None }, Protection::default());
        let plain = Strategy::Truncation(own.clone());
        let sparing = Strategy::Truncation(Truncation { spared: Some(spared), ..own });
        strategies::run(&sparing, &mut index, &mut host).unwrap();
        let (mut twin, mut host) = setup.full();
        prop_assert!(twin.protect(spared, true));
        strategies::run(&plain, &mut twin, &mut host).unwrap();
        prop_assert_eq!(index.projection(), twin.projection());
        prop_assert_eq!(index.held(spared.slot), Some(spared));
    }

    #[test]
    fn promise_10_protection_is_undone_with_the_rest(
        setup in setups(12),
        steps in prop::collection::vec((0..12u32, any::<bool>()), 0..20),
        kept in 0..20usize,
    ) {
        let (mut index, _) = setup.full();
        let mut before = None;
        for (number, &(slot, protected)) in steps.iter().enumerate() {
            if number == kept {
                before = Some((index.version(), index.protected_slots().collect::<Vec<_>>()));
            }
            if slot < index.slot_count() && index.held(slot) == Some(raw(slot)) {
                index.protect(raw(slot), protected);
                prop_assert_eq!(index.is_protected(raw(slot)), protected);
            }
        }
        if let Some((version, expected)) = before {
            index.undo_to(version);
            prop_assert_eq!(index.protected_slots().collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn a_stand_in_is_not_protected(setup in setups(12)) {
        let (mut index, _) = setup.full();
        prop_assume!(index.slot_count() > 0);
        if let Some(number) = index.replace(&[0], Role::Assistant, "", "digest") {
            let stand_in = GroupId { slot: 0, stand_in: Some(number) };
            prop_assert!(!index.protect(stand_in, true));
        }
    }
}

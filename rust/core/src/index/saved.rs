//! What an index remembers beyond its messages, in plain values: to save it, to load it, and to
//! carry it over when the list it is about has changed.

use std::collections::{HashMap, HashSet};

use super::changes::{Current, SlotState, Why};
use super::fork::Standing;
use super::open::SavedSettled;
use super::tokens::UNKNOWN;
use super::{GroupId, MessageIndex, StandIn};
use crate::host::Place;
use crate::message::Role;

/// The memory of an index. Groups are named by the position of their first message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Saved {
    /// The tokens of each message, where they have been counted.
    pub tokens: Vec<Option<u32>>,
    /// Every group that is not simply included.
    pub groups: Vec<SavedGroup>,
    /// The stand-ins, each after those that it replaced.
    pub stand_ins: Vec<SavedStandIn>,
    /// The groups that are protected, by the position of their first message.
    pub protected: Vec<u32>,
    /// The messages that were shortened, by position.
    pub shortened: Vec<SavedShortened>,
    /// What strategies that shorten have put aside of the included messages.
    pub settled: Vec<SavedSettled>,
    /// The strategies whose runs ended with the index as it is.
    pub finished: Vec<u128>,
}

/// A message whose texts were shortened in place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedShortened {
    /// Its position.
    pub message: u32,
    /// What stands in the place of which of its texts.
    pub texts: Vec<(Place, String)>,
    /// UTF-8 bytes and code points of all texts that it holds.
    pub size: (u32, u32),
    /// Its tokens, where they have been counted.
    pub tokens: Option<u32>,
    /// Why it was shortened.
    pub reason: String,
    /// How many messages stood then before what the model was to answer.
    pub decided_at: u32,
}

/// A group of the list that is excluded or stood for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedGroup {
    /// The position of its first message.
    pub first: u32,
    /// How many messages it has.
    pub len: u32,
    /// Why it is excluded.
    pub reason: String,
    /// Whether a stand-in stands for it.
    pub replaced: bool,
    /// How many messages stood then before what the model was to answer; 0 where it is so for every
    /// list.
    pub decided_at: u32,
}

/// A stand-in and what it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedStandIn {
    /// Its role: assistant or user.
    pub role: Role,
    /// Its text.
    pub text: String,
    /// Its tokens, where they have been counted.
    pub tokens: Option<u32>,
    /// What it replaced.
    pub replaces: Vec<SavedId>,
    /// Whether it is included.
    pub included: bool,
    /// Why it is not.
    pub reason: String,
    /// Whether another stand-in stands for it.
    pub replaced: bool,
    /// How many messages stood before what the model was to answer when it was made; 0 where it holds
    /// for every list.
    pub decided_at: u32,
    /// Whether somebody wrote its text.
    pub written: bool,
    /// The same for when it was excluded, where it is.
    pub excluded_at: u32,
}

/// Names a group in a saved state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SavedId {
    /// The group of the list whose first message has that position.
    Group(u32),
    /// The stand-in of that number in [`Saved::stand_ins`].
    StandIn(u32),
}

impl MessageIndex {
    /// The memory that stands where only so many of the messages are left; pass the number of
    /// messages for all of it.
    pub fn save(&self, left: u32) -> Saved {
        let standing = Standing::of(self, left);
        let mut numbers: HashMap<u32, u32> = HashMap::new();
        let mut stand_ins = Vec::new();
        for (number, stand_in) in (0..).zip(&self.stand_ins) {
            if !standing.stand_in(number) {
                continue;
            }
            let replaces = stand_in.replaces.iter().filter_map(|id| match id.stand_in {
                None => Some(self.first_of(id.slot)),
                Some(inner) => numbers.get(&inner).copied().map(SavedId::StandIn),
            });
            let replaces = replaces.collect();
            let outer = stand_in.replaced_by;
            let hidden = outer.is_some_and(|outer| standing.stand_in(outer));
            let held = self.current(stand_in.slot) == Current::StandIn(number);
            // What a stand-in stood for that does not stand comes back.
            let included =
                held || !hidden && (outer.is_some() || !standing.exclusion(stand_in.why));
            let why = if included { Why::default() } else { stand_in.why };
            numbers.insert(number, u32::try_from(stand_ins.len()).unwrap_or(u32::MAX));
            stand_ins.push(SavedStandIn {
                role: stand_in.role,
                text: stand_in.text.clone(),
                tokens: Some(stand_in.tokens).filter(|&tokens| tokens != UNKNOWN),
                replaces,
                included,
                reason: self.reason(why.reason),
                replaced: hidden,
                decided_at: stand_in.decided_at,
                written: stand_in.written,
                excluded_at: why.decided_at,
            });
        }
        let groups = (0..self.grouping.slots())
            .filter(|&slot| self.grouping.group(slot).len() > 0)
            .filter(|&slot| self.current(slot) != Current::Raw && self.end_of(slot) <= left)
            .filter_map(|slot| {
                let SlotState { why, replaced_by, .. } = self.slots[slot as usize];
                let stands = match replaced_by.checked_sub(1) {
                    Some(outer) => standing.stand_in(outer),
                    None => standing.exclusion(why),
                };
                stands.then(|| SavedGroup {
                    first: self.grouping.group(slot).first(),
                    len: u32::try_from(self.grouping.group(slot).len()).unwrap_or(u32::MAX),
                    reason: self.reason(why.reason),
                    replaced: replaced_by > 0,
                    decided_at: why.decided_at,
                })
            })
            .collect();
        let tokens = self.tokens.iter().take(left as usize);
        let tokens = tokens.map(|&tokens| Some(tokens).filter(|&known| known != UNKNOWN)).collect();
        let firsts = self.protected_slots().map(|slot| self.grouping.group(slot).first());
        let mut protected: Vec<u32> = firsts.filter(|&first| first < left).collect();
        protected.sort_unstable();
        protected.dedup();
        let mut shortened: Vec<SavedShortened> = self
            .shortened
            .iter()
            .filter(|&(&message, _)| message < left)
            .filter_map(|(&message, &number)| {
                let own = standing.shortening(self, number)?;
                Some(SavedShortened {
                    message,
                    texts: own.texts.clone(),
                    size: (own.bytes, own.chars),
                    tokens: Some(own.tokens).filter(|&tokens| tokens != UNKNOWN),
                    reason: self.reason(own.why.reason),
                    decided_at: own.why.decided_at,
                })
            })
            .collect();
        shortened.sort_unstable_by_key(|each| each.message);
        // What is not included is looked at anew when it comes back, and what is whole again is, too.
        let settled = self.settled(|message| {
            let whole_again =
                self.shortened_of(message).is_some_and(|own| !standing.exclusion(own.why));
            let slot = self.slot_of_now(message);
            self.is_held_raw(message) && self.end_of(slot) <= left && !whole_again
        });
        let all = left >= self.message_count();
        let finished = if all { self.finished_plans() } else { Vec::new() };
        Saved { tokens, groups, stand_ins, protected, shortened, settled, finished }
    }

    fn first_of(&self, slot: u32) -> SavedId {
        SavedId::Group(self.grouping.group(slot).first())
    }

    /// Takes over a saved memory, into an index that has its messages and no memory of its own.
    ///
    /// Returns whether every group was found as it was; with `strict`, nothing is taken over
    /// otherwise, and never anything of a memory that contradicts itself. Where groups have grown
    /// since, what was said about them is left out, as in [`save`](Self::save).
    pub fn load(&mut self, saved: &Saved, strict: bool) -> bool {
        if !saved.is_coherent() {
            return false;
        }
        let mut slots = HashMap::new();
        for slot in 0..self.grouping.slots() {
            let group = self.grouping.group(slot);
            if group.len() > 0 {
                slots.insert(group.first(), (slot, group.len()));
            }
        }
        let found: HashMap<u32, u32> = saved
            .groups
            .iter()
            .filter_map(|group| {
                let &(slot, len) = slots.get(&group.first)?;
                (len == group.len as usize).then_some((group.first, slot))
            })
            .collect();
        let protected = || saved.protected.iter().filter_map(|first| slots.get(first));
        let complete = found.len() == saved.groups.len()
            && saved.tokens.len() <= self.tokens.len()
            && protected().count() == saved.protected.len()
            && saved.shortened.iter().all(|each| self.can_hold(each));
        if strict && !complete {
            return false;
        }
        let messages = self.tokens.len();
        for (message, &tokens) in (0..).zip(saved.tokens.iter().take(messages)) {
            if let Some(tokens) = tokens {
                let fixed = self.fixed.get(&message).copied().unwrap_or(0);
                self.set_message_tokens(message, tokens.saturating_sub(fixed));
                self.note_counted(message);
            }
        }
        self.protected.extend(protected().map(|&(slot, _)| slot));
        self.load_settled(&saved.settled);
        for each in &saved.shortened {
            if self.can_hold(each) {
                self.load_shortened(each);
            } else {
                self.reopen(each.message);
            }
        }
        let ids = self.load_stand_ins(saved, &found);
        for group in &saved.groups {
            let Some(&slot) = found.get(&group.first) else { continue };
            // Without its stand-in a group comes back.
            if !group.replaced || self.slots[slot as usize].replaced_by > 0 {
                let reason = self.reason_number(&group.reason);
                let why = Why { reason, decided_at: group.decided_at };
                self.set_current(slot, Current::Nothing, why);
            }
        }
        for (stand_in, id) in saved.stand_ins.iter().zip(ids) {
            let Some(id) = id else { continue };
            let orphaned = stand_in.replaced && self.stand_in_of(id).is_none();
            let reason = self.reason_number(&stand_in.reason);
            if let Some(number) = id.stand_in {
                let why = Why { reason, decided_at: stand_in.excluded_at };
                self.stand_ins[number as usize].why = why;
            }
            if stand_in.included || orphaned {
                self.include(id);
            }
        }
        self.log.clear();
        self.epoch += 1;
        // A list that has changed has something for them to look at.
        if complete && strict {
            self.load_finished(saved.finished.clone());
        }
        complete
    }

    /// Whether a message is there, and longer than what it is to hold.
    fn can_hold(&self, saved: &SavedShortened) -> bool {
        let (bytes, _) = saved.size;
        self.message_bytes(saved.message).is_some_and(|own| bytes < own)
    }

    fn load_shortened(&mut self, saved: &SavedShortened) {
        let reason = self.reason_number(&saved.reason);
        let why = Why { reason, decided_at: saved.decided_at };
        let tokens = saved.tokens.unwrap_or(UNKNOWN);
        let number = self.add_shortened(saved.texts.clone(), saved.size, tokens, why);
        self.swap_shortened(saved.message, Some(number));
    }

    /// The new stand-ins in the order of the saved ones; `None` where one could not be taken over.
    fn load_stand_ins(&mut self, saved: &Saved, found: &HashMap<u32, u32>) -> Vec<Option<GroupId>> {
        let mut ids: Vec<Option<GroupId>> = Vec::with_capacity(saved.stand_ins.len());
        for stand_in in &saved.stand_ins {
            let replaces: Vec<GroupId> = stand_in
                .replaces
                .iter()
                .filter_map(|id| match id {
                    SavedId::Group(first) => {
                        found.get(first).map(|&slot| GroupId { slot, stand_in: None })
                    }
                    SavedId::StandIn(number) => ids.get(*number as usize).copied().flatten(),
                })
                .collect();
            let bytes: u64 = replaces.iter().map(|&group| self.byte_count(group)).sum();
            let partly = replaces.len() < stand_in.replaces.len();
            let lost = partly && stand_in.included && bytes <= stand_in.text.len() as u64;
            let id = (!lost).then_some(replaces).and_then(|replaces| {
                let slot = replaces.iter().map(|group| group.slot).min()?;
                let number = u32::try_from(self.stand_ins.len()).ok()?;
                for &group in &replaces {
                    self.set_link(group, Some(number));
                }
                self.stand_ins.push(StandIn {
                    role: stand_in.role,
                    text: stand_in.text.clone(),
                    replaces,
                    slot,
                    tokens: stand_in.tokens.unwrap_or(UNKNOWN),
                    replaced_by: None,
                    why: Why::default(),
                    decided_at: stand_in.decided_at,
                    written: stand_in.written,
                    dissolved: false,
                });
                self.anchored.insert((slot, number));
                Some(GroupId { slot, stand_in: Some(number) })
            });
            ids.push(id);
        }
        ids
    }
}

impl Saved {
    /// Lets go of what was known of the texts of a message, for one that has others now.
    pub fn forget(&mut self, message: u32) {
        if let Some(tokens) = self.tokens.get_mut(message as usize) {
            *tokens = None;
        }
        self.shortened.retain(|each| each.message != message);
        self.finished.clear();
        for ranges in self.settled.iter_mut().flat_map(|each| &mut each.stages) {
            if let Some(at) = ranges.iter().position(|range| range.contains(&message)) {
                let range = ranges[at].clone();
                let parts = [range.start..message, message + 1..range.end];
                ranges.splice(at..=at, parts.into_iter().filter(|part| !part.is_empty()));
            }
        }
    }

    /// Whether what it says fits together, wherever it came from: every group is named once, is
    /// replaced at most once, by a later stand-in, and knows of it.
    fn is_coherent(&self) -> bool {
        let mut open: HashMap<SavedId, bool> = HashMap::new();
        for group in &self.groups {
            if open.insert(SavedId::Group(group.first), group.replaced).is_some() {
                return false;
            }
        }
        for (number, stand_in) in (0..).zip(&self.stand_ins) {
            // What it replaced is known, says so, and is replaced by nothing else.
            let fits = stand_in.replaces.iter().all(|id| open.remove(id) == Some(true));
            let alone = !stand_in.included || (!stand_in.replaced && stand_in.reason.is_empty());
            if !fits || !alone || stand_in.replaces.is_empty() {
                return false;
            }
            open.insert(SavedId::StandIn(number), stand_in.replaced);
        }
        let mut shortened = self.shortened.iter().map(|each| each.message);
        let ascending = shortened.next().is_none_or(|mut last| {
            shortened.all(|message| std::mem::replace(&mut last, message) < message)
        });
        let places_once = self.shortened.iter().all(|each| {
            let places: HashSet<Place> = each.texts.iter().map(|(place, _)| *place).collect();
            !places.is_empty() && places.len() == each.texts.len()
        });
        ascending && places_once && !open.values().any(|replaced| *replaced)
    }
}

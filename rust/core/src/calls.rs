//! The calls of a history, found by key when a result comes.
//!
//! Results follow their calls at once as a rule, so the newest few calls are looked through first, and
//! a call is entered into the table only when a result looks for one further back. Most histories
//! never need the table: at a million messages it would be the one part of grouping that the caches
//! of the processor can't hold.

use crate::hashed::HashedMap;
use crate::message::CallKey;

/// How many of the newest calls are looked through.
const LOOKED_THROUGH: usize = 32;

/// No call.
const NONE: u32 = u32::MAX;

/// All calls that have a key, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Calls {
    log: Vec<Call>,
    /// How many calls of the log the table knows.
    entered: usize,
    /// The newest call of each key.
    newest: HashedMap<CallKey, u32>,
}

#[derive(Clone, Copy, Debug)]
struct Call {
    /// Halves of the key: a number of 128 bits would be aligned to 16 bytes.
    key: [u64; 2],
    message: u32,
    /// The nearest earlier call of that key without a result, or [`NONE`]; known once entered.
    earlier: u32,
    answered: bool,
}

impl Calls {
    /// Takes the next call.
    pub(crate) fn push(&mut self, key: CallKey, message: u32) {
        self.log.push(Call { key: halves(key), message, earlier: NONE, answered: false });
    }

    /// The message of the nearest call of that key without a result, which has one from now on.
    pub(crate) fn answer(&mut self, key: CallKey) -> Option<u32> {
        let key_halves = halves(key);
        let start = self.entered.max(self.log.len().saturating_sub(LOOKED_THROUGH));
        let found =
            self.log[start..].iter_mut().rfind(|call| call.key == key_halves && !call.answered);
        if let Some(call) = found {
            call.answered = true;
            return Some(call.message);
        }
        self.enter_all();
        let newest = *self.newest.get(&key)? as usize;
        let at = if self.log[newest].answered {
            let earlier = self.log[newest].earlier;
            self.log[newest].earlier = self.log.get(earlier as usize)?.earlier;
            earlier as usize
        } else {
            newest
        };
        self.log[at].answered = true;
        Some(self.log[at].message)
    }

    /// The message of the newest call of that key.
    pub(crate) fn newest(&mut self, key: CallKey) -> Option<u32> {
        self.enter_all();
        self.newest.get(&key).map(|&at| self.log[at as usize].message)
    }

    fn enter_all(&mut self) {
        for at in self.entered..self.log.len() {
            let key = whole(self.log[at].key);
            let number = u32::try_from(at).expect("as many as messages, give or take");
            if let Some(before) = self.newest.insert(key, number) {
                let known = self.log[before as usize];
                self.log[at].earlier = if known.answered { known.earlier } else { before };
            }
        }
        self.entered = self.log.len();
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the halves are taken on purpose")]
fn halves(key: CallKey) -> [u64; 2] {
    [key.bits() as u64, (key.bits() >> 64) as u64]
}

fn whole([low, high]: [u64; 2]) -> CallKey {
    CallKey::from_bits(u128::from(high) << 64 | u128::from(low))
}

#[cfg(test)]
mod tests {
    use super::{CallKey, Calls};

    /// The obvious twin: every call in one list, searched from its end.
    #[derive(Default)]
    struct Listed(Vec<(CallKey, u32, bool)>);

    impl Listed {
        fn answer(&mut self, key: CallKey) -> Option<u32> {
            let call = self.0.iter_mut().rfind(|call| call.0 == key && !call.2)?;
            call.2 = true;
            Some(call.1)
        }

        fn newest(&self, key: CallKey) -> Option<u32> {
            self.0.iter().rfind(|call| call.0 == key).map(|call| call.1)
        }
    }

    proptest::proptest! {
        #[test]
        fn calls_are_found_as_by_searching_all_of_them(
            steps in proptest::collection::vec((0..3_u8, 0..60_u8), 0..300)
        ) {
            let (mut calls, mut listed) = (Calls::default(), Listed::default());
            for (message, (step, name)) in (0..).zip(steps) {
                let key = CallKey::tool(&name.to_string());
                match step {
                    0 => {
                        calls.push(key, message);
                        listed.0.push((key, message, false));
                    }
                    1 => assert_eq!(calls.answer(key), listed.answer(key)),
                    _ => assert_eq!(calls.newest(key), listed.newest(key)),
                }
            }
        }
    }

    #[test]
    fn the_table_stays_empty_where_results_follow_their_calls() {
        let mut calls = Calls::default();
        for message in 0..1_000 {
            let key = CallKey::tool(&message.to_string());
            calls.push(key, message);
            assert_eq!(calls.answer(key), Some(message));
        }
        assert!(calls.newest.is_empty());
    }
}

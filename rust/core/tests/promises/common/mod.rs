//! What all promises are tested with: histories, surroundings, strategies, and what is seen.

pub(crate) mod chats;
pub(crate) mod grouping_twin;
pub(crate) mod host;
pub(crate) mod observed;
pub(crate) mod strategies;

use chatfold_core::{Facts, MessageIndex, Overhead};
use proptest::prelude::*;

use chats::Message;
use host::{Counter, FakeHost};

/// An index to be and its surroundings.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) messages: Vec<Message>,
    pub(crate) counter: Counter,
    pub(crate) overhead: Overhead,
}

impl Setup {
    pub(crate) fn empty(&self) -> (MessageIndex, FakeHost) {
        let index = MessageIndex::new(self.counter.bounds(), self.overhead);
        (index, FakeHost::new(self.messages.clone(), self.counter))
    }

    pub(crate) fn full(&self) -> (MessageIndex, FakeHost) {
        let (mut index, host) = self.empty();
        for position in 0..self.messages.len() {
            index.push(&self.facts(position)).unwrap();
        }
        (index, host)
    }

    /// The facts of a message; those whose tokens are known without counting have them.
    pub(crate) fn facts(&self, position: usize) -> Facts {
        let message = &self.messages[position];
        let mut facts = message.facts.clone();
        facts.text_tokens = message.counted_before.then(|| self.counter.count(&message.text));
        facts
    }

    pub(crate) fn of_part(&self, positions: &[usize]) -> Self {
        let messages = positions.iter().map(|&position| self.messages[position].clone()).collect();
        Self { messages, ..self.clone() }
    }
}

/// Setups with any history of up to that many pieces.
pub(crate) fn setups(pieces: usize) -> BoxedStrategy<Setup> {
    (chats::histories(pieces), host::counters(), host::overheads())
        .prop_map(|(messages, counter, overhead)| Setup { messages, counter, overhead })
        .boxed()
}

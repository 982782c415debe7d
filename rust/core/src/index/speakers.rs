//! Who speaks where in the list, for strategies that go by it. Nothing here depends on what is
//! included, so that what they shorten is the same whatever was excluded before.

use super::MessageIndex;
use crate::message::{Facts, Role};
use crate::strategy::Clampable;

const RESULT: u8 = 1;
const BINARY: u8 = 2;
const ASSISTANT: u8 = 4;
const USER: u8 = 8;
const SYSTEM: u8 = 16;
const STAND_IN: u8 = 32;

/// Who speaks in each message.
#[derive(Clone, Debug, Default)]
pub(super) struct Speakers {
    flags: Vec<u8>,
    /// Where assistant turns start: unbroken runs of assistant messages and tool results.
    turns: Vec<u32>,
    /// Whether the list ends with one.
    in_turn: bool,
    /// Results of plain text, in order: masking shares its budget among them.
    results: Vec<u32>,
    /// The newest assistant message that says something.
    last_text: Option<u32>,
}

impl Speakers {
    pub(super) fn reserve(&mut self, messages: usize) {
        self.flags.reserve(messages);
    }

    /// Takes the next message.
    pub(super) fn push(&mut self, facts: &Facts) {
        let message = u32::try_from(self.flags.len()).unwrap_or(u32::MAX);
        let mut flags = 0;
        let result = facts.role.is_result();
        if result {
            flags |= RESULT;
            if !facts.binary {
                self.results.push(message);
            }
        }
        if facts.binary {
            flags |= BINARY;
        }
        if facts.stand_in {
            flags |= STAND_IN;
        }
        flags |= match facts.role {
            Role::Assistant => ASSISTANT,
            Role::User => USER,
            Role::System | Role::Developer => SYSTEM,
            Role::Tool | Role::Function => 0,
        };
        if facts.says_something && !facts.stand_in {
            self.last_text = Some(message);
        }
        let in_turn = result || facts.role == Role::Assistant;
        if in_turn && !self.in_turn {
            self.turns.push(message);
        }
        self.in_turn = in_turn;
        self.flags.push(flags);
    }
}

impl MessageIndex {
    fn has_flag(&self, message: u32, flag: u8) -> bool {
        self.speakers.flags[message as usize] & flag != 0
    }

    /// Whether a message is a tool result.
    pub(crate) fn is_result(&self, message: u32) -> bool {
        self.has_flag(message, RESULT)
    }

    /// Whether a message is the assistant's.
    pub(crate) fn is_assistant(&self, message: u32) -> bool {
        self.has_flag(message, ASSISTANT)
    }

    /// Whose words a message holds; `None` for a stand-in: clamped, it might be taken for none.
    pub(crate) fn speaker(&self, message: u32) -> Option<Clampable> {
        let all = [
            (RESULT, Clampable::Results),
            (ASSISTANT, Clampable::Assistant),
            (USER, Clampable::User),
            (SYSTEM, Clampable::System),
        ];
        let own = all.into_iter().find(|&(flag, _)| self.has_flag(message, flag));
        own.filter(|_| !self.has_flag(message, STAND_IN)).map(|(_, who)| who)
    }

    /// Whether a message has images or other parts that are no text.
    pub(crate) fn has_binary_parts(&self, message: u32) -> bool {
        self.has_flag(message, BINARY)
    }

    /// Where the newest so many assistant turns start. The turn that the list ends with counts as
    /// kept even where none is: it is still under way.
    pub(crate) fn newest_assistant_turns(&self, keep: u32) -> u32 {
        let turns = &self.speakers.turns;
        let keep = (keep as usize).max(usize::from(self.speakers.in_turn));
        match turns.len().checked_sub(keep) {
            Some(at) => turns.get(at).copied().unwrap_or(self.message_count()),
            None => turns.first().copied().unwrap_or(self.message_count()),
        }
    }

    /// Where the first user message stands; past the end where there is none.
    pub(crate) fn first_user_message(&self) -> u32 {
        self.first_user.map_or(self.message_count(), |slot| self.grouping.group(slot).first())
    }

    /// The newest assistant message that says something: results before it are consumed.
    pub(crate) fn last_assistant_text(&self) -> Option<u32> {
        self.speakers.last_text
    }

    /// How many results of plain text stand before a message.
    pub(crate) fn results_before(&self, message: u32) -> u32 {
        let before = self.speakers.results.partition_point(|&result| result < message);
        u32::try_from(before).unwrap_or(u32::MAX)
    }
}

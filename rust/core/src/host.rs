//! What the core asks of its surroundings: text, token counts, and the caller's own code.

use crate::error::Result;
use crate::index::MessageIndex;

/// Names the caller's own code: a trigger, a formatter or a strategy. The host knows which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Callback(pub u64);

/// One tool result with the call that it answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolResult {
    /// The name of the tool; empty where the call is unknown.
    pub name: String,
    /// The result as text; text parts are joined by line ends.
    pub text: String,
}

/// A tool-call group as text, for a digest of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolExchange {
    /// The names of all called tools, in order.
    pub names: Vec<String>,
    /// The results, in order.
    pub results: Vec<ToolResult>,
}

/// The surroundings of an index: they hold the messages, the core holds facts about them.
pub trait Host {
    /// Counts the tokens of all texts of each of these messages, in the same order.
    ///
    /// # Errors
    /// Whatever the tokenizer raises.
    fn count_messages(&mut self, messages: &[u32]) -> Result<Vec<u32>>;

    /// Counts the tokens of one text.
    ///
    /// # Errors
    /// Whatever the tokenizer raises.
    fn count_text(&mut self, text: &str) -> Result<u32>;

    /// Reads the calls and results of the messages of one group, given in ascending order. Texts
    /// may be cut after `limit` code points; where the tool has no name, leading space goes first.
    ///
    /// # Errors
    /// Where a message can't be read.
    fn tool_exchange(&mut self, messages: &[u32], limit: Option<usize>) -> Result<ToolExchange>;

    /// Asks the caller's formatter for the digest of a group.
    ///
    /// # Errors
    /// Whatever the formatter raises.
    fn format_digest(&mut self, formatter: Callback, exchange: &ToolExchange) -> Result<String>;

    /// Asks the caller's trigger about the index.
    ///
    /// # Errors
    /// Whatever the trigger raises.
    fn ask(&mut self, trigger: Callback, index: &mut MessageIndex) -> Result<bool>;

    /// A clock in nanoseconds, for the times in reports.
    fn now(&mut self) -> u64;
}

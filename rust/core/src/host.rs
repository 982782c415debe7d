//! What the core asks of its surroundings: text, token counts, and the caller's own code.

use crate::error::Result;
use crate::index::MessageIndex;

/// Names the caller's own code: a trigger, a formatter or a strategy. The host knows which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Callback(pub u64);

/// One tool result with the call that it answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolResult {
    /// The position of the message whose content it is; `None` where it is one part of a content, which
    /// is never shortened.
    pub message: Option<u32>,
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

/// Where in a message a text stands that may be shortened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// The content, where that is a text.
    Content,
    /// The text of the content part of that number.
    Part(u32),
    /// The arguments of the tool call of that number, where they are text.
    Arguments(u32),
}

/// Which texts of a message are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Texts {
    /// The content, or its text parts; no reasoning.
    Content,
    /// The arguments of its calls.
    Arguments,
}

/// What is done with a text in its place.
pub type VisitText<'a> = &'a mut dyn FnMut(&mut dyn Host, Place, &str) -> Result<()>;

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

    /// Counts the tokens of all texts of each of these messages, where the given ones stand in their
    /// places.
    ///
    /// # Errors
    /// Whatever the tokenizer raises.
    fn count_shortened(&mut self, messages: &[(u32, &[(Place, String)])]) -> Result<Vec<u32>>;

    /// Visits texts of a message that may be shortened, in the order of their places; empty ones may
    /// be left out.
    ///
    /// # Errors
    /// Where the message can't be read, and whatever `visit` returns.
    fn visit_texts(&mut self, message: u32, which: Texts, visit: VisitText<'_>) -> Result<()>;

    /// The name of the tool whose result a message is; empty where the call is unknown. The messages
    /// of its group are given in ascending order.
    ///
    /// # Errors
    /// Where a message can't be read.
    fn tool_name(&mut self, group: &[u32], result: u32) -> Result<String>;

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

//! chatfold-core keeps very long LLM chat histories inside a budget.
//!
//! The core decides over positions and facts. It never holds a message: a [`Host`] does, and is
//! asked for a text only when that text must be counted or written into a digest.
//!
//! * [`MessageIndex`] takes the [`Facts`] of each message and keeps groups, turns, what is included
//!   and all figures up to date.
//! * [`Trigger`] is a question about it; [`Strategy`] says what to exclude or replace.
//! * [`Execution`] runs the [`Plan`] of a strategy, and can be undone.
//!
//! # From a list to what is kept of it
//!
//! A host of a few lines is enough: here the messages are texts and a token is a word.
//!
//! ```
//! use chatfold_core::{
//!     Bounds, Callback, Execution, Facts, Gate, Host, Kept, MessageIndex, Metric, Overhead, Place,
//!     Plan, Protection, Result, Role, Strategy, Texts, ToolExchange, Trigger, Truncation, VisitText,
//! };
//!
//! struct Chat(Vec<(Role, &'static str)>);
//!
//! fn words(text: &str) -> u32 {
//!     u32::try_from(text.split_whitespace().count()).unwrap_or(u32::MAX)
//! }
//!
//! impl Host for Chat {
//!     fn count_messages(&mut self, messages: &[u32]) -> Result<Vec<u32>> {
//!         Ok(messages.iter().map(|&message| words(self.0[message as usize].1)).collect())
//!     }
//!
//!     fn count_text(&mut self, text: &str) -> Result<u32> {
//!         Ok(words(text))
//!     }
//!
//!     // Only strategies that shorten messages ask for these,
//!     fn count_shortened(&mut self, _: &[(u32, &[(Place, String)])]) -> Result<Vec<u32>> {
//!         Ok(Vec::new())
//!     }
//!
//!     fn visit_texts(&mut self, _: u32, _: Texts, _: VisitText<'_>) -> Result<()> {
//!         Ok(())
//!     }
//!
//!     fn tool_name(&mut self, _: &[u32], _: u32) -> Result<String> {
//!         Ok(String::new())
//!     }
//!
//!     // and only digests and the caller's own code for the rest.
//!     fn tool_exchange(&mut self, _: &[u32], _: Option<usize>) -> Result<ToolExchange> {
//!         Ok(ToolExchange::default())
//!     }
//!
//!     fn format_digest(&mut self, _: Callback, _: &ToolExchange) -> Result<String> {
//!         Ok(String::new())
//!     }
//!
//!     fn ask(&mut self, _: Callback, _: &mut MessageIndex) -> Result<bool> {
//!         Ok(false)
//!     }
//!
//!     fn now(&mut self) -> u64 {
//!         0
//!     }
//! }
//!
//! let mut chat = Chat(vec![
//!     (Role::System, "You are kind."),
//!     (Role::User, "How is the weather in Oslo today?"),
//!     (Role::Assistant, "Sunny, 18 degrees, with a light breeze from the sea."),
//!     (Role::User, "And tomorrow?"),
//! ]);
//! let mut index = MessageIndex::new(Bounds::Unbounded, Overhead::default());
//! for (role, text) in &chat.0 {
//!     let bytes = u32::try_from(text.len()).expect("a short text");
//!     index.push(&Facts { bytes, ..Facts::new(*role) })?;
//! }
//! assert_eq!(index.included_tokens(&mut chat)?, 3 + 7 + 10 + 2);
//!
//! // Over 20 tokens the oldest groups go until there are at most 15.
//! let gate = Gate {
//!     trigger: Trigger::Exceeds(Metric::Tokens, 20),
//!     target: Some(Trigger::Below(Metric::Tokens, 16)),
//! };
//! let strategy = Strategy::Truncation(Truncation::new(gate, Protection::default()));
//! let mut run = Execution::new(Plan::new(&strategy));
//! assert_eq!(run.advance(&mut index, &mut chat)?, None); // no strategy of the caller's own
//! assert_eq!(index.projection(), [0, 2, 3].map(Kept::Message));
//!
//! // The run is its report: what was done, and whether that was enough.
//! assert_eq!((run.steps[0].strategy, run.steps[0].groups), ("TruncationStrategy", 1));
//! assert!(run.target_met);
//! let before = run.before.expect("the run has started");
//! assert_eq!(index.tokens_at(before.version, &mut chat)?, 22);
//!
//! // Odder: a summary takes the place of what it is shorter than, and all of it can be undone.
//! let summary = index.replace(&[2, 3], Role::User, "[Summary] sunny", "summarized");
//! assert_eq!(index.projection(), [Kept::Message(0), Kept::StandIn(summary.expect("shorter"))]);
//! run.abort(&mut index);
//! assert_eq!(index.projection().len(), 4);
//! # Ok::<(), chatfold_core::Error>(())
//! ```
//!
//! # Limits
//!
//! An index holds up to 2^32 - 3 messages, each of up to 2^32 - 1 bytes. Whether tokens are more
//! than a limit is exact only where a tokenizer keeps within its [`Bounds`].

mod calls;
mod error;
mod group;
mod grouping;
mod hashed;
mod host;
mod index;
mod message;
mod ordered_set;
mod strategy;
mod trigger;

pub mod tokens;

pub use error::{Error, Result};
pub use group::GroupKind;
pub use host::{Callback, Host, Place, Texts, ToolExchange, ToolResult, VisitText};
pub use index::{
    Bounds, Counts, Figures, GroupId, GroupView, Hold, Kept, MessageIndex, Metric, Origin,
    Overhead, Saved, SavedGroup, SavedId, SavedSettled, SavedShortened, SavedStandIn,
    ShortenedView, StandIn, Version,
};
pub use message::{CallKey, Facts, Role, STAND_IN_OPENINGS, opens_like_stand_in};
pub use strategy::{
    Basis, Clampable, ContextPruning, Digest, DigestStyle, Execution, Gate, KeptOfOlder,
    ObservationMasking, Outcome, OversizeClamping, Plan, Protection, PruningLimits, SlidingWindow,
    Step, Strategy, TextUnit, ToolCalls, ToolCallsAction, ToolPattern, Tools, Trim, Truncation,
    Window,
};
pub use trigger::Trigger;

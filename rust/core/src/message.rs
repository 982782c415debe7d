//! What the core knows of a message: a few facts, never its text.

use std::fmt;

/// Who speaks. `Tool` and the legacy `Function` alone make a message a tool result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Instructions; the newer name of the same role is [`Role::Developer`].
    System,
    /// Instructions, as reasoning models call them.
    Developer,
    /// The person, or the program that stands for them.
    User,
    /// The model.
    Assistant,
    /// The result of a tool call.
    Tool,
    /// The result of a legacy `function_call`.
    Function,
}

impl Role {
    /// Every role with its name in the chat format.
    pub const NAMES: [(Self, &'static str); 6] = [
        (Self::System, "system"),
        (Self::Developer, "developer"),
        (Self::User, "user"),
        (Self::Assistant, "assistant"),
        (Self::Tool, "tool"),
        (Self::Function, "function"),
    ];

    /// The role of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, known)| *known == name).map(|(role, _)| *role)
    }

    /// The name in the chat format.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].1
    }

    /// Whether the message answers a call.
    pub fn is_result(self) -> bool {
        matches!(self, Self::Tool | Self::Function)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What links a call to its results: a 128-bit hash of the call id (or of the legacy function's
/// name), so that a million ids take no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CallKey(u128);

impl CallKey {
    /// The key of a call and of its results, from the id that both carry.
    pub fn tool(id: &str) -> Self {
        Self(xxhash_rust::xxh3::xxh3_128(id.as_bytes()))
    }

    /// The key of that hash.
    pub(crate) fn from_bits(bits: u128) -> Self {
        Self(bits)
    }

    /// The hash.
    pub fn bits(self) -> u128 {
        self.0
    }

    /// The key of a legacy `function_call` and of its result, which are linked by name.
    pub fn function(name: &str) -> Self {
        Self(xxhash_rust::xxh3::xxh3_128_with_seed(name.as_bytes(), 1))
    }
}

/// The facts of one message that grouping and accounting need.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Facts {
    /// Who speaks.
    pub role: Role,
    /// The calls that the message makes, in order; `None` for one without an id. Only an assistant
    /// makes calls.
    pub calls: Vec<Option<CallKey>>,
    /// The key of the call that the message answers.
    pub answers: Option<CallKey>,
    /// The keys of further calls that it answers: some formats put the results of parallel calls into
    /// one message, or the result of a hosted tool into the message that makes the call.
    pub more_answers: Vec<CallKey>,
    /// An assistant message that holds reasoning and nothing else.
    pub reasoning_only: bool,
    /// A digest or a summary that an earlier compaction wrote.
    pub stand_in: bool,
    /// An assistant message with text that is not blank.
    pub says_something: bool,
    /// Images, audio, files, several results: content that is no plain text.
    pub binary: bool,
    /// UTF-8 bytes of all its texts.
    pub bytes: u32,
    /// Code points of all its texts.
    pub chars: u32,
    /// Tokens that no tokenizer sees: images, audio, files.
    pub fixed_tokens: u32,
    /// The tokens of its texts where they are known without counting.
    pub text_tokens: Option<u32>,
}

impl Facts {
    /// A message of that role without text or calls.
    pub fn new(role: Role) -> Self {
        Self {
            role,
            calls: Vec::new(),
            answers: None,
            more_answers: Vec::new(),
            reasoning_only: false,
            stand_in: false,
            says_something: false,
            binary: false,
            bytes: 0,
            chars: 0,
            fixed_tokens: 0,
            text_tokens: None,
        }
    }

    /// Takes note of a call that the message answers.
    pub fn answer(&mut self, key: CallKey) {
        match self.answers {
            None => self.answers = Some(key),
            Some(_) => self.more_answers.push(key),
        }
    }

    /// The keys of all calls that it answers, in order.
    pub fn answered(&self) -> impl Iterator<Item = CallKey> + '_ {
        self.answers.into_iter().chain(self.more_answers.iter().copied())
    }

    /// Whether it is a result: by its role, or since it answers calls and makes none.
    pub fn is_result(&self) -> bool {
        self.role.is_result()
            || (self.role == Role::Assistant && self.calls.is_empty() && self.answers.is_some())
    }
}

/// The openings by which a stand-in is recognised in a bare list.
pub const STAND_IN_OPENINGS: [&str; 3] = ["[Tool results: ", "[Tool calls: ", "[Summary]"];

/// Whether a text opens like a digest or a summary.
pub fn opens_like_stand_in(text: &str) -> bool {
    text.starts_with('[') && STAND_IN_OPENINGS.iter().any(|opening| text.starts_with(opening))
}

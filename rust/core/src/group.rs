//! Message groups: the units that are kept or removed whole.

use std::fmt;

/// What a group is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GroupKind {
    /// One system or developer message.
    System,
    /// One user message; it starts a turn.
    User,
    /// An assistant message without tool calls.
    AssistantText,
    /// An assistant message with tool calls and every result of those calls.
    ToolCall,
    /// A message that compaction produced.
    Summary,
}

impl GroupKind {
    /// The name that users see.
    pub fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::AssistantText => "assistant_text",
            Self::ToolCall => "tool_call",
            Self::Summary => "summary",
        }
    }
}

impl fmt::Display for GroupKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The messages of one group and what they are together.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) kind: GroupKind,
    /// The turn of its first message; 0 before the first user message.
    pub(crate) turn: u32,
    positions: Positions,
}

/// Nearly every group is an unbroken run of messages; late results make the others.
#[derive(Clone, Debug)]
#[expect(clippy::box_collection, reason = "keeps a group at 24 bytes; scattered ones are rare")]
enum Positions {
    Run { first: u32, len: u32 },
    Scattered(Box<Vec<u32>>),
}

impl Group {
    pub(crate) fn new(kind: GroupKind, turn: u32, position: u32) -> Self {
        Self { kind, turn, positions: Positions::Run { first: position, len: 1 } }
    }

    /// The position of its first message.
    pub(crate) fn first(&self) -> u32 {
        match &self.positions {
            Positions::Run { first, .. } => *first,
            Positions::Scattered(positions) => positions.first().copied().unwrap_or(u32::MAX),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match &self.positions {
            Positions::Run { len, .. } => *len as usize,
            Positions::Scattered(positions) => positions.len(),
        }
    }

    /// Whether its messages are one unbroken run.
    pub(crate) fn is_run(&self) -> bool {
        matches!(self.positions, Positions::Run { .. })
    }

    /// The positions of its messages in the list, the first one first, the others in any order.
    pub(crate) fn positions(&self) -> impl Iterator<Item = u32> + '_ {
        let (run, scattered): (_, &[u32]) = match &self.positions {
            Positions::Run { first, len } => (*first..*first + *len, &[]),
            Positions::Scattered(positions) => (0..0, positions),
        };
        run.chain(scattered.iter().copied())
    }

    /// Takes one more message, which stands after all others.
    pub(crate) fn push(&mut self, position: u32) {
        match &mut self.positions {
            Positions::Run { first, len } if *first + *len == position => *len += 1,
            Positions::Run { first, len } => {
                let positions = (*first..*first + *len).chain([position]).collect();
                self.positions = Positions::Scattered(Box::new(positions));
            }
            Positions::Scattered(positions) => positions.push(position),
        }
    }

    /// Takes all messages of a later group, which is left empty.
    ///
    /// The smaller list is copied into the larger one, so that joining many groups stays
    /// `O(n log n)`; only the first position keeps its place, the others are sorted when read.
    pub(crate) fn absorb(&mut self, later: &mut Self) {
        if let (Positions::Run { first, len }, Positions::Run { first: next, len: more }) =
            (&mut self.positions, &later.positions)
            && *first + *len == *next
        {
            *len += more;
            later.positions = Positions::Run { first: 0, len: 0 };
            return;
        }
        let empty = Positions::Run { first: 0, len: 0 };
        let (mut most, mut rest) = (self.take_positions(), later.take_positions());
        let mut at = 0;
        if most.len() < rest.len() {
            std::mem::swap(&mut most, &mut rest);
            at = most.len();
        }
        most.append(&mut rest);
        most.swap(0, at);
        self.positions = Positions::Scattered(most);
        later.positions = empty;
    }

    #[expect(clippy::box_collection, clippy::unnecessary_box_returns, reason = "as it is stored")]
    fn take_positions(&mut self) -> Box<Vec<u32>> {
        match std::mem::replace(&mut self.positions, Positions::Run { first: 0, len: 0 }) {
            Positions::Run { first, len } => Box::new((first..first + len).collect()),
            Positions::Scattered(positions) => positions,
        }
    }
}

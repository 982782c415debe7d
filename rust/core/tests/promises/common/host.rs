//! Surroundings that hold texts, count by a rule, and write down what they are asked.

use std::fmt;

use chatfold_core::{
    Bounds, Callback, Error, Host, MessageIndex, Overhead, Place, Result, Texts, ToolExchange,
    ToolResult, VisitText,
};
use proptest::prelude::*;

use super::chats::Message;

/// A rule by which texts are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counter {
    /// A byte-level vocabulary: between one token a byte and one for `longest` bytes.
    ByteLevel { longest: u32 },
    /// English as a vocabulary has it: four bytes a token, the longest of twice as many.
    FourBytes,
    /// A tokenizer of the caller's that obeys no bound.
    Wild,
}

impl Counter {
    pub(crate) fn bounds(self) -> Bounds {
        match self {
            Self::ByteLevel { longest } => Bounds::ByteLevel { longest },
            Self::FourBytes => Bounds::ByteLevel { longest: 8 },
            Self::Wild => Bounds::Unbounded,
        }
    }

    pub(crate) fn count(self, text: &str) -> u32 {
        let bytes = u32::try_from(text.len()).unwrap();
        let sum: u32 = text.bytes().map(u32::from).sum();
        match self {
            Self::ByteLevel { longest } => bytes.div_ceil(1 + sum % longest),
            Self::FourBytes => bytes.div_ceil(4),
            Self::Wild => sum * 31 % 97,
        }
    }
}

pub(crate) fn counters() -> BoxedStrategy<Counter> {
    prop_oneof![
        (1..20u32).prop_map(|longest| Counter::ByteLevel { longest }),
        Just(Counter::FourBytes),
        Just(Counter::Wild),
    ]
    .boxed()
}

pub(crate) fn overheads() -> BoxedStrategy<Overhead> {
    let some = (0..6u32, 0..9u32)
        .prop_map(|(per_message, per_history)| Overhead { per_message, per_history });
    prop_oneof![Just(Overhead::default()), some].boxed()
}

/// What a host has been asked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Work {
    /// All calls that can fail.
    pub(crate) calls: usize,
    /// Messages that were counted, in that order.
    pub(crate) counted: Vec<u32>,
    /// The tokens of those.
    pub(crate) tokens: u64,
    /// How many single texts were counted.
    pub(crate) texts: usize,
    /// Messages that were read for digests.
    pub(crate) read: Vec<u32>,
    /// How many times a trigger of the caller's was asked.
    pub(crate) asked: usize,
}

#[derive(Clone, Debug)]
pub(crate) struct FakeHost {
    pub(crate) messages: Vec<Message>,
    pub(crate) counter: Counter,
    pub(crate) work: Work,
    /// Which call fails, counted from 1.
    pub(crate) fails_at: Option<usize>,
    clock: u64,
}

/// What a host answers that is told to fail.
#[derive(Debug)]
pub(crate) struct Refused;

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("refused")
    }
}

impl std::error::Error for Refused {}

/// A trigger of the caller's that is never true.
pub(crate) const NEVER_TRUE: Callback = Callback(1_000);
/// A trigger of the caller's that is always true.
pub(crate) const ALWAYS_TRUE: Callback = Callback(1_001);

impl FakeHost {
    pub(crate) fn new(messages: Vec<Message>, counter: Counter) -> Self {
        Self { messages, counter, work: Work::default(), fails_at: None, clock: 0 }
    }

    pub(crate) fn tokens_of(&self, message: u32) -> u64 {
        let message = &self.messages[message as usize];
        u64::from(self.counter.count(&message.text)) + u64::from(message.facts.fixed_tokens)
    }

    /// The tokens of what a message holds now.
    pub(crate) fn tokens_held(&self, index: &MessageIndex, message: u32) -> u64 {
        let fixed = u64::from(self.messages[message as usize].facts.fixed_tokens);
        index.shortened(message).map_or_else(
            || self.tokens_of(message),
            |now| u64::from(self.counter.count(&now.texts[0].1)) + fixed,
        )
    }

    fn called(&mut self) -> Result<()> {
        self.work.calls += 1;
        if self.fails_at == Some(self.work.calls) { Err(Error::host(Refused)) } else { Ok(()) }
    }
}

impl Host for FakeHost {
    fn count_messages(&mut self, messages: &[u32]) -> Result<Vec<u32>> {
        self.called()?;
        self.work.counted.extend(messages);
        let text = |&message: &u32| self.counter.count(&self.messages[message as usize].text);
        let counts: Vec<u32> = messages.iter().map(text).collect();
        self.work.tokens += counts.iter().map(|&count| u64::from(count)).sum::<u64>();
        Ok(counts)
    }

    fn count_text(&mut self, text: &str) -> Result<u32> {
        self.called()?;
        self.work.texts += 1;
        Ok(self.counter.count(text))
    }

    fn count_shortened(&mut self, messages: &[(u32, &[(Place, String)])]) -> Result<Vec<u32>> {
        self.called()?;
        self.work.texts += messages.len();
        Ok(messages.iter().map(|(_, texts)| self.counter.count(&texts[0].1)).collect())
    }

    fn visit_texts(&mut self, message: u32, which: Texts, visit: VisitText<'_>) -> Result<()> {
        self.called()?;
        self.work.read.push(message);
        let text = self.messages[message as usize].text.clone();
        if which == Texts::Content { visit(self, Place::Content, &text) } else { Ok(()) }
    }

    /// The tool of a result that names a call is `tool`.
    fn tool_name(&mut self, group: &[u32], result: u32) -> Result<String> {
        self.called()?;
        assert!(group.is_sorted() && group.contains(&result));
        let answers = self.messages[result as usize].facts.answers;
        Ok(if answers.is_some() { "tool".to_owned() } else { String::new() })
    }

    fn tool_exchange(&mut self, messages: &[u32], limit: Option<usize>) -> Result<ToolExchange> {
        self.called()?;
        self.work.read.extend(messages);
        assert!(messages.is_sorted(), "messages of a group are asked for in order");
        let mut exchange = ToolExchange::default();
        for &position in messages {
            let message = &self.messages[position as usize];
            exchange.names.extend(message.facts.calls.iter().map(|_| "tool".to_owned()));
            if message.facts.is_result() {
                let name = if message.facts.answers.is_some() { "tool" } else { "" };
                let text = message.text.chars().take(limit.unwrap_or(usize::MAX)).collect();
                exchange.results.push(ToolResult {
                    message: Some(position),
                    name: name.to_owned(),
                    text,
                });
            }
        }
        Ok(exchange)
    }

    /// Formatter 0 writes nothing, 1 a little, 2 more than there was, others one result.
    fn format_digest(&mut self, formatter: Callback, exchange: &ToolExchange) -> Result<String> {
        self.called()?;
        Ok(match formatter.0 {
            0 => String::new(),
            1 => "~".to_owned(),
            2 => exchange.results.iter().map(|result| result.text.repeat(2) + "long").collect(),
            _ => exchange.results.first().map(|result| result.text.clone()).unwrap_or_default(),
        })
    }

    /// Trigger `n` asks whether more than `n` groups are included; an odd one counts tokens, too.
    fn ask(&mut self, trigger: Callback, index: &mut MessageIndex) -> Result<bool> {
        self.called()?;
        self.work.asked += 1;
        if trigger == NEVER_TRUE || trigger == ALWAYS_TRUE {
            return Ok(trigger == ALWAYS_TRUE);
        }
        if trigger.0 % 2 == 1 && index.tokens_exceed(trigger.0 * 20, self)? {
            return Ok(true);
        }
        Ok(index.included_counts().groups > trigger.0)
    }

    fn now(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }
}

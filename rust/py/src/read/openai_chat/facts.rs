//! A message as facts.

use chatfold_core::tokens::Estimator;
use chatfold_core::{CallKey, Facts, Role, opens_like_stand_in};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::calls::{Extra, visit_assistant};
use super::content::{Part, part};
use super::role::{fields, role};
use crate::errors::{bad_message, shown};
use crate::read::fields::{Fields, items};
use crate::text::{Measure, with_text};

/// What parts without text count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartTokens {
    pub(crate) image: u32,
    pub(crate) audio: u32,
    pub(crate) file: u32,
    pub(crate) other: u32,
}

/// Reads messages into facts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader {
    pub(crate) parts: PartTokens,
    /// Its counts are free while a message is read; other tokenizers count later.
    pub(crate) estimator: Option<Estimator>,
}

impl Reader {
    /// The facts of the message at that position of the list.
    ///
    /// # Errors
    /// `MessageError` for what can't be a message.
    pub(crate) fn facts(&self, message: &Bound<'_, PyAny>, position: usize) -> PyResult<Facts> {
        let py = message.py();
        let fields = fields(message, position)?;
        let role = role(&fields, position)?;
        let mut facts = Facts::new(role);
        let mut tally = Tally { facts: &mut facts, reader: *self, bytes: 0, chars: 0, tokens: 0 };
        let content = fields.take(intern!(py, "content"))?;
        let mut speaks = false;
        if let Some(content) = &content {
            speaks = tally.content(content, position)?;
        }
        match role {
            Role::Assistant => tally.assistant(&fields, position, speaks)?,
            Role::Tool => {
                let id = fields.take_text(intern!(py, "tool_call_id"))?;
                facts_key(tally.facts, id.as_ref(), CallKey::tool)?;
            }
            Role::Function => {
                let name = fields.take_text(intern!(py, "name"))?;
                facts_key(tally.facts, name.as_ref(), CallKey::function)?;
            }
            Role::System | Role::Developer | Role::User => {}
        }
        tally.finish(position)?;
        Ok(facts)
    }
}

fn facts_key(
    facts: &mut Facts,
    id: Option<&Bound<'_, PyString>>,
    key: fn(&str) -> CallKey,
) -> PyResult<()> {
    if let Some(id) = id {
        facts.answer(with_text(id, key)?);
    }
    Ok(())
}

/// Sums up what a message holds.
struct Tally<'a> {
    facts: &'a mut Facts,
    reader: Reader,
    bytes: usize,
    chars: usize,
    tokens: usize,
}

impl Tally<'_> {
    fn text(&mut self, text: &Bound<'_, PyString>) -> PyResult<Measure> {
        let measure = Measure::of(text)?;
        self.bytes += measure.bytes;
        self.chars += measure.code_points;
        self.tokens += match self.reader.estimator {
            None => 0,
            Some(estimator) if estimator.cjk_aware => {
                with_text(text, |text| estimator.count(text))?
            }
            Some(estimator) => estimator.of_chars(measure.code_points),
        };
        Ok(measure)
    }

    /// The first text of a message may open like a digest or a summary; few start like one.
    fn opening(&mut self, text: &Bound<'_, PyString>, measure: &Measure) -> PyResult<()> {
        if measure.first == Some(u32::from('['))
            && matches!(self.facts.role, Role::User | Role::Assistant)
        {
            self.facts.stand_in = with_text(text, opens_like_stand_in)?;
        }
        Ok(())
    }

    /// Notes whether the assistant says something with this text; nearly all start with a letter.
    fn says(&mut self, text: &Bound<'_, PyString>, measure: &Measure) -> PyResult<()> {
        if self.facts.role == Role::Assistant && !self.facts.says_something {
            let blank = |first| char::from_u32(first).is_some_and(char::is_whitespace);
            self.facts.says_something = match measure.first {
                Some(first) if blank(first) => with_text(text, |text| !text.trim().is_empty())?,
                first => first.is_some(),
            };
        }
        Ok(())
    }

    /// Says whether the content holds anything but reasoning.
    fn content(&mut self, content: &Bound<'_, PyAny>, position: usize) -> PyResult<bool> {
        if let Ok(text) = content.cast::<PyString>() {
            let measure = self.text(text)?;
            self.opening(text, &measure)?;
            self.says(text, &measure)?;
            return Ok(measure.bytes > 0);
        }
        let Some(parts) = items(content) else {
            let what = format!(
                "its content is {}; content is text, a list of parts, or null",
                shown(content)
            );
            return Err(bad_message(position, what));
        };
        let (mut speaks, mut reasons) = (false, false);
        let mut first = true;
        for value in parts {
            match part(&value)? {
                Part::Text(text) => {
                    let measure = self.text(&text)?;
                    if std::mem::take(&mut first) {
                        self.opening(&text, &measure)?;
                    }
                    self.says(&text, &measure)?;
                    // Some send an empty text beside their reasoning.
                    speaks |= measure.bytes > 0;
                }
                part => {
                    let reasoning = matches!(part, Part::Reasoning(_));
                    reasons |= reasoning;
                    speaks |= !reasoning;
                    self.part(part)?;
                }
            }
        }
        self.facts.reasoning_only = reasons && self.facts.role == Role::Assistant;
        Ok(speaks)
    }

    fn part(&mut self, part: Part<'_>) -> PyResult<()> {
        let fixed = self.reader.parts;
        self.facts.binary |=
            matches!(part, Part::Image | Part::Audio | Part::File | Part::Result(_));
        let own = match part {
            Part::Text(text) | Part::Reasoning(Some(text)) => {
                self.text(&text)?;
                0
            }
            Part::Result(result) => {
                // Only there are results looked for; elsewhere they are content.
                if matches!(self.facts.role, Role::Assistant | Role::Tool) {
                    facts_key(self.facts, result.id.as_ref(), CallKey::tool)?;
                }
                for part in result.parts()? {
                    self.part(part)?;
                }
                0
            }
            Part::Reasoning(None) | Part::Other => fixed.other,
            Part::Image => fixed.image,
            Part::Audio => fixed.audio,
            Part::File => fixed.file,
        };
        self.facts.fixed_tokens = self.facts.fixed_tokens.saturating_add(own);
        Ok(())
    }

    fn assistant(
        &mut self,
        fields: &Fields<'_, '_>,
        position: usize,
        mut speaks: bool,
    ) -> PyResult<()> {
        let mut reasoning = self.facts.reasoning_only;
        let mut failed = None;
        visit_assistant(fields, position, &mut |what| {
            match what {
                Extra::Reasoning(text) => {
                    reasoning = true;
                    self.text(&text)?;
                }
                Extra::Text(text) => speaks |= self.text(&text)?.bytes > 0,
                Extra::Call(key) => {
                    self.facts.calls.push(key);
                }
            }
            Ok(())
        })
        .unwrap_or_else(|error| failed = Some(error));
        self.facts.reasoning_only = reasoning && !speaks && self.facts.calls.is_empty();
        self.facts.stand_in &= self.facts.calls.is_empty() && !self.facts.is_result();
        failed.map_or(Ok(()), Err)
    }

    fn finish(self, position: usize) -> PyResult<()> {
        self.facts.bytes = u32::try_from(self.bytes)
            .map_err(|_| bad_message(position, "it holds more than 4 GiB of text; split it"))?;
        self.facts.chars = u32::try_from(self.chars).unwrap_or(u32::MAX);
        if self.reader.estimator.is_some() {
            self.facts.text_tokens = Some(u32::try_from(self.tokens).unwrap_or(u32::MAX - 1));
        }
        Ok(())
    }
}

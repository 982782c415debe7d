//! A message as facts.

use chatfold_core::tokens::Estimator;
use chatfold_core::{CallKey, Facts, Role};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::calls::{Extra, visit_assistant};
use super::content::{Part, opens_stand_in, part};
use super::role::{fields, role};
use crate::errors::{bad_message, shown};
use crate::read::fields::{Fields, items};
use crate::text::{size, with_text};

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
        let mut tally = Tally { facts: &mut facts, reader: *self, bytes: 0, tokens: 0 };
        let content = fields.take(intern!(py, "content"))?;
        let mut has_text = false;
        if let Some(content) = &content {
            has_text = tally.content(content, position)?;
        }
        match role {
            Role::Assistant => tally.assistant(&fields, position, has_text)?,
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
    tokens: usize,
}

impl Tally<'_> {
    fn text(&mut self, text: &Bound<'_, PyString>) -> PyResult<()> {
        let (bytes, tokens) = match self.reader.estimator {
            Some(estimator) if estimator.cjk_aware => {
                with_text(text, |text| (text.len(), estimator.count(text)))?
            }
            estimator => {
                let (bytes, code_points) = size(text)?;
                (bytes, estimator.map_or(0, |estimator| estimator.of_chars(code_points)))
            }
        };
        self.bytes += bytes;
        self.tokens += tokens;
        Ok(())
    }

    /// Says whether the content has any text.
    fn content(&mut self, content: &Bound<'_, PyAny>, position: usize) -> PyResult<bool> {
        if let Ok(text) = content.cast::<PyString>() {
            if text.is_empty()? {
                return Ok(false);
            }
            self.text(text)?;
            if matches!(self.facts.role, Role::User | Role::Assistant) {
                self.facts.stand_in = opens_stand_in(text)?;
            }
            return Ok(true);
        }
        let Some(parts) = items(content) else {
            let what = format!(
                "its content is {}; content is text, a list of parts, or null",
                shown(content)
            );
            return Err(bad_message(position, what));
        };
        let (mut has_text, mut reasoning) = (false, !parts.is_empty());
        let mut first = matches!(self.facts.role, Role::User | Role::Assistant);
        for value in &parts {
            let part = part(value)?;
            reasoning &= matches!(part, Part::Reasoning(_));
            if let Part::Text(text) = &part {
                if std::mem::take(&mut first) {
                    self.facts.stand_in = opens_stand_in(text)?;
                }
                has_text |= !text.is_empty()?;
            }
            self.part(part)?;
        }
        self.facts.reasoning_only = reasoning && self.facts.role == Role::Assistant;
        Ok(has_text || !(reasoning || parts.is_empty()))
    }

    fn part(&mut self, part: Part<'_>) -> PyResult<()> {
        let fixed = self.reader.parts;
        self.facts.fixed_tokens += match part {
            Part::Text(text) | Part::Reasoning(Some(text)) => return self.text(&text),
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
        Ok(())
    }

    fn assistant(
        &mut self,
        fields: &Fields<'_, '_>,
        position: usize,
        has_content: bool,
    ) -> PyResult<()> {
        let mut reasoning = self.facts.reasoning_only;
        let mut failed = None;
        visit_assistant(fields, position, &mut |what| {
            match what {
                Extra::Reasoning(text) => {
                    reasoning = true;
                    self.text(&text)?;
                }
                Extra::Text(text) => self.text(&text)?,
                Extra::Call(key) => {
                    self.facts.calls.push(key);
                }
            }
            Ok(())
        })
        .unwrap_or_else(|error| failed = Some(error));
        self.facts.reasoning_only = reasoning && !has_content && self.facts.calls.is_empty();
        self.facts.stand_in &= self.facts.calls.is_empty() && !self.facts.is_result();
        failed.map_or(Ok(()), Err)
    }

    fn finish(self, position: usize) -> PyResult<()> {
        self.facts.bytes = u32::try_from(self.bytes)
            .map_err(|_| bad_message(position, "it holds more than 4 GiB of text; split it"))?;
        if self.reader.estimator.is_some() {
            self.facts.text_tokens = Some(u32::try_from(self.tokens).unwrap_or(u32::MAX - 1));
        }
        Ok(())
    }
}

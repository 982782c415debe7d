//! The `OpenAI` chat format.

use chatfold_core::tokens::Estimator;
use chatfold_core::{CallKey, Facts, Role, opens_like_stand_in};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::fields::{Fields, items};
use crate::errors::{bad_message, shown};
use crate::text::with_text;

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

/// One content or reasoning part, as far as accounting goes.
enum Part<'py> {
    Text(Bound<'py, PyString>),
    Reasoning(Option<Bound<'py, PyString>>),
    Image,
    Audio,
    File,
    Other,
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
        let content = fields.get(intern!(py, "content"))?;
        let mut has_text = false;
        if let Some(content) = &content {
            has_text = tally.content(content, position)?;
        }
        if !(content.is_some() && fields.has_two_at_most()) {
            match role {
                Role::Assistant => tally.assistant(&fields, position, has_text)?,
                Role::Tool => {
                    let id = fields.text(intern!(py, "tool_call_id"))?;
                    facts_key(tally.facts, id.as_ref(), CallKey::tool)?;
                }
                Role::Function => {
                    let name = fields.text(intern!(py, "name"))?;
                    facts_key(tally.facts, name.as_ref(), CallKey::function)?;
                }
                Role::System | Role::Developer | Role::User => {}
            }
        }
        tally.finish(position)?;
        Ok(facts)
    }
}

fn fields<'a, 'py>(message: &'a Bound<'py, PyAny>, position: usize) -> PyResult<Fields<'a, 'py>> {
    Fields::of(message, intern!(message.py(), "role")).ok_or_else(|| {
        let what = format!(
            "{} is not a message; pass a dict with a role, or an object with one",
            shown(message)
        );
        bad_message(position, what)
    })
}

/// The role of the message at that position of the list.
pub(crate) fn role(fields: &Fields<'_, '_>, position: usize) -> PyResult<Role> {
    let py = fields.py();
    let Some(value) = fields.get(intern!(py, "role"))? else {
        return Err(bad_message(position, format!("it has no role; {}", known_roles())));
    };
    let known = value.cast::<PyString>().ok().and_then(|role| Role::from_name(role.to_str().ok()?));
    known.ok_or_else(|| {
        bad_message(position, format!("its role is {}; {}", shown(&value), known_roles()))
    })
}

/// The role of a message of which nothing else is read.
pub(crate) fn role_of(message: &Bound<'_, PyAny>, position: usize) -> PyResult<Role> {
    role(&fields(message, position)?, position)
}

/// Whether a user or assistant message is a digest or a summary.
pub(super) fn is_stand_in(message: &Bound<'_, PyAny>) -> PyResult<bool> {
    let Some(fields) = Fields::of(message, intern!(message.py(), "role")) else { return Ok(false) };
    let Some(content) = fields.get(intern!(message.py(), "content"))? else { return Ok(false) };
    if let Ok(text) = content.cast::<PyString>() {
        return with_text(text, opens_like_stand_in);
    }
    for value in items(&content).unwrap_or_default() {
        if let Part::Text(text) = part(&value)? {
            return with_text(&text, opens_like_stand_in);
        }
    }
    Ok(false)
}

fn known_roles() -> String {
    format!("a role is one of {}", Role::NAMES.map(|(_, name)| name).join(", "))
}

fn facts_key(
    facts: &mut Facts,
    id: Option<&Bound<'_, PyString>>,
    key: fn(&str) -> CallKey,
) -> PyResult<()> {
    if let Some(id) = id {
        facts.answers = Some(with_text(id, key)?);
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
        let estimator = self.reader.estimator;
        let count = |text: &str| estimator.map_or(0, |estimator| estimator.count(text));
        let (bytes, tokens) = match (estimator, text.to_str()) {
            // Python knows the number of code points; nothing has to be looked at.
            (Some(estimator), Ok(own)) if !estimator.cjk_aware => {
                (own.len(), estimator.of_chars(text.len()?))
            }
            _ => with_text(text, |text| (text.len(), count(text)))?,
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
                self.facts.stand_in = with_text(text, opens_like_stand_in)?;
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
            let fixed = self.reader.parts;
            self.facts.fixed_tokens += match part {
                Part::Text(text) => {
                    if std::mem::take(&mut first) {
                        self.facts.stand_in = with_text(&text, opens_like_stand_in)?;
                    }
                    has_text |= !text.is_empty()?;
                    self.text(&text)?;
                    0
                }
                Part::Reasoning(Some(text)) => {
                    self.text(&text)?;
                    0
                }
                Part::Reasoning(None) | Part::Other => fixed.other,
                Part::Image => fixed.image,
                Part::Audio => fixed.audio,
                Part::File => fixed.file,
            };
        }
        self.facts.reasoning_only = reasoning && self.facts.role == Role::Assistant;
        Ok(has_text || !(reasoning || parts.is_empty()))
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
        self.facts.stand_in &= self.facts.calls.is_empty();
        failed.map_or(Ok(()), Err)
    }

    fn finish(self, position: usize) -> PyResult<()> {
        self.facts.bytes = u32::try_from(self.bytes)
            .map_err(|_| bad_message(position, "it holds more than 4 GiB of text; split it"))?;
        if self.reader.estimator.is_some() || self.bytes == 0 {
            self.facts.text_tokens = Some(u32::try_from(self.tokens).unwrap_or(u32::MAX - 1));
        }
        Ok(())
    }
}

fn part<'py>(value: &Bound<'py, PyAny>) -> PyResult<Part<'py>> {
    let py = value.py();
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Part::Text(text.clone()));
    }
    let Some(fields) = Fields::of(value, intern!(py, "type")) else { return Ok(Part::Other) };
    let kind = fields.text(intern!(py, "type"))?;
    let kind = kind.as_ref().and_then(|kind| kind.to_str().ok()).unwrap_or("");
    Ok(match kind {
        "reasoning" | "thinking" | "redacted_thinking" => {
            let text = match fields.text(intern!(py, "text"))? {
                Some(text) => Some(text),
                None => fields.text(intern!(py, "thinking"))?,
            };
            Part::Reasoning(text)
        }
        "refusal" => fields.text(intern!(py, "refusal"))?.map_or(Part::Other, Part::Text),
        "image_url" | "input_image" | "image" => Part::Image,
        "input_audio" | "audio" => Part::Audio,
        "file" | "input_file" | "document" => Part::File,
        _ => fields.text(intern!(py, "text"))?.map_or(Part::Other, Part::Text),
    })
}

/// What an assistant message holds beside its content.
enum Extra<'py> {
    Reasoning(Bound<'py, PyString>),
    Text(Bound<'py, PyString>),
    /// A call, with its key where it has an id.
    Call(Option<CallKey>),
}

type Visit<'a, 'py> = &'a mut dyn FnMut(Extra<'py>) -> PyResult<()>;

fn visit_assistant<'py>(
    fields: &Fields<'_, 'py>,
    position: usize,
    visit: Visit<'_, 'py>,
) -> PyResult<()> {
    let py = fields.py();
    for name in [intern!(py, "reasoning_content"), intern!(py, "reasoning")] {
        if let Some(text) = fields.text(name)?.filter(|text| !text.is_empty().unwrap_or(true)) {
            visit(Extra::Reasoning(text))?;
            break;
        }
    }
    if let Some(text) = fields.text(intern!(py, "refusal"))? {
        visit(Extra::Text(text))?;
    }
    if let Some(calls) = fields.get(intern!(py, "tool_calls"))? {
        let Some(calls) = items(&calls) else {
            let what = format!("its tool_calls are {}; pass a list of calls", shown(&calls));
            return Err(bad_message(position, what));
        };
        for call in &calls {
            visit_call(call, position, visit)?;
        }
    }
    if let Some(call) = fields.get(intern!(py, "function_call"))? {
        let Some(function) = Fields::of(&call, intern!(py, "name")) else {
            let what = format!("its function_call is {}; pass a dict with a name", shown(&call));
            return Err(bad_message(position, what));
        };
        let name = function.text(intern!(py, "name"))?;
        let key = name.map(|name| with_text(&name, CallKey::function)).transpose()?;
        visit(Extra::Call(key))?;
        visit_function(&function, intern!(py, "arguments"), visit)?;
    }
    Ok(())
}

fn visit_call<'py>(
    call: &Bound<'py, PyAny>,
    position: usize,
    visit: Visit<'_, 'py>,
) -> PyResult<()> {
    let py = call.py();
    let Some(fields) = Fields::of(call, intern!(py, "id")) else {
        let what = format!("one of its tool_calls is {}; pass a dict with an id", shown(call));
        return Err(bad_message(position, what));
    };
    let id = fields.text(intern!(py, "id"))?;
    visit(Extra::Call(id.map(|id| with_text(&id, CallKey::tool)).transpose()?))?;
    for (kind, arguments) in [
        (intern!(py, "function"), intern!(py, "arguments")),
        (intern!(py, "custom"), intern!(py, "input")),
    ] {
        if let Some(inner) = fields.get(kind)?
            && let Some(inner) = Fields::of(&inner, intern!(py, "name"))
        {
            visit_function(&inner, arguments, visit)?;
        }
    }
    Ok(())
}

fn visit_function<'py>(
    function: &Fields<'_, 'py>,
    arguments: &Bound<'py, PyString>,
    visit: Visit<'_, 'py>,
) -> PyResult<()> {
    if let Some(name) = function.text(intern!(arguments.py(), "name"))? {
        visit(Extra::Text(name))?;
    }
    match function.get(arguments)? {
        None => Ok(()),
        Some(value) => visit(Extra::Text(as_text(&value)?)),
    }
}

/// Arguments are text; where a framework holds them as objects, their JSON stands for them.
fn as_text<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(text.clone());
    }
    let py = value.py();
    let json = py.import(intern!(py, "json"))?.call_method1(intern!(py, "dumps"), (value,));
    json.or_else(|_| value.str().map(Bound::into_any))?.cast_into().map_err(PyErr::from)
}

/// Calls `visit` on every text of a message, empty ones too, in the order in which facts are read.
pub(crate) fn visit_texts<'py>(
    message: &Bound<'py, PyAny>,
    position: usize,
    visit: &mut dyn FnMut(Bound<'py, PyString>) -> PyResult<()>,
) -> PyResult<()> {
    let py = message.py();
    let fields = fields(message, position)?;
    let content = fields.get(intern!(py, "content"))?;
    let plain = content.is_some() && fields.has_two_at_most();
    if let Some(content) = content {
        if let Ok(text) = content.cast::<PyString>() {
            visit(text.clone())?;
        } else {
            for value in items(&content).unwrap_or_default() {
                if let Part::Text(text) | Part::Reasoning(Some(text)) = part(&value)? {
                    visit(text)?;
                }
            }
        }
    }
    if plain || role(&fields, position)? != Role::Assistant {
        return Ok(());
    }
    visit_assistant(&fields, position, &mut |extra| match extra {
        Extra::Reasoning(text) | Extra::Text(text) => visit(text),
        Extra::Call(_) => Ok(()),
    })
}

/// The text of a content: itself, or its text parts joined by line ends.
pub(super) fn content_text(content: &Bound<'_, PyAny>, limit: Option<usize>) -> PyResult<String> {
    let mut text = String::new();
    let enough = |text: &String| limit.is_some_and(|limit| text.len() >= limit * 4);
    let push = |part: &Bound<'_, PyString>, text: &mut String| {
        with_text(part, |part| match limit.and_then(|limit| part.char_indices().nth(limit)) {
            Some((end, _)) => text.push_str(&part[..end]),
            None => text.push_str(part),
        })
    };
    if let Ok(own) = content.cast::<PyString>() {
        push(own, &mut text)?;
        return Ok(text);
    }
    let mut first = true;
    for value in items(content).unwrap_or_default() {
        if enough(&text) {
            break;
        }
        if let Part::Text(part) = part(&value)? {
            if !std::mem::take(&mut first) {
                text.push('\n');
            }
            push(&part, &mut text)?;
        }
    }
    Ok(text)
}

//! Content: a text, or a list of parts.

use chatfold_core::opens_like_stand_in;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::read::fields::{Fields, items};
use crate::text::with_text;
use crate::unicode::starts_with;

/// One content or reasoning part, as far as accounting goes.
pub(super) enum Part<'py> {
    Text(Bound<'py, PyString>),
    Reasoning(Option<Bound<'py, PyString>>),
    Result(ResultPart<'py>),
    Image,
    Audio,
    File,
    Other,
}

/// One of several results in a message: the id of its call, and a content of its own.
///
/// The chat format has one result a message; formats that have more are read into such parts.
pub(super) struct ResultPart<'py> {
    pub(super) id: Option<Bound<'py, PyString>>,
    pub(super) content: Option<Bound<'py, PyAny>>,
}

impl<'py> ResultPart<'py> {
    /// Its parts; a bare text is one. It holds no results of its own.
    pub(super) fn parts(&self) -> PyResult<Vec<Part<'py>>> {
        let Some(content) = &self.content else { return Ok(Vec::new()) };
        if let Ok(text) = content.cast::<PyString>() {
            return Ok(vec![Part::Text(text.clone())]);
        }
        let flat = |value: &Bound<'py, PyAny>| {
            part(value).map(|part| if let Part::Result(_) = part { Part::Other } else { part })
        };
        items(content).into_iter().flatten().map(|value| flat(&value)).collect()
    }
}

/// Tells what a part is; one of unknown type is text where it has some.
pub(super) fn part<'py>(value: &Bound<'py, PyAny>) -> PyResult<Part<'py>> {
    let py = value.py();
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Part::Text(text.clone()));
    }
    let Some(fields) = Fields::of(value, intern!(py, "type")) else { return Ok(Part::Other) };
    let kind = fields.take_text(intern!(py, "type"))?;
    let kind = kind.as_ref().and_then(|kind| kind.to_str().ok()).unwrap_or("");
    Ok(match kind {
        "reasoning" | "thinking" | "redacted_thinking" => {
            let text = match fields.take_text(intern!(py, "text"))? {
                Some(text) => Some(text),
                None => fields.take_text(intern!(py, "thinking"))?,
            };
            Part::Reasoning(text)
        }
        "tool_result" => Part::Result(ResultPart {
            id: fields.take_text(intern!(py, "tool_call_id"))?,
            content: fields.take(intern!(py, "content"))?,
        }),
        "refusal" => fields.take_text(intern!(py, "refusal"))?.map_or(Part::Other, Part::Text),
        "image_url" | "input_image" | "image" => Part::Image,
        "input_audio" | "audio" => Part::Audio,
        "file" | "input_file" | "document" => Part::File,
        _ => fields.take_text(intern!(py, "text"))?.map_or(Part::Other, Part::Text),
    })
}

/// Whether a text opens like a digest or a summary; nearly all are told by their first character.
pub(super) fn opens_stand_in(text: &Bound<'_, PyString>) -> PyResult<bool> {
    Ok(starts_with(text, '[')? && with_text(text, opens_like_stand_in)?)
}

/// Whether a user or assistant message is a digest or a summary.
pub(crate) fn is_stand_in(message: &Bound<'_, PyAny>) -> PyResult<bool> {
    let Some(fields) = Fields::of(message, intern!(message.py(), "role")) else { return Ok(false) };
    let Some(content) = fields.take(intern!(message.py(), "content"))? else { return Ok(false) };
    if let Ok(text) = content.cast::<PyString>() {
        return opens_stand_in(text);
    }
    for value in items(&content).into_iter().flatten() {
        if let Part::Text(text) = part(&value)? {
            return opens_stand_in(&text);
        }
    }
    Ok(false)
}

/// The text of a content: itself, or its text parts joined by line ends.
pub(super) fn content_text(content: &Bound<'_, PyAny>, limit: Option<usize>) -> PyResult<String> {
    let mut text = String::new();
    let enough = |text: &String| limit.is_some_and(|limit| text.len() >= limit * 4);
    let push = |part: &Bound<'_, PyString>, text: &mut String| {
        with_text(part, |part| {
            // So many bytes hold at most so many code points: most texts need no look.
            let limit = limit.filter(|&limit| limit < part.len());
            match limit.and_then(|limit| part.char_indices().nth(limit)) {
                Some((end, _)) => text.push_str(&part[..end]),
                None => text.push_str(part),
            }
        })
    };
    if let Ok(own) = content.cast::<PyString>() {
        push(own, &mut text)?;
        return Ok(text);
    }
    let mut first = true;
    for value in items(content).into_iter().flatten() {
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

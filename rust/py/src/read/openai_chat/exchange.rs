//! The calls and results of one group as text, for a digest.

use std::collections::HashMap;

use chatfold_core::{CallKey, Role, ToolExchange, ToolResult};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::content::{Part, ResultPart, content_text, part};
use super::role::role;
use crate::read::fields::{Fields, items};
use crate::text::with_text;

/// Reads the messages of one group; texts may be cut after `limit` code points.
pub(crate) fn tool_exchange(
    messages: &[(usize, Bound<'_, PyAny>)],
    limit: Option<usize>,
) -> PyResult<ToolExchange> {
    let mut exchange = ToolExchange::default();
    let mut names = HashMap::new();
    for (position, message) in messages {
        let py = message.py();
        let Some(fields) = Fields::of(message, intern!(py, "role")) else { continue };
        let role = role(&fields, *position)?;
        let key = match role {
            Role::Assistant => {
                calls(&fields, &mut |key, name| {
                    names.extend(key.map(|key| (key, name.clone())));
                    exchange.names.push(name);
                })?;
                None
            }
            Role::Tool => keyed(fields.take_text(intern!(py, "tool_call_id"))?, CallKey::tool)?,
            Role::Function => keyed(fields.take_text(intern!(py, "name"))?, CallKey::function)?,
            Role::System | Role::Developer | Role::User => continue,
        };
        let content = fields.take(intern!(py, "content"))?;
        let parts = result_parts(content.as_ref())?;
        if parts.is_empty() && role.is_result() {
            let message = u32::try_from(*position).ok();
            exchange.results.push(tool_result(message, key, content.as_ref(), &names, limit)?);
        }
        for part in parts {
            let key = keyed(part.id, CallKey::tool)?;
            exchange.results.push(tool_result(None, key, part.content.as_ref(), &names, limit)?);
        }
    }
    Ok(exchange)
}

/// The results among the parts of a content.
fn result_parts<'py>(content: Option<&Bound<'py, PyAny>>) -> PyResult<Vec<ResultPart<'py>>> {
    let mut found = Vec::new();
    for value in content.and_then(items).into_iter().flatten() {
        if let Part::Result(result) = part(&value)? {
            found.push(result);
        }
    }
    Ok(found)
}

fn tool_result(
    message: Option<u32>,
    key: Option<CallKey>,
    content: Option<&Bound<'_, PyAny>>,
    names: &HashMap<CallKey, String>,
    limit: Option<usize>,
) -> PyResult<ToolResult> {
    let name = key.and_then(|key| names.get(&key).cloned()).unwrap_or_default();
    let text = match content {
        // Without a name the label starts with the text, and its leading space is dropped.
        Some(content) if name.is_empty() => content_text(content, None)?.trim_start().to_owned(),
        Some(content) => content_text(content, limit)?,
        None => String::new(),
    };
    Ok(ToolResult { message, name, text })
}

pub(super) fn keyed(
    id: Option<Bound<'_, PyString>>,
    key: fn(&str) -> CallKey,
) -> PyResult<Option<CallKey>> {
    id.map(|id| with_text(&id, key)).transpose()
}

/// The key and the name of each call of an assistant message.
pub(super) fn calls(
    fields: &Fields<'_, '_>,
    visit: &mut dyn FnMut(Option<CallKey>, String),
) -> PyResult<()> {
    let py = fields.py();
    let name_of = |function: &Bound<'_, PyAny>| -> PyResult<String> {
        let Some(function) = Fields::of(function, intern!(py, "name")) else {
            return Ok(String::new());
        };
        let name = function.take_text(intern!(py, "name"))?;
        name.map_or(Ok(String::new()), |name| with_text(&name, str::to_owned))
    };
    let calls = fields.take(intern!(py, "tool_calls"))?;
    for call in calls.iter().filter_map(items).flatten() {
        let Some(call) = Fields::of(&call, intern!(py, "id")) else { continue };
        let inner = match call.take(intern!(py, "function"))? {
            Some(function) => Some(function),
            None => call.take(intern!(py, "custom"))?,
        };
        let name = inner.as_ref().map_or(Ok(String::new()), name_of)?;
        visit(keyed(call.take_text(intern!(py, "id"))?, CallKey::tool)?, name);
    }
    if let Some(function) = fields.take(intern!(py, "function_call"))? {
        let name = name_of(&function)?;
        visit(Some(CallKey::function(&name)), name);
    }
    Ok(())
}
